"""Hunger is about to hurt, and there is something to eat to walk to."""

LOW = 2
ENOUGH = 6


def when(obs):
    if obs.sleeping or obs.food >= ENOUGH or (obs.food > LOW and obs.steps == 0):
        return False
    return way_to(obs, ("cow", "ripe plant")) is not None
