"""Schedules the updates of a changed block and its neighbours."""

import math

from voxeldojo.engine.chance import unit
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import AIR, block_at, meta_at
from voxeldojo.engine.motion.scheduled import (
    BURN,
    DECAY,
    DROP_OFF,
    FALL,
    FLOW,
    LIGHT,
    MIX,
    RANDOM,
    schedule,
)
from voxeldojo.engine.motion.standing import is_lava, is_water, stays
from voxeldojo.engine.motion.table import FALLS, GROWS, LEAVES, LOGS, STANDS
from voxeldojo.engine.state import NETHER

GRASS, FIRE, FALL_DELAY, WATER_DELAY = 2, 51, 2, 5
CHANCE_OF_TICK = 3.0 / 4096.0  # of a random tick, for a block in a tick: randomTickSpeed is 3
KEEPS_LEAVES, KEEPS_NEIGHBOURS = 4, 1


@kernel
def random_delay(player):
    """Ticks until a block's next random tick."""
    return 1 + int(math.log(1.0 - unit(player)) / math.log(1.0 - CHANCE_OF_TICK))


@kernel
def lava_delay(state, w):
    return 10 if state.players[w].dimension == NETHER else 30


@kernel
def falls_through(block):
    """Whether sand falls through a block: air, fire and fluids."""
    return block in (AIR, FIRE, 8, 9, 10, 11)


@kernel
def wake(state, rules, w, x, y, z, old):
    """The block at a place changed from ``old``: schedule what follows."""
    wake_one(state, w, x, y, z)
    wake_one(state, w, x, y + 1, z)
    wake_one(state, w, x, y - 1, z)
    wake_one(state, w, x - 1, y, z)
    wake_one(state, w, x + 1, y, z)
    wake_one(state, w, x, y, z - 1)
    wake_one(state, w, x, y, z + 1)
    player = state.players[w]
    block = block_at(state, w, x, y, z)
    if GROWS[block]:
        schedule(state, w, x, y, z, random_delay(player), RANDOM)
    if block == FIRE:
        schedule(state, w, x, y, z, 0, LIGHT)
        schedule(state, w, x, y, z, 30 + int(10.0 * unit(player)), BURN)
    if rules.opacity[block] > 2 and block_at(state, w, x, y - 1, z) == GRASS:
        schedule(state, w, x, y - 1, z, random_delay(player), RANDOM)
    if LOGS[old] and not LOGS[block]:
        loosen(state, w, x, y, z, KEEPS_LEAVES)
    elif LEAVES[old] and not LEAVES[block]:
        loosen(state, w, x, y, z, KEEPS_NEIGHBOURS)


@kernel
def wake_one(state, w, x, y, z):
    block = block_at(state, w, x, y, z)
    if is_water(block):
        schedule(state, w, x, y, z, WATER_DELAY, FLOW)
    elif is_lava(block):
        schedule(state, w, x, y, z, 0, MIX)
        schedule(state, w, x, y, z, lava_delay(state, w), FLOW)
    elif FALLS[block]:
        if falls_through(block_at(state, w, x, y - 1, z)) and y > 0:
            schedule(state, w, x, y, z, FALL_DELAY, FALL)
    elif STANDS[block] and not stays(state, w, x, y, z):
        schedule(state, w, x, y, z, 0, DROP_OFF)


@kernel
def loosen(state, w, x, y, z, reach):
    """Leaves around may have lost their tree: each is checked at its next random tick."""
    player = state.players[w]
    for dx in range(-reach, reach + 1):
        for dz in range(-reach, reach + 1):
            for dy in range(-reach, reach + 1):
                if LEAVES[block_at(state, w, x + dx, y + dy, z + dz)] and (
                    meta_at(state, w, x + dx, y + dy, z + dz) & 4 == 0
                ):
                    schedule(state, w, x + dx, y + dy, z + dz, random_delay(player), DECAY)
