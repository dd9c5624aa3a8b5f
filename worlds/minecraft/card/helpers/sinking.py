"""Digging straight down, the quickest way to what lies deep."""

HOT = ("lava", "flowing lava")
RINGS = ((1, 0), (-1, 0), (0, 1), (0, -1))
FARTHEST_FALL = 3  # blocks
FALL_THAT_HURTS = 6  # blocks, for who is unhurt: it takes 3 of life
UNHURT = 16.0  # of life


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
    """Whether the block below can be dug: no lava near, no water to run in, no deep fall, nor
    bedrock all about."""
    return leads_down(obs, 0, 0)


def leads_down(obs, dx, dz):
    """Whether that can be done from a cell at the height of the feet."""
    if obs.block(dx, -1, dz) == "bedrock" or obs.position[1] < 4:
        return False
    for depth in (-1, -2):
        for rx, rz in RINGS:
            beside = obs.block(dx + rx, depth, dz + rz)
            if beside in HOT or beside == "water":
                return False
    deepest = FARTHEST_FALL if obs.life < UNHURT else FALL_THAT_HURTS
    for depth in range(-2, -deepest - 2, -1):
        name = obs.block(dx, depth, dz)
        if name in HOT or name == "water":
            return False
        if name != "air":
            # Where one comes out in a cave, there must be no lava beside.
            return all([obs.block(dx + rx, depth + 1, dz + rz) not in HOT for rx, rz in RINGS])
    return False


def step_aside(obs):
    """To the nearest cell at this height from which it goes on down."""
    for far in range(1, 7):
        for sx, sz in RINGS:
            if leads_down(obs, sx * far, sz * far):
                before = obs.steps
                goal = (floor(obs.position[0]) + sx * far, floor(obs.position[2]) + sz * far)
                for _ in range(far):
                    here = cell_of(obs)
                    obs = drive(obs, sx, sz)
                    if cell_of(obs) == here:
                        break
                if (cell_of(obs)[0], cell_of(obs)[2]) == goal or obs.steps > before + 10:
                    return obs
    yaw = radians(round(obs.yaw / 90.0) * 90.0)
    here = cell_of(obs)
    obs = travel(obs, -sin(yaw) * 4.0, cos(yaw) * 4.0, 60)
    return turn(90) if cell_of(obs) == here else obs


def sink(obs, max_steps=200):
    """One block down, or a few steps aside where that is not safe."""
    if obs.block(0, 0, 0) == "water" or obs.block(0, -1, 0) == "water":
        return roam(obs, 20)
    if not may_sink(obs):
        return step_aside(obs)
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
    if obs.block(sx, 2, sz) in HOT + ("water",):
        return obs
    if "bedrock" in (obs.block(sx, 0, sz), obs.block(sx, 1, sz)):
        return obs
    deep = 1
    while deep < 5 and obs.block(sx, -deep, sz) == "air":
        deep += 1
    if deep > FARTHEST_FALL + 1 or obs.block(sx, -deep, sz) in HOT:
        return obs
    x, y, z = cell_of(obs)
    obs = open_up(obs, (x, y, z), (x + sx, y, z + sz))
    return enter(obs, (x + sx, y, z + sz))
