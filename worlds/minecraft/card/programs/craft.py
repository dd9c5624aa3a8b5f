ITEM = "planks"
QUANTITY = 1


def action(obs):
    wanted = obs.inventory.get(ITEM, 0) + QUANTITY
    while obs.inventory.get(ITEM, 0) < wanted:
        had = obs.inventory.get(ITEM, 0)
        told = ITEM in obs.craftable  # by its first recipe: another one may do
        obs = craft(ITEM)
        if not told and obs.inventory.get(ITEM, 0) == had:
            return
