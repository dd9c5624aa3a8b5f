ITEM = "cobblestone"
BLOCK = "stone"
QUANTITY = 1
LEVEL = 64
WAYS = ((1, 0), (0, 1), (-1, 0), (0, -1))
MANY = 40  # blocks of stone that are worth a better pickaxe
BETTER = ("stone_pickaxe", "iron_pickaxe", "golden_pickaxe", "diamond_pickaxe")
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


def effort(spot):
    """Steps to get there, about, in those that a block takes: along, two are dug for each metre,
    and up, where it is out of reach from below, three."""
    dx, dy, dz = spot
    return 2 * (abs(dx) + abs(dz)) + (3 * dy if dy > 4 else abs(dy))


def close(cell, other):
    """Whether two blocks may be of one vein."""
    return max([abs(cell[axis] - other[axis]) for axis in range(3)]) <= 3


def seek(obs, passed):
    """The one of the nearest that is got at soonest, of no vein in ``passed`` and not by lava."""
    x, y, z = cell_of(obs)
    but, best = [], None
    for _ in range(12):
        spot = find(obs, BLOCK, 8, but)
        if spot is None:
            break
        but.append(spot)
        cell = (x + spot[0], y + spot[1], z + spot[2])
        if beside_lava(obs, spot) or any([close(cell, other) for other in passed]):
            continue
        if best is None or effort(spot) < effort(best):
            best = spot
    return best


def towards(obs, ax, az):
    """A block on through the rock, or round what is not safe. Straight on is quicker than by turns
    along both axes."""
    here = cell_of(obs)
    for way in ((ax, 0), (0, az)):
        sx, sz = max(-1, min(1, way[0])), max(-1, min(1, way[1]))
        if sx or sz:
            obs = drive(obs, sx, sz)
            if cell_of(obs) != here:
                return obs
    return obs


def off(obs):
    """Beside what lies straight below, where it is not safe to dig under the feet."""
    here = cell_of(obs)
    for sx, sz in WAYS:
        obs = drive(obs, sx, sz)
        if cell_of(obs) != here:
            return obs
    return obs


def come_near(obs, ax, ay, az):
    """A step towards a block: down first, under it if it is higher than the head."""
    if ax == 0 and az == 0 and ay < 0:
        return sink(obs) if may_sink(obs) else off(obs)
    if ay < -1 and may_sink(obs):
        return sink(obs)
    return towards(obs, ax, az)


def in_reach(obs, ax, ay, az):
    if ax == 0 and az == 0:
        return 2 <= ay <= 4
    if -3 <= ay < -1 and abs(ax) + abs(az) == 1:
        return not may_sink(obs)
    return abs(ax) + abs(az) <= 2 and -1 <= ay <= (2 if abs(ax) + abs(az) == 1 else 1)


def beside(obs):
    """Another of the block that can be dug from here, or None."""
    for dx in range(-2, 3):
        for dz in range(-2, 3):
            for dy in (-1, 0, 1, 2, 3):
                if obs.block(dx, dy, dz) != BLOCK or not in_reach(obs, dx, dy, dz):
                    continue
                if not beside_lava(obs, (dx, dy, dz)):
                    return (dx, dy, dz)
    return None


def take(obs, spot, wanted):
    """Get near the block, dig it and those beside it, and go where they drop."""
    here = cell_of(obs)
    x, y, z = here[0] + spot[0], here[1] + spot[1], here[2] + spot[2]
    ways = 0
    for _ in range(24):
        here, had = cell_of(obs), obs.inventory.get(ITEM, 0)
        ax, ay, az = x - here[0], y - here[1], z - here[2]
        if max(abs(ax), abs(ay), abs(az)) > 8 or obs.block(ax, ay, az) != BLOCK:
            return obs
        if beside_lava(obs, (ax, ay, az)):
            return obs
        if in_reach(obs, ax, ay, az) or ways > 2:
            return dig_all(obs, (ax, ay, az), wanted)
        if ax == 0 and az == 0 and not may_sink(obs):
            ways += 1
        obs = come_near(obs, ax, ay, az)
        if cell_of(obs) == here and obs.inventory.get(ITEM, 0) == had:
            ways += 1
            obs = travel(obs, ax, az, 150, ay - 1 if ay > 1 else ay)
            if cell_of(obs) == here:
                ways = 3
    return obs


