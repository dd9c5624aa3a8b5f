FREE = ("grass", "sand", "path")


def action(obs):
    while True:
        way = way_to(obs, ("water",))
        if way is None:
            return
        obs = towards(obs, way)


def towards(obs, way):
    """One step of the way, or one use of what is at its end. What stands in it is dug or hit."""
    dx, dy = way.dx, way.dy
    ahead = obs.cell(dx, dy)
    if ahead == "lava":
        return noop()
    if obs.facing == (dx, dy) and (way.cost == 0 or ahead not in FREE):
        return place_stone() if way.cost > 0 and ahead == "water" else do()
    if dx < 0:
        return move_left()
    if dx > 0:
        return move_right()
    if dy < 0:
        return move_up()
    return move_down()
