ITEM = "bow"
QUANTITY = 1
TRIES = 20  # for each


def action(obs):
    used = obs.used.get(ITEM, 0)
    for _ in range(TRIES * QUANTITY):
        if obs.used.get(ITEM, 0) >= used + QUANTITY or not obs.inventory.get(ITEM, 0):
            return
        obs = equip(ITEM) if obs.held != ITEM else obs
        obs = look(-obs.pitch) if abs(obs.pitch) > 8 else obs
        for _ in range(25):  # steps until the string is taut
            obs = use()
        for _ in range(3):
            obs = noop()
