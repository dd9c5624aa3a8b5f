"""Spawning in water: squid in the sea, and guardians in ocean monuments.

In a monument's bounding box guardians are the only monsters that spawn, at any light:
ChunkGeneratorOverworld.getPossibleCreatures. Elder guardians are there from the beginning only.
Columns are tried as on land (spawning.py), in a monument's column at one of its heights.
"""

import numpy as np

from voxeldojo.engine.chance import below
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import biome_at, block_at
from voxeldojo.engine.mobs.placing import place_mob
from voxeldojo.engine.mobs.spawn_lists import draw_row, far_enough, room_for
from voxeldojo.engine.mobs.table import MONSTERS, MONUMENTS, WATERS
from voxeldojo.engine.state import OVERWORLD, SEA_LEVEL
from voxeldojo.engine.structures.catalogue import KIND_IDS
from voxeldojo.engine.structures.places import landscape, span_of

MONUMENT = KIND_IDS["monument"]
OPEN = 20  # one of 20 guardians spawns under the open sky: EntityGuardian.getCanSpawnHere
GROUPS, FOUR = 3, 4  # of one try, and the most of each and of all: WorldEntitySpawner
STRAYS = 6  # blocks to each side from one of a group to the next


@kernel
def spawn_squid(state, rules, w):
    """One try to spawn squid."""
    player = state.players[w]
    area = state.blocks.shape[1]
    x = player.west + below(player, area)
    z = player.north + below(player, area)
    y = 46 + below(player, SEA_LEVEL - 46)
    if not is_water(state, w, x, y, z) or not far_enough(state, w, x, y, z):
        return
    if not is_water(state, w, x, y - 1, z) or room_for(state, rules, w, WATERS) <= 0:
        return
    row = draw_row(state, rules, w, biome_at(state, w, x, z), WATERS)
    if row < 0:
        return
    for _ in range(1 + below(player, 4)):
        place_mob(state, rules, w, rules.spawns[row].kind, x + 0.5, y + 0.2, z + 0.5)


@kernel
def is_water(state, w, x, y, z):
    return 8 <= block_at(state, w, x, y, z) <= 9


@kernel
def monument_at(state, rules, w, x, z):
    """The lowest y, and the first above, of the ocean monument in a column; 0 and 0: none."""
    if landscape(state, w) != OVERWORLD:
        return np.int64(0), np.int64(0)
    setting = state.settings[w]
    seed = state.players[w].seed
    return span_of(rules, setting.biome, setting.generator, seed, MONUMENT, x, z)


@kernel
def spawn_guardians(state, rules, w, x, z, low, high):
    """One try to spawn some at a height of a monument's column and beside it: groups of at most
    four, three times, until there are four: WorldEntitySpawner."""
    player = state.players[w]
    room = min(FOUR, room_for(state, rules, w, MONSTERS))
    row = draw_row(state, rules, w, biome_at(state, w, x, z), MONUMENTS)
    if room <= 0 or row < 0:
        return
    y = low + below(player, high - low)
    if is_whole(state, rules, w, x, y, z):
        return
    for _ in range(GROUPS):
        gx = x
        gz = z
        for _member in range(1 + below(player, FOUR)):
            gx += below(player, STRAYS) - below(player, STRAYS)
            gz += below(player, STRAYS) - below(player, STRAYS)
            if appears(state, rules, w, gx, y, gz) and monument_at(state, rules, w, gx, gz)[1] > y:
                place_mob(state, rules, w, rules.spawns[row].kind, gx + 0.5, float(y), gz + 0.5)
                room -= 1
                if room == 0:
                    return


@kernel
def appears(state, rules, w, x, y, z):
    """Whether a guardian can spawn at a place: in water, and most of them under a roof."""
    if not is_flooded(state, rules, w, x, y, z) or not far_enough(state, w, x, y, z):
        return False
    return below(state.players[w], OPEN) == 0 or not sees_the_sky(state, rules, w, x, y, z)


@kernel
def is_whole(state, rules, w, x, y, z):
    """Whether a whole opaque block is there: Block.isNormalCube."""
    block = rules.block[block_at(state, w, x, y, z)]
    return block.solid == 1 and block.height == 1.0


@kernel
def is_flooded(state, rules, w, x, y, z):
    """Whether there is water at a place and below it, and no whole block above."""
    if is_whole(state, rules, w, x, y + 1, z):
        return False
    return is_water(state, w, x, y, z) and is_water(state, w, x, y - 1, z)


@kernel
def sees_the_sky(state, rules, w, x, y, z):
    """Whether only air, water and what is clear lies above a place: World.canBlockSeeSky."""
    for above in range(y + 1, state.players[w].ceiling + 1):
        opaque = rules.opacity[block_at(state, w, x, above, z)] > 0
        if opaque and not is_water(state, w, x, above, z):
            return False
    return True
