"""A place that nothing can enter: two cells, or four, with stones in all gaps."""

SOFT = ("stone", "coal", "iron", "diamond")
WALLS = (
    "stone",
    "coal",
    "iron",
    "diamond",
    "water",
    "tree",
    "table",
    "furnace",
    "lava",
    "void",
    "plant",
    "ripe plant",
)


def can_dig(obs, thing):
    if thing == "stone" or thing == "coal":
        return "wood_pickaxe" in obs.inventory
    return False


def shapes(x, y):
    return (
        [(x, y), (x + 1, y)],
        [(x, y), (x, y + 1)],
        [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)],
    )


def gaps_of(obs, cells):
    """((cell), (direction)) of each side that is open; cells relative to the player."""
    found = []
    for x, y in cells:
        for dx, dy in DIRECTIONS:
            if (x + dx, y + dy) not in cells and obs.cell(x + dx, y + dy) not in WALLS:
                found.append((x, y, dx, dy))
    return found


def cost_of(obs, cells):
    """Steps that it takes to close these cells, or None where that cannot be done."""
    digs, spare = 0, obs.inventory.get("stone", 0)
    for x, y in cells:
        thing = obs.cell(x, y)
        if can_dig(obs, thing):
            digs = digs + 1
            if thing == "stone":
                spare = spare + 1
        elif thing not in WALKABLE and (x != 0 or y != 0):
            return None
    gaps = gaps_of(obs, cells)
    wet = 6 if at_water(obs, cells) else 0
    if len(gaps) > min(spare, 9):
        return None
    for x, y, dx, dy in gaps:
        if (x - dx, y - dy) not in cells:
            return None
    return abs(cells[0][0]) + abs(cells[0][1]) + 2 * digs + 3 * len(gaps) - wet


def at_water(obs, cells):
    for x, y in cells:
        for dx, dy in DIRECTIONS:
            if obs.cell(x + dx, y + dy) == "water":
                return True
    return False


def find_shelter(obs):
    """Cells, from the start, that are closed soonest; [] where none can be."""
    best, least = [], 1000
    for x in range(-3, 3):
        for y in range(-2, 2):
            if abs(x) + abs(y) - 6 > least:
                continue
            for cells in shapes(x, y):
                cost = cost_of(obs, cells)
                if cost is not None and cost < least:
                    best, least = cells, cost
    px, py = obs.position
    return [(x + px, y + py) for x, y in best]


def seal(obs, home):
    """Close the cells of ``home`` around us. Look at enclosed() whether it worked."""
    last = obs.steps + 60
    while obs.steps < last:
        obs = guard(obs)
        px, py = obs.position
        cells = [(x - px, y - py) for x, y in home]
        if (0, 0) not in cells:
            way = way_onto(obs, home)
            if way is None:
                return obs
            obs = advance(obs, way.dx, way.dy)
            continue
        dig = [(x, y) for x, y in cells if abs(x) + abs(y) == 1 and obs.cell(x, y) not in WALKABLE]
        if dig:
            obs = advance(obs, dig[0][0], dig[0][1])
            continue
        gaps = gaps_of(obs, cells)
        if not gaps:
            return obs
        fx, fy = obs.facing
        if (fx, fy) not in cells and obs.cell(fx, fy) not in WALLS:
            if obs.cell(fx, fy) not in WALKABLE:
                obs = do()
            elif obs.inventory.get("stone", 0):
                obs = place_stone()
            else:
                return obs
            continue
        x, y, dx, dy = gaps[0]
        for gap in gaps:
            if (gap[0] - gap[2], gap[1] - gap[3]) not in cells:
                if obs.cell(gap[0] + gap[2], gap[1] + gap[3]) in WALKABLE:
                    return obs  # not from inside: another place
            if (gap[0] - gap[2], gap[1] - gap[3]) == (0, 0):
                x, y, dx, dy = gap
        if (x, y) == (0, 0) and obs.cell(dx, dy) not in WALKABLE:
            obs = move(obs, dx, dy)
            continue
        x, y = x - dx, y - dy  # stand there, then one step on faces the gap
        if (x, y) == (0, 0):
            obs = move(obs, dx, dy)
        elif x != 0 and (floor(x / abs(x)), 0) in cells:
            obs = move(obs, x, 0)
        else:
            obs = move(obs, 0, y)
    return obs


def enclosed(obs):
    """Whether nothing can walk to us."""
    seen = [(0, 0)]
    for x, y in seen:
        for dx, dy in DIRECTIONS:
            cell = (x + dx, y + dy)
            if cell not in seen and obs.cell(cell[0], cell[1]) not in WALLS:
                if len(seen) > 6:
                    return False
                seen.append(cell)
    return True


def rest(obs, deep):
    """Sleep in a closed place, until it is day and we are well."""
    while enclosed(obs):
        if obs.sleeping:
            obs = noop()
            continue
        if obs.drink <= 6:
            way = way_to(obs, ("water",))
            if way is not None and way.cost == 0:
                obs = use_once(obs, way)
                continue
        starving = obs.food == 0 or obs.drink == 0
        if starving and (obs.health <= 3 or not night(obs)):
            return obs
        if (deep or not night(obs)) and obs.health >= RESTED and obs.energy >= 7:
            waiting = near_creatures(obs, "zombie", 9)
            if not waiting or 30 < obs.time % DAY < 150:
                return obs
        obs = sleep() if obs.energy < 9 else noop()
    return obs


def shelter(obs, deep=False):
    """Close a place around us and rest in it. Gives up where there is no such place in view."""
    if not enclosed(obs):
        home = find_shelter(obs)
        if not home:
            return stock(obs)
        obs = seal(obs, home)
    return rest(obs, deep)
