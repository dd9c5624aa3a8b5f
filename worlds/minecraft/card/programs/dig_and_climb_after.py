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
        for _ in range(60):
            if obs.inventory.get(ITEM, 0) >= wanted:
                return
            x, _, z = obs.position
            obs = forward()
            if hypot(obs.position[0] - x, obs.position[2] - z) < 0.05:
                obs = jump()
