BLOCK = "wood"


def action(obs):
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    seen = nearest(obs, BLOCK)
    obs = turn(90) if seen is None else turn(seen[0])
    for _ in range(10):
        x, _, z = obs.position
        obs = forward()
        if hypot(obs.position[0] - x, obs.position[2] - z) < 0.05:
            obs = jump()
