HEIGHT = 100
EARTH = ("dirt", "cobblestone", "netherrack", "planks", "log")  # what does not fall
SOFT = ("dirt", "grass block", "netherrack", "podzol", "mycelium")  # what hands dig quickly
PASSABLE = ("air", "grass", "plant", "flower", "dead bush", "snow", "vines", "mushroom")
WAYS = ((1, 0), (0, 1), (-1, 0), (0, -1))
SPARE = 6  # blocks more than a tower takes
OVER = 1.05  # metres above the ground, from which a block goes under the feet
HEAD = 1  # the wall against which one jumps is as high as the head
PATIENCE = 6  # tries to get a block higher from one place


def carried(obs):
    return sum([obs.inventory.get(item, 0) for item in EARTH])


def next_block(obs):
    """The item to build with, an empty text if there is none."""
    for item in EARTH:
        if obs.inventory.get(item, 0):
            return item
    return ""


def dig_earth(obs, wanted):
    """A trench two blocks deep, until there is enough to build of."""
    heading, blocked = floor(obs.position[0]) % 4, 0
    while carried(obs) < wanted and blocked < 12:
        sx, sz = WAYS[heading]
        had, here, before = carried(obs), cell_of(obs), obs.steps
        shallow = obs.block(sx, 0, sz) in PASSABLE or obs.block(sx, 1, sz) in PASSABLE
        if shallow and obs.block(0, -1, 0) in SOFT and may_sink(obs):
            obs = sink(obs)
        elif obs.block(sx, 0, sz) in SOFT or obs.block(sx, 0, sz) in PASSABLE:
            obs = drive(obs, sx, sz)
        blocked = blocked + 1 if carried(obs) <= had else 0
        if cell_of(obs) == here or blocked % 4 == 3:
            heading = (heading + 1) % 4
        if obs.steps == before:
            obs = noop()
    return obs


def wall_beside(obs):
    """Where there is a wall beside the head, nearest to the line of sight, or None."""
    heading = round(obs.yaw / 90.0) + 1
    for turned in (0, 1, 3, 2):
        sx, sz = WAYS[(heading + turned) % 4]
        if obs.block(sx, HEAD, sz) not in PASSABLE:
            return (sx, sz)
    return None


def build_wall(obs):
    """On what stands beside the feet, or beside the ground."""
    sides = [way for way in WAYS if obs.block(way[0], 0, way[1]) not in PASSABLE]
    grounded = [way for way in WAYS if obs.block(way[0], -1, way[1]) not in PASSABLE]
    for sx, sz in sides + [way for way in grounded if way not in sides]:
        for up in (0, HEAD):
            if obs.block(sx, up, sz) in PASSABLE and next_block(obs) != "":
                obs = place_at(noop(), next_block(obs), sx, up, sz)
        if obs.block(sx, HEAD, sz) not in PASSABLE:
            return obs
    return noop()


def go_up(obs):
    """One block: a jump against the wall, and a block under the feet."""
    for up in (2, 3):
        if obs.block(0, up, 0) not in PASSABLE:
            obs = dig_at(hold_for(obs, obs.block(0, up, 0)), 0, up, 0, 250)
    if wall_beside(obs) is None:
        obs = build_wall(obs)
    wall, item = wall_beside(obs), next_block(obs)
    if wall is None or item == "":
        return obs
    aside = (degrees(atan2(-wall[0], wall[1])) - obs.yaw + 180.0) % 360.0 - 180.0
    if abs(aside) > 7.5:
        obs = turn(aside)
    if obs.pitch < 85:
        obs = look(90.0 - obs.pitch)
    ground = floor(obs.position[1] + 0.001)
    for _ in range(8):
        obs = jump()
        if obs.position[1] > ground + OVER:
            obs = place(item)
            break
    for _ in range(8):
        if obs.position[1] == floor(obs.position[1]) and obs.block(0, -1, 0) not in PASSABLE:
            break
        obs = noop()
    return obs


def action(obs):
    obs = surface(obs)
    while obs.position[1] < HEIGHT:
        missing = 2 * ceil(HEIGHT - obs.position[1])
        if carried(obs) < missing:
            obs = dig_earth(obs, missing + SPARE)
        if carried(obs) < missing:
            obs = roam(obs, 60)
            continue
        failed = 0
        while obs.position[1] < HEIGHT and failed < PATIENCE and next_block(obs) != "":
            high = obs.position[1]
            obs = go_up(obs)
            failed = failed + 1 if obs.position[1] < high + 0.5 else 0
        if obs.position[1] < HEIGHT:
            obs = roam(obs, 20)
