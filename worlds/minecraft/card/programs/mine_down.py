ITEM = "cobblestone"
BLOCK = "stone"
QUANTITY = 1
TOOLS = []
LEVEL = 64
WAYS = ((1, 0), (0, 1), (-1, 0), (0, -1))
SIDES = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


def beside_lava(obs, spot):
    dx, dy, dz = spot
    if max(abs(dx), abs(dy), abs(dz)) > 7:
        return True
    return any([obs.block(dx + x, dy + y, dz + z) == "lava" for x, y, z in SIDES])


def take_tool(obs):
    """One that the ore takes, the least of them."""
    for tool in TOOLS:
        if obs.inventory.get(tool, 0):
            return obs if obs.held == tool else equip(tool)
    return obs


def take(obs, spot):
    """Get beside the block, dig it and go where it drops: whether there is more of it."""
    dx, dy, dz = spot
    had = obs.inventory.get(ITEM, 0)
    x, y, z = (
        floor(obs.position[0]) + dx,
        floor(obs.position[1] + 0.001) + dy,
        floor(obs.position[2]) + dz,
    )
    for _ in range(3):
        px, py, pz = floor(obs.position[0]), floor(obs.position[1] + 0.001), floor(obs.position[2])
        ax, ay, az = x - px, y - py, z - pz
        if max(abs(ax), abs(ay), abs(az)) > 7:
            return obs
        if obs.block(ax, ay, az) != BLOCK:
            break
        if abs(ax) + abs(az) <= 2 and -2 <= ay <= 3:
            obs = dig_at(take_tool(obs), ax, ay, az, 300)
        else:
            obs = travel(obs, ax, az, 150, ay - 1 if ay > 1 else ay)
    for _ in range(6):
        if obs.inventory.get(ITEM, 0) > had:
            return obs
        obs = noop()
    ax, az = x + 0.5 - obs.position[0], z + 0.5 - obs.position[2]
    return travel(obs, ax, az, 30, y - floor(obs.position[1] + 0.001))


def gone(obs, x, y, z):
    px, py, pz = obs.position
    ax, ay, az = x - floor(px), y - floor(py + 0.001), z - floor(pz)
    return max(abs(ax), abs(ay), abs(az)) < 8 and obs.block(ax, ay, az) != BLOCK


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
    wanted = obs.inventory.get(ITEM, 0) + QUANTITY
    heading = floor(obs.position[0] + obs.position[2]) % 4
    patience = 0
    while obs.inventory.get(ITEM, 0) < wanted:
        had, before = obs.inventory.get(ITEM, 0), obs.steps
        spot = None if BLOCK == "stone" or patience > 0 else find(obs, BLOCK, 8)
        patience = max(0, patience - 1)
        if spot is not None and not beside_lava(obs, spot):
            x, y, z = obs.position
            x, y, z = floor(x) + spot[0], floor(y + 0.001) + spot[1], floor(z) + spot[2]
            obs = take(obs, spot)
            # Gravel that is gone has often left no flint: there may be more of it beside.
            if obs.inventory.get(ITEM, 0) == had and not gone(obs, x, y, z):
                patience = 4
        elif obs.position[1] > (12 if BLOCK == "stone" else LEVEL):
            obs = sink(obs)
        else:
            obs, heading = tunnel(obs, heading)
        if obs.steps == before:
            patience = 4
            obs = forward_attack()
