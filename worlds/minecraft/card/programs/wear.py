ITEM = "iron_boots"
TRIES = 20


def action(obs):
    used = obs.used.get(ITEM, 0)
    for _ in range(TRIES):
        if obs.used.get(ITEM, 0) > used or not obs.inventory.get(ITEM, 0):
            return
        obs = equip(ITEM)
