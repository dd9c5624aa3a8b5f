"""Beds: sleeping the night away."""

from voxeldojo.engine.body.clock import DAY, darkness
from voxeldojo.engine.compiled import entry_kernel, kernel
from voxeldojo.engine.state import CLEAR, OVERWORLD

ASLEEP = 100  # ticks until one who lies down sleeps deeply enough for it to be morning
DIM = 4  # what must be off the sky's light for the player to lie down


@entry_kernel
def lie_down(state, w, x, y, z):
    """The player uses the bed at (x, y, z): it becomes its start, and by night it sleeps. False:
    it is day, or there is no sleep in this dimension."""
    player = state.players[w]
    if player.dimension != OVERWORLD or darkness(state, w) < DIM:
        return False
    player.spawn_x = x + 0.5
    player.spawn_y = y + 0.5625
    player.spawn_z = z + 0.5
    player.x = player.spawn_x
    player.y = player.spawn_y
    player.z = player.spawn_z
    player.vx = 0.0
    player.vy = 0.0
    player.vz = 0.0
    player.sleeping = 1
    return True


@kernel
def sleep(state, w):
    """One tick in bed. At last it is six o'clock in the morning, under a clear sky."""
    player = state.players[w]
    player.sleeping += 1
    if player.sleeping > ASLEEP:
        player.sleeping = 0
        if state.settings[w].time_passes == 1:
            player.time += DAY - player.time % DAY
        if player.weather != CLEAR and state.settings[w].weather_changes == 1:
            player.weather_left = 1
            player.thundering = 0
