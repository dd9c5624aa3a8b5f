"""Blocks that break when their support is removed, and the decay of leaves (BlockLeaves)."""

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import AIR, block_at, meta_at, side_x, side_z
from voxeldojo.engine.hands.items import drop_loot
from voxeldojo.engine.motion.standing import stays
from voxeldojo.engine.motion.table import LEAVES, LOGS, STANDS

DIRT, FARMLAND, GRASS_PATH, FIRE, PORTAL = 3, 60, 208, 51, 90
REACH = 4  # blocks of leaves to a log, at most; leaves further away decay
SIDE = 2 * REACH + 1


@kernel
def break_off(state, rules, w, x, y, z):
    """Break a block without the player: its loot drops."""
    block = block_at(state, w, x, y, z)
    meta = meta_at(state, w, x, y, z)
    set_block(state, rules, w, x, y, z, AIR, 0)
    drop_loot(state, rules, w, x, y, z, block, meta, 0)


@kernel
def drop_off(state, rules, w, x, y, z):
    """Break a block that has lost its support; farmland under a block becomes dirt."""
    block = block_at(state, w, x, y, z)
    if STANDS[block] == 0 or stays(state, w, x, y, z):
        return
    if block in (FARMLAND, GRASS_PATH):
        set_block(state, rules, w, x, y, z, DIRT, 0)
    elif block in (FIRE, PORTAL):
        set_block(state, rules, w, x, y, z, AIR, 0)
    else:
        break_off(state, rules, w, x, y, z)


@kernel
def decay(state, rules, w, x, y, z):
    """Remove leaves without a log within four leaves."""
    withers = LEAVES[block_at(state, w, x, y, z)] and meta_at(state, w, x, y, z) & 4 == 0
    if withers and not reaches_log(state, w, x, y, z):
        break_off(state, rules, w, x, y, z)


@kernel
def reaches_log(state, w, x, y, z):
    """Search outwards leaf by leaf, with the rings of light as scratch."""
    seen = state.queues[w, 1]
    waiting = state.queues[w, 0]
    for number in range(SIDE * SIDE * SIDE):
        seen[number] = 0
    here = (REACH * SIDE + REACH) * SIDE + REACH
    seen[here] = 1
    waiting[0] = here
    first = 0
    end = 1
    while first < end:
        place = int(waiting[first])
        first += 1
        dx = place // (SIDE * SIDE) - REACH
        dz = place // SIDE % SIDE - REACH
        dy = place % SIDE - REACH
        for side in range(6):
            nx = dx + side_x(side)
            nz = dz + side_z(side)
            ny = dy + (1 if side == 4 else (-1 if side == 5 else 0))
            if max(abs(nx), abs(ny), abs(nz)) > REACH:
                continue
            block = block_at(state, w, x + nx, y + ny, z + nz)
            if LOGS[block]:
                return True
            near = ((nx + REACH) * SIDE + nz + REACH) * SIDE + ny + REACH
            if LEAVES[block] and seen[near] == 0 and seen[place] < REACH:
                seen[near] = seen[place] + 1
                waiting[end] = near
                end += 1
    return False
