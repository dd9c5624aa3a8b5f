"""Tired out, with stones to close a place and nothing else that hurts; until rested."""

LOW = 1
STONES = 3


def when(obs):
    if obs.food == 0 or obs.drink == 0:
        return False
    if obs.steps > 0:
        return obs.sleeping or obs.energy < 7
    return obs.energy <= LOW and obs.inventory.get("stone", 0) >= STONES
