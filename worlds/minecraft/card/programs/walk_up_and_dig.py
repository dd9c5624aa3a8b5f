ITEM = "log"
BLOCK = "wood"
QUANTITY = 1
CLOSE = 2.5  # metres: near enough to be hit by steps of 15 degrees


def search(obs):
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    for _ in range(2):
        if nearest(obs, BLOCK) is not None:
            return obs
        obs = turn(180)
    return walk_on(turn(45), 20)


def face(obs):
    """Walk up to the nearest, until the crosshair is on it."""
    while obs.facing != BLOCK:
        seen = nearest(obs, BLOCK)
        if seen is None:
            obs = search(obs)
            continue
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
    wanted = obs.inventory.get(ITEM, 0) + QUANTITY
    while obs.inventory.get(ITEM, 0) < wanted:
        had = obs.inventory.get(ITEM, 0)
        obs = face(obs)
        for _ in range(100):
            if obs.facing != BLOCK:
                break
            obs = attack()
        for _ in range(30):
            if obs.inventory.get(ITEM, 0) > had:
                break
            obs = forward()
