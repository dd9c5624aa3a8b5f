HEIGHT = 20
WAYS = ((1, 0), (0, 1), (-1, 0), (0, -1))


def action(obs):
    obs = take_along(obs)
    while obs.position[1] > HEIGHT:
        before, here = obs.steps, cell_of(obs)
        obs = sink(obs)
        for sx, sz in WAYS:
            if cell_of(obs) == here:
                obs = drive(obs, sx, sz)
        if obs.steps == before:
            obs = travel(obs, 6.0, 6.0, 60)
            obs = turn(90)
