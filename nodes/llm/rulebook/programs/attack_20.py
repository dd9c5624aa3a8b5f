def action(obs):
    for _ in range(20):
        attack()
