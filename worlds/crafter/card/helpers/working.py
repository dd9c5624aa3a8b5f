"""Taking and making things."""


def gather(obs, things, item, count, near=(), patience=1500):
    """Take ``things`` until the inventory holds ``count`` of ``item``."""
    last = obs.steps + patience
    while obs.inventory.get(item, 0) < count and obs.steps < last:
        obs = live(obs, near != ())
        way = way_to(obs, things)
        obs = explore(obs, near) if way is None else use_once(obs, way)
    return obs


def put(obs, thing):
    """Place a thing on free ground beside us."""
    for _ in range(12):
        obs = live(obs)
        fx, fy = obs.facing
        ahead = obs.cell(fx, fy)
        good = ahead == "grass" if thing == "plant" else ahead in WALKABLE
        if good:
            if thing == "table":
                return place_table()
            if thing == "furnace":
                return place_furnace()
            if thing == "plant":
                return place_plant()
            return place_stone()
        moved = False
        for dx, dy in DIRECTIONS:
            if obs.cell(dx, dy) in WALKABLE and not moved:
                obs = move(obs, dx, dy)
                moved = True
        if not moved:
            obs = do() if ahead in ("stone", "tree") else move(obs, 1, 0)
    return obs


def beside(obs, thing):
    return [1 for x in (-1, 0, 1) for y in (-1, 0, 1) if obs.cell(x, y) == thing] != []


def stand_at_table(obs, far):
    """Stand at a table: a known one that is near, or a new one."""
    for _ in range(300):
        if beside(obs, "table"):
            return obs
        obs = live(obs)
        way = way_to(obs, ("table",))
        if way is not None and way.cost <= far:
            obs = advance(obs, way.dx, way.dy)
        elif obs.inventory.get("wood", 0) >= 2:
            obs = put(obs, "table")
        else:
            obs = gather(obs, ("tree",), "wood", 6)
    return obs
