ITEM = "log"
QUANTITY = 1


def action(obs):
    wanted = obs.inventory.get(ITEM, 0) + QUANTITY
    while obs.inventory.get(ITEM, 0) < wanted:
        for _ in range(100):
            obs = forward_attack()
        obs = turn(60)
