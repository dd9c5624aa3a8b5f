ITEM = "cobblestone"
BLOCK = "stone"
QUANTITY = 1
TOOLS = []
LEVEL = 64
WAYS = ((1, 0), (0, 1), (-1, 0), (0, -1))
PICKAXES = ("wooden_pickaxe", "stone_pickaxe", "iron_pickaxe", "diamond_pickaxe")
THROUGH = ("air", "water", "lava")
SIDES = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


def cells(way, rise):
    """What has to be open for one step, the upper ones first."""
    sx, sz = way
    found = [(sx, 1, sz), (sx, 0, sz)]
    if rise < 0:
        found.append((sx, -1, sz))
    if rise > 0:
        found = [(0, 2, 0), (sx, 2, sz), (sx, 1, sz)]
    return found


def safe(obs, way, rise):
    sx, sz = way
    for x, y, z in cells(way, rise):
        if obs.block(x, y, z) in ("lava", "bedrock", "water"):
            return False
        for ax, ay, az in SIDES:
            if obs.block(x + ax, y + ay, z + az) == "lava":
                return False
            wet = ay >= 0 and obs.block(x + ax, y + ay, z + az) == "water"
            if wet and obs.block(x, y, z) not in THROUGH:
                return False
    for down in range(min(rise, 0) - 1, -5, -1):
        block = obs.block(sx, down, sz)
        if block == "lava":
            return False
        if block != "air":
            return True
    return rise > 0


def swim(obs):
    """Out of the water, wherever that is."""
    for number in range(200):
        if obs.block(0, 0, 0) != "water" and obs.block(0, -1, 0) != "water":
            return obs
        x, _, z = obs.position
        obs = jump()
        if number % 10 == 9 and hypot(obs.position[0] - x, obs.position[2] - z) < 0.02:
            obs = turn(75)
    return obs


def hold(obs, ore=False):
    """For the ore one of the tools that it takes; for what is in the way the least pickaxe."""
    tools = TOOLS if ore else [pick for pick in PICKAXES if pick in obs.inventory]
    for tool in tools:
        if obs.inventory.get(tool, 0):
            return obs if obs.held == tool else equip(tool)
    return obs


def step(obs, way, rise):
    x, _, z = obs.position
    goal_x, goal_z = floor(x) + way[0] + 0.5, floor(z) + way[1] + 0.5
    for dx, dy, dz in cells(way, rise):
        for _ in range(5):  # gravel falls after
            if floor(obs.position[0]) != floor(x) or floor(obs.position[2]) != floor(z):
                obs = walk_to(
                    obs, floor(x) + 0.5 - obs.position[0], floor(z) + 0.5 - obs.position[2], 10
                )
            if obs.block(dx, dy, dz) in THROUGH:
                break
            obs = dig_at(hold(obs), dx, dy, dz, 250)
    return walk_to(obs, goal_x - obs.position[0], goal_z - obs.position[2], 20)


def go(obs, heading, rise):
    """One step that way, or another way where it is not safe: the observation and the heading."""
    for rises in ((rise,), (0, 1, -1)):
        for more in rises:
            for turned in (0, 1, 3, 2):
                way = WAYS[(heading + turned) % 4]
                if safe(obs, way, more):
                    return step(obs, way, more), (heading + turned) % 4
    return forward_attack(), (heading + 1) % 4


def take(obs, spot):
    """Dig the block and get what it drops."""
    dx, dy, dz = spot
    x, _, z = obs.position
    had = obs.inventory.get(ITEM, 0)
    obs = dig_at(hold(obs, True), dx, dy, dz)
    for _ in range(10):
        if obs.inventory.get(ITEM, 0) > had:
            return obs
        obs = noop()
    return walk_to(
        obs, floor(x) + dx + 0.5 - obs.position[0], floor(z) + dz + 0.5 - obs.position[2], 20
    )


def lava_beside(obs, spot):
    dx, dy, dz = spot
    return any([obs.block(dx + x, dy + y, dz + z) == "lava" for x, y, z in SIDES])


def action(obs):
    obs = take_along(obs)
    wanted = obs.inventory.get(ITEM, 0) + QUANTITY
    heading = floor(obs.steps + obs.position[0]) % 4
    chased = 0
    before = -1
    while obs.inventory.get(ITEM, 0) < wanted:
        if obs.steps == before:  # nothing could be done there
            chased = 30
            heading = (heading + 1) % 4
            obs = forward_attack()
        before = obs.steps
        if obs.block(0, 0, 0) == "water":
            obs = swim(look(-obs.pitch) if abs(obs.pitch) > 8 else obs)
            heading = (heading + 1) % 4
        spot = find(obs, BLOCK, 7) if chased < 30 else None
        chased = (chased + 1) % 45
        if spot is None or (BLOCK == "stone" and obs.position[1] > 5 and spot[1] < 0):
            if obs.position[1] > LEVEL:
                obs, heading = go(obs, heading, -1)
            else:
                obs, heading = go(obs, heading, 0)
            continue
        dx, dy, dz = spot
        if abs(dx) + abs(dz) <= 2 and -1 <= dy <= 2 and (dx or dz) and not lava_beside(obs, spot):
            obs = take(obs, spot)
            continue
        along_x = 0 if dx > 0 else 2
        along_z = 1 if dz > 0 else 3
        heading = along_x if abs(dx) >= abs(dz) else along_z
        if dx == 0 and dz == 0 and dy == -1 and not lava_beside(obs, spot):
            obs = take(obs, spot)
        else:
            rise = -1 if dy < 0 else 1 if dy > 1 else 0
            obs, heading = go(obs, heading, rise)
