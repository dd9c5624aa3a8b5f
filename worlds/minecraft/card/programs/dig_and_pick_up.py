ITEM = "log"
BLOCK = "wood"
QUANTITY = 1


def action(obs):
    wanted = obs.inventory.get(ITEM, 0) + QUANTITY
    for _ in range(QUANTITY):
        for _ in range(100):
            if obs.facing != BLOCK:
                break
            obs = attack()
        for _ in range(30):
            if obs.inventory.get(ITEM, 0) >= wanted:
                return
            obs = forward()
