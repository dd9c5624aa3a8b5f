ITEM = "cobblestone"
BLOCK = "stone"
QUANTITY = 1
LEVEL = 64
WAYS = ((1, 0), (0, 1), (-1, 0), (0, -1))
SIDES = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


def beside_lava(obs, spot):
    """As far as blocks are known."""
    dx, dy, dz = spot
    return any(
        [
            obs.block(dx + x, dy + y, dz + z) == "lava"
            for x, y, z in SIDES
            if max(abs(dx + x), abs(dy + y), abs(dz + z)) <= 8
        ]
    )


def seek(obs, passed):
    """The nearest of the block that can be got at: not in ``passed``, nor beside lava."""
    for _ in range(20):
        here = cell_of(obs)
        but = [(x - here[0], y - here[1], z - here[2]) for x, y, z in passed]
        spot = find(obs, BLOCK, 8, but)
        if spot is None or not beside_lava(obs, spot):
            return spot
        passed.append((here[0] + spot[0], here[1] + spot[1], here[2] + spot[2]))
    return None


def towards(obs, ax, az):
    """A block on through the rock, or round what is not safe."""
    before = obs.position
    along_x = (1 if ax > 0 else -1, 0)
    along_z = (0, 1 if az > 0 else -1)
    ways = [along_x, along_z] if abs(ax) >= abs(az) else [along_z, along_x]
    for way in ways:
        if (ax and way[0]) or (az and way[1]):
            obs = drive(obs, way[0], way[1])
            if hypot(obs.position[0] - before[0], obs.position[2] - before[2]) > 0.5:
                return obs
    return obs


def take(obs, spot):
    """Get beside the block, straight down first, dig it and go where it drops."""
    had = obs.inventory.get(ITEM, 0)
    here = cell_of(obs)
    x, y, z = here[0] + spot[0], here[1] + spot[1], here[2] + spot[2]
    ways = 0
    for _ in range(16):
        here, before = cell_of(obs), obs.position
        ax, ay, az = x - here[0], y - here[1], z - here[2]
        if max(abs(ax), abs(ay), abs(az)) > 8 or obs.block(ax, ay, az) != BLOCK:
            break
        if beside_lava(obs, (ax, ay, az)):
            return obs
        if abs(ax) + abs(az) <= 2 and -3 <= ay <= 3:
            return gather_at(obs, ITEM, ax, ay, az)
        if ay < -3 and may_sink(obs):
            obs = sink(obs)
        elif abs(ax) + abs(az) > 2 and ay <= 3:
            obs = towards(obs, ax, az)
        if obs.position == before:
            ways += 1
            obs = travel(obs, ax, az, 150, ay - 1 if ay > 1 else ay)
        if obs.position == before or ways == 3:
            break
    for _ in range(6):
        if obs.inventory.get(ITEM, 0) > had:
            return obs
        obs = noop()
    ax, az = x + 0.5 - obs.position[0], z + 0.5 - obs.position[2]
    return travel(obs, ax, az, 30, y - cell_of(obs)[1])


def gone(obs, cell):
    x, y, z = cell_of(obs)
    dx, dy, dz = cell[0] - x, cell[1] - y, cell[2] - z
    return max(abs(dx), abs(dy), abs(dz)) < 8 and obs.block(dx, dy, dz) != BLOCK


def tunnel(obs, heading):
    """On at the same level, another way where it is not safe."""
    if obs.position[1] < LEVEL - 3:
        return stair_up(obs), heading
    for turned in (0, 1, 3, 2):
        sx, sz = WAYS[(heading + turned) % 4]
        before = obs.position
        obs = drive(obs, sx, sz)
        if hypot(obs.position[0] - before[0], obs.position[2] - before[2]) > 0.5:
            return obs, (heading + turned) % 4
    sx, sz = WAYS[heading % 4]
    return travel(obs, sx * 6.0, sz * 6.0, 60), (heading + 1) % 4


def action(obs):
    obs = take_along(obs)
    wanted = obs.inventory.get(ITEM, 0) + QUANTITY
    heading = floor(obs.position[0] + obs.position[2]) % 4
    failed, passed = [], []
    patience = 0
    while obs.inventory.get(ITEM, 0) < wanted:
        had, before = obs.inventory.get(ITEM, 0), obs.steps
        spot = None if BLOCK == "stone" or patience > 0 else seek(obs, passed)
        patience = max(0, patience - 1)
        if spot is not None:
            here = cell_of(obs)
            cell = (here[0] + spot[0], here[1] + spot[1], here[2] + spot[2])
            obs = take(obs, spot)
            # Gravel that is gone has often left no flint: there may be more of it beside.
            if obs.inventory.get(ITEM, 0) == had and not gone(obs, cell):
                patience = 4
                failed.append(cell)
                if failed.count(cell) == 3:
                    passed.append(cell)
        elif obs.position[1] > (12 if BLOCK == "stone" else LEVEL):
            obs = sink(obs)
        else:
            obs, heading = tunnel(obs, heading)
        if obs.steps == before:
            patience = 4
            obs = forward_attack()
