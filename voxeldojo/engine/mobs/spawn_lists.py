"""The lists of mobs that spawn by themselves, how many more of a list can, and how near the player.

Limits and distances are those of WorldEntitySpawner and EnumCreatureType.
"""

import numpy as np

from voxeldojo.engine.chance import below
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.mobs.kinds import BAT, ENDERMAN, OCELOT
from voxeldojo.engine.mobs.table import (
    AMBIENTS,
    CREATURES,
    HOSTILE,
    MONSTERS,
    PASSIVE,
    WATERS,
)
from voxeldojo.engine.state import MOBS, OVERWORLD
from voxeldojo.engine.structures.places import landscape

NEAREST = 24.0  # metres from the player, at least
CHUNKS = 289  # number of chunks (17 x 17) that the game's limits are for
LIMITS = np.array([10, 70, 5, 15], np.int64)  # creatures, monsters, water mobs, ambient mobs
FEWEST = np.array([4, 6, 2, 2], np.int64)  # the limits of a small window, at least


@kernel
def list_of(state, rules, w, kind):
    """The limit that a kind counts towards. Ocelots and endermen are on the monsters' lists; but
    the recorded results are of an overworld whose endermen count as animals."""
    entry = rules.mob[kind]
    if kind == BAT:
        return AMBIENTS
    if entry.swims == 1 and entry.nature == PASSIVE:
        return WATERS
    if kind == ENDERMAN:
        return CREATURES if landscape(state, w) == OVERWORLD else MONSTERS
    if entry.nature == HOSTILE or kind == OCELOT:
        return MONSTERS
    return MONSTERS if entry.undead == 1 and entry.nature != PASSIVE else CREATURES


@kernel
def room_for(state, rules, w, column):
    """How many more mobs of a list the window can have. Monsters that never despawn do not count:
    World.countEntities."""
    area = state.blocks.shape[1]
    limit = max(FEWEST[column], LIMITS[column] * area * area // (256 * CHUNKS))
    count = 0
    there = 0
    for number in range(state.players[w].mobs):
        mob = state.mobs[w, number]
        if mob.kind != 0:
            there += 1
            lasts = column == MONSTERS and mob.stays == 1
            if list_of(state, rules, w, mob.kind) == column and not lasts:
                count += 1
    return min(limit - count, MOBS - 8 - there)


@kernel
def draw_row(state, rules, w, biome, column):
    """A row of a spawn list by weight, -1 if the list is empty."""
    first = rules.spawn_lists[biome, column, 0]
    count = rules.spawn_lists[biome, column, 1]
    total = 0
    for row in range(first, first + count):
        total += rules.spawns[row].weight
    if total == 0:
        return -1
    draw = below(state.players[w], total)
    for row in range(first, first + count):
        draw -= rules.spawns[row].weight
        if draw < 0:
            return row
    return -1


@kernel
def far_enough(state, w, x, y, z):
    player = state.players[w]
    dx = x + 0.5 - player.x
    dy = y - player.y
    dz = z + 0.5 - player.z
    return dx * dx + dy * dy + dz * dz >= NEAREST * NEAREST
