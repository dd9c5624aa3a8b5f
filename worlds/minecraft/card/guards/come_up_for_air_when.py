"""Air runs out; until there is enough of it for another dive."""

LOW = 150
ENOUGH = 300


def when(obs):
    return obs.oxygen < LOW or (obs.steps > 0 and obs.oxygen < ENOUGH)
