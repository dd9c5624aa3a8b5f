BLOCK = "wood"
CLOSE = 2.5  # metres: near enough to be hit by steps of 15 degrees


def walk(obs, steps):
    blocked = 0
    for _ in range(steps):
        x, _, z = obs.position
        obs = forward()
        if hypot(obs.position[0] - x, obs.position[2] - z) < 0.05:
            blocked += 1
            obs = jump()
        if blocked > 2:
            return clear(obs)
    return obs


def clear(obs):
    for _ in range(12):
        if obs.facing in ("air", BLOCK):
            return forward()
        obs = attack()
    return obs


def search(obs):
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    for _ in range(2):
        if nearest(obs, BLOCK) is not None:
            return obs
        obs = turn(180)
    return walk(turn(45), 30)


def action(obs):
    tries = 0
    while obs.facing != BLOCK:
        tries += 1
        if tries % 40 == 0:
            obs = walk(turn(90), 15)
        seen = nearest(obs, BLOCK)
        if seen is None:
            obs = search(obs)
            continue
        yaw, pitch, distance = seen
        if abs(yaw) > 7.5:
            obs = turn(yaw)
        if distance > CLOSE:
            if abs(obs.pitch) > 20:
                obs = look(-obs.pitch)
            obs = walk(obs, 3)
        elif abs(pitch) > 7.5:
            obs = look(pitch)
        else:
            obs = clear(walk(obs, 1))
