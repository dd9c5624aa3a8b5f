"""Where it rains: World.isRainingAt, by the weather, the sky and the biome."""

from voxeldojo.engine.compiling.kernels import entry_kernel
from voxeldojo.engine.grid import biome_at, held
from voxeldojo.engine.motion.light import sky_light
from voxeldojo.engine.state import CLEAR, OVERWORLD

SNOWS = 0.15  # degrees of a biome's temperature below which it snows instead


@entry_kernel
def rains_at(state, rules, w, x, y, z):
    """Whether rain falls on a place. In deserts, savannas and mesas it never does, and where it is
    cold it snows, which wets nothing."""
    player = state.players[w]
    if player.weather == CLEAR or player.dimension != OVERWORLD or not held(state, w, x, z):
        return False
    biome = rules.biome[biome_at(state, w, x, z)]
    rainy = biome.rainfall > 0.0 and biome.temperature >= SNOWS
    return rainy and sky_light(state, w, x, y, z) == 15
