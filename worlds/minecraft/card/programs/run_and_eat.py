ITEM = "apple"
QUANTITY = 1


def action(obs):
    """Who is full can eat little: running makes hungry."""
    wanted = obs.used.get(ITEM, 0) + QUANTITY
    been = {}
    while obs.used.get(ITEM, 0) < wanted and obs.inventory.get(ITEM, 0):
        eaten = obs.used.get(ITEM, 0)
        obs = equip(ITEM) if obs.held != ITEM else obs
        obs = use()
        if obs.used.get(ITEM, 0) == eaten:
            obs = explore(obs, 40, been)
