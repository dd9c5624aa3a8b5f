"""A creature that hurts stands beside us or shoots at us; until none is near any more."""

NEAR = 4


def when(obs):
    if obs.sleeping:
        return False
    for each in obs.creatures:
        far = abs(each.dx) + abs(each.dy)
        if each.name in ("zombie", "skeleton") and (far == 1 or (obs.steps > 0 and far <= NEAR)):
            return True
        if far <= 3 and each.name == arrow_from(each.dx, each.dy):
            return True
    return False


def arrow_from(dx, dy):
    """The arrow that comes straight at us from there."""
    if dy == 0:
        return "arrow left" if dx > 0 else "arrow right"
    if dx == 0:
        return "arrow up" if dy > 0 else "arrow down"
    return ""
