BLOCK = "wood"
CLOSE = 2.5  # metres: near enough to be hit by steps of 15 degrees


def walk(obs, steps):
    for _ in range(steps):
        x, _, z = obs.position
        obs = forward()
        if hypot(obs.position[0] - x, obs.position[2] - z) < 0.05:
            obs = jump()
    return obs


def search(obs):
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    for _ in range(2):
        if nearest(obs, BLOCK) is not None:
            return obs
        obs = turn(180)
    return walk(turn(45), 20)


def action(obs):
    while obs.facing != BLOCK:
        seen = nearest(obs, BLOCK)
        if seen is None:
            obs = search(obs)
            continue
        yaw, pitch, distance = seen
        if abs(yaw) > 7.5:
            obs = turn(yaw)
        if distance > CLOSE:
            obs = walk(obs, 3)
        elif abs(pitch) > 7.5:
            obs = look(pitch)
        else:
            obs = walk(obs, 1)
