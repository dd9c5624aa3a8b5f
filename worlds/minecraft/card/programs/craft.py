ITEM = "planks"
QUANTITY = 1


def action(obs):
    wanted = obs.inventory.get(ITEM, 0) + QUANTITY
    while obs.inventory.get(ITEM, 0) < wanted and ITEM in obs.craftable:
        obs = craft(ITEM)
