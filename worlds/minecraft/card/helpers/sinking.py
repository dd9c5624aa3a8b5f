"""Digging straight down, the quickest way to what lies deep."""

HOT = ("lava", "flowing lava")
RINGS = ((1, 0), (-1, 0), (0, 1), (0, -1))
FARTHEST_FALL = 3  # blocks


def centre(obs):
    """Stand in the middle of the cell, so as to fall through a hole of one block."""
    for _ in range(6):
        x, _, z = obs.position
        dx, dz = floor(x) + 0.5 - x, floor(z) + 0.5 - z
        if hypot(dx, dz) < 0.19:
            return obs
        aside = (degrees(atan2(-dx, dz)) - obs.yaw + 180.0) % 360.0 - 180.0
        if abs(aside) > 7.5:
            obs = turn(aside)
        obs = forward()
        obs = noop()
    return obs


def may_sink(obs):
    """Whether the block below can be dug: no lava near, no water to run in, no deep fall."""
    if obs.block(0, -1, 0) == "bedrock" or obs.position[1] < 6:
        return False
    for depth in (-1, -2):
        for dx, dz in RINGS:
            beside = obs.block(dx, depth, dz)
            if beside in HOT or beside == "water":
                return False
    for depth in range(-2, -6, -1):
        name = obs.block(0, depth, 0)
        if name in HOT or name == "water":
            return False
        if name != "air":
            return -depth - 1 <= FARTHEST_FALL
    return False


def sink(obs, max_steps=200):
    """One block down, or a few steps aside where that is not safe."""
    if obs.block(0, 0, 0) == "water" or obs.block(0, -1, 0) == "water":
        return roam(obs, 20)
    if not may_sink(obs):
        yaw = radians(round(obs.yaw / 90.0) * 90.0)
        return travel(obs, -sin(yaw) * 4.0, cos(yaw) * 4.0, 60)
    if obs.block(0, -1, 0) == "air":
        high = obs.position[1]
        obs = noop()
        return obs if obs.position[1] < high else centre(obs)  # on the rim of the hole
    obs = centre(obs)
    before = floor(obs.position[1] + 0.001)
    obs = hold_for(obs, obs.block(0, -1, 0))
    obs = dig_at(obs, 0, -1, 0, max_steps)
    for _ in range(8):
        if floor(obs.position[1] + 0.001) < before and obs.block(0, -1, 0) != "air":
            return obs
        obs = noop()
    return obs


def drive(obs, sx, sz):
    """One block on through the rock, two high, in one of the four directions; where it is not
    there afterwards, it was not safe."""
    for height in (1, 0):
        for dx, dz in RINGS + ((0, 0),):
            beside = obs.block(sx + dx, height, sz + dz)
            if beside in HOT or (beside == "water" and obs.block(sx, height, sz) not in PASSABLE):
                return obs
    if obs.block(sx, 2, sz) in HOT + ("water",) or obs.block(sx, 0, sz) == "bedrock":
        return obs
    deep = 1
    while deep < 5 and obs.block(sx, -deep, sz) == "air":
        deep += 1
    if deep > FARTHEST_FALL + 1 or obs.block(sx, -deep, sz) in HOT:
        return obs
    x, y, z = cell_of(obs)
    obs = open_up(obs, (x, y, z), (x + sx, y, z + sz))
    return enter(obs, (x + sx, y, z + sz))
