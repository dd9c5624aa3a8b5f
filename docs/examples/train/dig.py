def action(obs):
    for _ in range(100):
        if obs.facing != "wood":
            return
        obs = attack()
