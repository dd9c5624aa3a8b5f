LEG = 500  # steps


def action(obs):
    obs = surface(obs)
    x, _, z = obs.position
    while True:
        obs = roam(obs, LEG, x, z)
