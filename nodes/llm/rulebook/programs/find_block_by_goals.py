BLOCK = "wood"
GOALS = 20
STEPS = 50  # towards each of them
CLOSE = 2.5  # metres


def walk(obs, steps):
    for _ in range(steps):
        x, _, z = obs.position
        obs = jump() if obs.block(0, 0, 0) == "water" else forward()
        if hypot(obs.position[0] - x, obs.position[2] - z) < 0.05:
            obs = jump()
    return obs


def go_up_to(obs, last):
    while obs.steps < last and obs.facing != BLOCK:
        seen = nearest(obs, BLOCK)
        if seen is None:
            return obs
        yaw, pitch, distance = seen
        if abs(yaw) > 7.5:
            obs = turn(yaw)
        if distance > CLOSE:
            obs = walk(obs, 3)
        elif abs(pitch) > 7.5:
            obs = look(pitch)
        else:
            obs = walk(obs, 1)
    return obs


def action(obs):
    for goal in range(GOALS):
        last = (goal + 1) * STEPS
        while obs.steps < last and obs.facing != BLOCK:
            obs = go_up_to(obs, last) if nearest(obs, BLOCK) is not None else walk(obs, 5)
        if obs.facing == BLOCK:
            return
        if nearest(obs, BLOCK) is None:
            if abs(obs.pitch) > 8:
                obs = look(-obs.pitch)
            obs = turn((90, -45, 135, 180)[goal % 4])
