BLOCK = "wood"


def action(obs):
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    seen = nearest(obs, BLOCK)
    obs = turn(90) if seen is None else turn(seen[0])
    obs = walk_on(obs, 10)
