"""Thirst is about to hurt, and there is water to walk to; by night only when nothing is left."""

LOW = 2
ENOUGH = 8


def when(obs):
    if obs.sleeping or obs.drink >= ENOUGH or (obs.drink > LOW and obs.steps == 0):
        return False
    if obs.drink > 0 and 190 <= obs.time % 300 < 260:
        return False
    return way_to(obs, ("water",)) is not None
