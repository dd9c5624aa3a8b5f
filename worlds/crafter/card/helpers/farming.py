"""A plant behind walls: what eats or tramples it cannot come beside it."""


def wall(obs, x, y):
    """Put a stone on the cell (x, y), from the start, unless something stands there."""
    last = obs.steps + 60
    while obs.steps < last:
        obs = live(obs)
        px, py = obs.position
        if obs.cell(x - px, y - py) in WALLS:
            return obs
        if (px + obs.facing[0], py + obs.facing[1]) == (x, y):
            if obs.inventory.get("stone", 0) == 0:
                return obs
            obs = place_stone() if obs.cell(x - px, y - py) in WALKABLE else do()
            continue
        runs = []
        for dx, dy in DIRECTIONS:
            stand = (x - dx - px, y - dy - py)
            behind = (stand[0] - dx, stand[1] - dy)
            if behind == (0, 0) and obs.cell(stand[0], stand[1]) in WALKABLE:
                runs = [(dx, dy)]
                break
        if runs:
            obs = move(obs, runs[0][0], runs[0][1])
            continue
        starts = []
        for dx, dy in DIRECTIONS:
            stand = (x - dx, y - dy)
            behind = (stand[0] - dx, stand[1] - dy)
            if (
                obs.cell(stand[0] - px, stand[1] - py) in WALKABLE
                and obs.cell(behind[0] - px, behind[1] - py) in WALKABLE
            ):
                starts.append(behind)
        way = way_onto(obs, starts) if starts else None
        if way is None:
            return obs
        obs = advance(obs, way.dx, way.dy)
    return obs


def garden(obs):
    """Cell for a plant and the direction from which it is planted; None where there is none."""
    best, least = None, 100
    for x in range(-3, 4):
        for y in range(-2, 3):
            if obs.cell(x, y) != "grass":
                continue
            around = [d for d in DIRECTIONS if obs.cell(x + d[0], y + d[1]) not in WALLS]
            for dx, dy in DIRECTIONS:
                lane = [obs.cell(x - dx * k, y - dy * k) in WALKABLE for k in (1, 2, 3)]
                cost = 8 * len(around) + abs(x) + abs(y)
                if all(lane) and cost < least:
                    best, least = (x, y, dx, dy), cost
    return best


def plant(obs):
    """Plant a sapling and wall it in. Needs a sapling and four stones."""
    spot = garden(obs)
    if spot is None:
        way = way_to(obs, ("grass",))
        if way is None or way.cost == 0:
            return explore(obs, ("grass",))
        return walk(obs, way)
    px, py = obs.position
    x, y, dx, dy = spot[0] + px, spot[1] + py, spot[2], spot[3]
    for sx, sy in DIRECTIONS:
        if (sx, sy) != (-dx, -dy):
            obs = wall(obs, x + sx, y + sy)
    last = obs.steps + 60
    while obs.steps < last:
        obs = live(obs)
        px, py = obs.position
        if (px, py) == (x - dx, y - dy) and obs.facing == (dx, dy):
            obs = place_plant()
            break
        if (px, py) == (x - 2 * dx, y - 2 * dy):
            obs = move(obs, dx, dy)
            continue
        way = way_onto(obs, [(x - 2 * dx, y - 2 * dy)])
        if way is None:
            return obs
        obs = advance(obs, way.dx, way.dy)
    return wall(obs, x - dx, y - dy)


def harvest(obs):
    """Wait near the plant until it is ripe, and eat it."""
    for _ in range(600):
        obs = live(obs)
        way = way_to(obs, ("ripe plant",))
        if way is not None:
            obs = use_once(obs, way)
            if way.cost == 0:
                return obs
            continue
        way = way_to(obs, ("plant",))
        if way is None:
            return obs
        if way.cost > 6:
            obs = advance(obs, way.dx, way.dy)
        elif enclosed(obs):
            obs = noop()
        else:
            home = find_shelter(obs)
            obs = seal(obs, home) if home else stock(noop())
    return obs