def dig_all(obs, spot, wanted):
    """Dig the block, then others that are in reach, as many as are wanted; what drops cannot be
    picked up at once, so that is done last."""
    had = obs.inventory.get(ITEM, 0)
    dug = []
    while spot is not None and had + len(dug) < wanted and len(dug) < 8:
        x, y, z = cell_of(obs)
        dx, dy, dz = spot
        obs = dig_at(hold_for(obs, BLOCK), dx, dy, dz)
        if cell_of(obs) == (x, y, z) and obs.block(dx, dy, dz) == BLOCK:
            break
        dug.append((x + dx, y + dy, z + dz))
        spot = beside(obs)
    obs, aside = go_where(obs, dug, had + len(dug), 1.3)
    for _ in range(12):
        if obs.inventory.get(ITEM, 0) >= had + len(dug):
            return obs
        obs = noop()
    return go_where(obs, aside, had + len(dug), 0.0)[0]


def go_where(obs, cells, enough, far):
    """To cells that are farther than ``far`` or lower, until there is enough; what is nearer comes
    by itself. The observation, and the cells that one has not gone to."""
    rest = []
    for x, y, z in cells:
        ax, az = x + 0.5 - obs.position[0], z + 0.5 - obs.position[2]
        down = y - cell_of(obs)[1]
        if obs.inventory.get(ITEM, 0) >= enough:
            break
        if max(abs(ax), abs(az)) > far or down < 0:
            obs = travel(obs, ax, az, 40, down)
        else:
            rest.append((x, y, z))
    return obs, rest


def gone(obs, cell):
    x, y, z = cell_of(obs)
    dx, dy, dz = cell[0] - x, cell[1] - y, cell[2] - z
    return max(abs(dx), abs(dy), abs(dz)) < 8 and obs.block(dx, dy, dz) != BLOCK


def tunnel(obs, heading, been):
    """On at the same level, round what is not safe; where one has been, last. The observation and
    the heading, which a step to the side does not change: else one would come back beside the old
    tunnel, where there is little that was not seen."""
    here = cell_of(obs)
    been[here] = True
    if here[1] < 5:  # there is no bedrock from there on
        obs = stair_up(obs)
        if cell_of(obs) != here:
            return obs, heading
    ways = [(heading + turned) % 4 for turned in (0, 1, 3, 2)]
    behind = [(here[0] + sx, here[1], here[2] + sz) in been for sx, sz in WAYS]
    for way in [way for way in ways if not behind[way]] + [way for way in ways if behind[way]]:
        obs = drive(obs, WAYS[way][0], WAYS[way][1])
        if cell_of(obs) != here:
            return obs, way if way == ways[3] else heading
    sx, sz = WAYS[heading]
    return travel(obs, sx * 6.0, sz * 6.0, 60), (heading + 1) % 4


def sharpen(obs):
    """Make a stone pickaxe, which takes 12 steps for a block and not 23, of wood that is left."""
    if obs.inventory.get("cobblestone", 0) < 3 or not obs.inventory.get("crafting_table", 0):
        return obs
    if obs.inventory.get("stick", 0) < 2:
        if obs.inventory.get("planks", 0) < 2:
            obs = craft("planks")
        obs = craft("stick")
    if obs.inventory.get("stick", 0) < 2:
        return obs
    for sx, sz in WAYS:
        obs = dig_at(obs, sx, 0, sz)
        if obs.block(sx, 0, sz) == "air":
            obs = place_at(obs, "crafting_table", sx, 0, sz)
        if not obs.inventory.get("crafting_table", 0):
            return take_along(craft("stone_pickaxe"))
    return obs


def action(obs):
    obs = take_along(obs)
    wanted = obs.inventory.get(ITEM, 0) + QUANTITY
    heading = floor(obs.position[0] + obs.position[2]) % 4
    failed, passed, been = [], [], {}
    sharp = BLOCK != "stone" or any([obs.inventory.get(tool, 0) for tool in BETTER])
    patience = 0
    while obs.inventory.get(ITEM, 0) < wanted:
        had, before = obs.inventory.get(ITEM, 0), obs.steps
        if not sharp and had >= 3:
            sharp = True
            obs = sharpen(obs) if wanted - had > MANY else obs
        spot = None if BLOCK == "stone" or patience > 0 else seek(obs, passed)
        patience = max(0, patience - 1)
        if spot is not None:
            here = cell_of(obs)
            cell = (here[0] + spot[0], here[1] + spot[1], here[2] + spot[2])
            obs = take(obs, spot, wanted)
            # Gravel that is gone has often left no flint: there may be more of it beside.
            if obs.inventory.get(ITEM, 0) == had and not gone(obs, cell):
                patience = 4
                if any([close(cell, other) for other in failed]):
                    passed.append(cell)
                failed.append(cell)
        elif obs.position[1] > (12 if BLOCK == "stone" else LEVEL):
            obs = sink(obs)
        else:
            obs, heading = tunnel(obs, heading, been)
        if obs.steps == before:
            patience = 4
            obs = forward_attack()
