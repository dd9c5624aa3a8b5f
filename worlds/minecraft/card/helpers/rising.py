"""Getting up to the open from under the ground."""

OVERHEAD = ("air", "leaves", "vines", "snow")  # what does not hide the sky
WATER = ("water", "flowing water")
UNDER_THE_SKY = ("air",) + WATER  # what one swims up through
CAVES = 56.0  # metres: who is lower is under the ground
SIDES_OF_A_CELL = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1))
QUARTERS = ((1, 0), (0, 1), (-1, 0), (0, -1))
STEPS_OF_EARTH = ("dirt", "netherrack", "cobblestone", "gravel", "sand")  # to stand on
KEPT = 12  # of these are not used up: a furnace and tools are made of them
OVER = 1.05  # metres above the ground, from which a block goes under the feet


def covered(obs):
    if obs.position[1] < CAVES:
        return True
    return any([obs.block(0, up, 0) not in OVERHEAD for up in range(2, 9)])


def in_a_shaft(obs):
    """Whether one would have to dig to leave the cell on any side."""
    for sx, sz in QUARTERS:
        if obs.block(sx, 1, sz) in PASSABLE:
            if obs.block(sx, 0, sz) in PASSABLE or obs.block(sx, 2, sz) in PASSABLE:
                return False
    return True


def dives(obs):
    return obs.block(0, 1, 0) in WATER


def shut_in(obs):
    """Whether one's head is under water, and leaves or ice are over it."""
    return dives(obs) and obs.block(0, 2, 0) not in UNDER_THE_SKY


def swim_out(obs):
    """Some steps to where the water is open, or through what is overhead."""
    best, found = 9.0, None
    for dx in range(-6, 7):
        for dz in range(-6, 7):
            far = hypot(dx, dz)
            if far < best and obs.block(dx, 2, dz) in UNDER_THE_SKY:
                if obs.block(dx, 1, dz) in UNDER_THE_SKY:
                    best, found = far, (dx, dz)
    before = obs.position
    if found is not None:
        aside = (degrees(atan2(-found[0], found[1])) - obs.yaw + 180.0) % 360.0 - 180.0
        if abs(aside) > 7.5:
            obs = turn(aside)
        for _ in range(ceil(best) * 3):
            obs = jump()
    if hypot(obs.position[0] - before[0], obs.position[2] - before[2]) < 0.3:
        obs = dig_at(obs, 0, 2, 0, 40)
        obs = jump()
    return obs


def surface(obs, max_steps=600):
    last = obs.steps + max_steps
    risen = False
    while obs.steps < last and (covered(obs) or dives(obs) or (risen and in_a_shaft(obs))):
        if shut_in(obs):
            obs = swim_out(obs)
            continue
        if dives(obs):
            obs = jump()
            continue
        before = obs.position
        risen = may_rise(obs)
        if risen:
            obs = rise(obs)
            risen = obs.position[1] > before[1] + 0.5
        if not risen:
            obs = stair_up(obs)
        if obs.position == before:
            obs = turn(90)
            obs = forward()
    return obs


def spare_earth(obs):
    """A block to stand on, or None. Of rock that is dug overhead another one comes."""
    solid = obs.block(0, 2, 0) not in PASSABLE
    for item in STEPS_OF_EARTH:
        if obs.inventory.get(item, 0) > (0 if solid or item == "dirt" else KEPT):
            return item
    return None


def wall_beside(obs):
    """Where the wall is against which one jumps so as to stay in the cell, the nearest to the eyes,
    or None."""
    heading = round(obs.yaw / 90.0) + 1
    for turned in (0, 1, 3, 2):
        sx, sz = QUARTERS[(heading + turned) % 4]
        if obs.block(sx, 1, sz) not in PASSABLE:
            return (sx, sz)
    return None


def may_rise(obs):
    """Whether one can go straight up: firm ground, a wall, nothing overhead that flows."""
    if spare_earth(obs) is None or wall_beside(obs) is None:
        return False
    if obs.block(0, -1, 0) in PASSABLE or obs.block(0, 2, 0) == "bedrock":
        return False
    return not any(
        [
            obs.block(x, up + y, z) in FLUIDS
            for up in (2, 3)
            for x, y, z in SIDES_OF_A_CELL + ((0, 0, 0),)
        ]
    )


def rise(obs):
    """One block straight up: what is overhead is dug, and a block put under the feet in a jump."""
    sx, sz = wall_beside(obs)
    aside = (degrees(atan2(-sx, sz)) - obs.yaw + 180.0) % 360.0 - 180.0
    if abs(aside) > 7.5:
        obs = turn(aside)
    for _ in range(4):  # sand and gravel fall into the place of what is dug
        name = obs.block(0, 2, 0)
        if name in OPEN:
            break
        obs = dig_at(hold_for(obs, name), 0, 2, 0, 250)
    item = spare_earth(obs)
    if item is None or obs.block(0, 2, 0) not in PASSABLE:
        return obs
    ground = floor(obs.position[1] + 0.001)
    if obs.pitch < 85:
        obs = look(90.0 - obs.pitch)
    for _ in range(6):
        obs = jump()
        if obs.position[1] > ground + OVER:
            obs = place(item)
            break
    for _ in range(6):
        if obs.position[1] - floor(obs.position[1]) < 0.001 and obs.block(0, -1, 0) not in PASSABLE:
            break
        obs = noop()
    return obs


def stair_up(obs):
    """Dig and climb one step, in the direction nearest to that of the eyes that is safe."""
    heading = round(obs.yaw / 90.0) + 1
    for turned in (0, 1, 3, 2):
        sx, sz = QUARTERS[(heading + turned) % 4]
        cells = [(0, 2, 0), (sx, 2, sz), (sx, 1, sz)]
        wet = [
            1
            for x, y, z in cells
            for ax, ay, az in SIDES_OF_A_CELL
            if obs.block(x + ax, y + ay, z + az) in FLUIDS
        ]
        if wet or any([obs.block(x, y, z) == "bedrock" for x, y, z in cells]):
            continue
        x, _, z = obs.position
        if obs.block(sx, 0, sz) in OPEN:
            if obs.block(sx, 1, sz) not in OPEN:  # a hole that is one block high
                obs = dig_at(hold_for(obs, obs.block(sx, 1, sz)), sx, 1, sz, 250)
            return walk_to(obs, floor(x) + sx + 0.5 - x, floor(z) + sz + 0.5 - z, 15)
        for dx, dy, dz in cells:
            name = obs.block(dx, dy, dz)
            if name not in OPEN:
                obs = dig_at(hold_for(obs, name), dx, dy, dz, 250)
        return walk_to(
            obs, floor(x) + sx + 0.5 - obs.position[0], floor(z) + sz + 0.5 - obs.position[2], 20
        )
    return jump()
