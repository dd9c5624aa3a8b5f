ITEM = "log"
QUANTITY = 1


def action(obs):
    wanted = obs.inventory.get(ITEM, 0) + QUANTITY
    for _ in range(100 * QUANTITY):
        if obs.inventory.get(ITEM, 0) >= wanted:
            return
        obs = attack()
