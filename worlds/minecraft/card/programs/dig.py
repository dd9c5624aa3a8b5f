BLOCK = "wood"


def action(obs):
    for _ in range(100):
        if obs.facing != BLOCK:
            return
        obs = attack()
