BLOCK = "wood"
GOALS = 20
STEPS = 50  # towards each of them
CLOSE = 2.5  # metres


def go_up_to(obs, last):
    while obs.steps < last and obs.facing != BLOCK:
        seen = nearest(obs, BLOCK)
        if seen is None:
            return obs
        yaw, pitch, distance = seen
        if abs(yaw) > 7.5:
            obs = turn(yaw)
        if distance > CLOSE:
            obs = walk_on(obs, 3)
        elif abs(pitch) > 7.5:
            obs = look(pitch)
        else:
            obs = walk_on(obs, 1)
    return obs


def action(obs):
    for goal in range(GOALS):
        last = (goal + 1) * STEPS
        while obs.steps < last and obs.facing != BLOCK:
            obs = go_up_to(obs, last) if nearest(obs, BLOCK) is not None else walk_on(obs, 5)
        if obs.facing == BLOCK:
            return
        if nearest(obs, BLOCK) is None:
            if abs(obs.pitch) > 8:
                obs = look(-obs.pitch)
            obs = turn((90, -45, 135, 180)[goal % 4])
