"""Light, sky, weather and biome at a player, as MineDojo reports them.

The light level is the greater of the sky's and of blocks' light, and the sky's is not reduced at
night: MineDojo reads the client's world, where ``World.getLight`` returns that.
"""

import math
from typing import NamedTuple

import numpy as np

from voxeldojo.engine.body.clock import daylight, sun_brightness
from voxeldojo.engine.compiling.direct_calls import direct
from voxeldojo.engine.compiling.kernels import entry_kernel
from voxeldojo.engine.grid import biome_at
from voxeldojo.engine.motion.light import block_light, sky_light
from voxeldojo.engine.state import OVERWORLD, RAIN, State
from voxeldojo.rules import BIOMES

FULL = 15.0  # light level of cells that are open to the sky
LIGHT, SEES_SKY, RAINS, SUN, SKY, BIOME = range(6)
BIOME_OF = {biome.id: biome for biome in BIOMES}


class Surroundings(NamedTuple):
    light: float  # 0..15
    sees_sky: bool
    rains: bool
    sun: float  # 0..1, what the time of day and weather leave of the sun
    sky: float  # 0.2..1, how bright the sky is drawn
    biome: int  # Minecraft's id


def surroundings(state: State, w: int) -> Surroundings:
    found = np.zeros(6)
    READ(state, w, found)
    return Surroundings(
        light=float(found[LIGHT]),
        sees_sky=bool(found[SEES_SKY]),
        rains=bool(found[RAINS]),
        sun=float(found[SUN]),
        sky=float(found[SKY]),
        biome=int(found[BIOME]),
    )


@entry_kernel
def read_surroundings(state, w, found):
    player = state.players[w]
    x = math.floor(player.x)
    # As the game rounds a place: who stands on farmland or a slab is in the cell above it.
    y = math.floor(player.y + 0.5)
    z = math.floor(player.z)
    sky = float(sky_light(state, w, x, y, z))
    found[LIGHT] = max(sky, float(block_light(state, w, x, y, z)))
    found[SEES_SKY] = 1.0 if sky == FULL else 0.0
    found[RAINS] = 1.0 if player.weather >= RAIN and player.dimension == OVERWORLD else 0.0
    found[SUN] = daylight(player, 0.5)
    found[SKY] = sun_brightness(state, w)
    found[BIOME] = float(biome_at(state, w, x, z))


READ = direct(read_surroundings)
