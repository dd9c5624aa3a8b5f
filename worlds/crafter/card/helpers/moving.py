"""One step in a direction, and the way to a thing."""

WALKABLE = ("grass", "sand", "path")
DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1))


def move(obs, dx, dy):
    """Face that way, and go one cell on where it is free. Never into lava."""
    if obs.cell(dx, dy) == "lava":
        return noop()
    if dx < 0:
        return move_left()
    if dx > 0:
        return move_right()
    if dy < 0:
        return move_up()
    return move_down()


def face(obs, dx, dy):
    """Face a neighbouring cell that is not free."""
    if obs.facing != (dx, dy):
        obs = move(obs, dx, dy)
    return obs


def advance(obs, dx, dy):
    """One step of the way: what stands in it is dug, bridged or hit."""
    ahead = obs.cell(dx, dy)
    if ahead in WALKABLE or obs.facing != (dx, dy):
        return move(obs, dx, dy)
    if ahead == "water":
        return place_stone()
    return do()


def walk(obs, way, deep=False):
    """One step of a way that way_to() found, with an eye on what lives around."""
    obs2 = live(obs, deep)
    if obs2.steps != obs.steps:
        return obs2
    return advance(obs, way.dx, way.dy)


def explore(obs, near=()):
    """One step towards where something new comes into view."""
    way = None
    if near:
        way = way_to_unknown(obs, near)
    if way is None:
        way = way_to_unknown(obs, ())
    if way is None:
        return noop()
    return walk(obs, way, near != ())
