"""The flow of water and lava, as in Minecraft 1.11.2 (BlockDynamicLiquid).

Metadata 0 is a source, 1 to 7 are lower levels on the way, 8 and more is falling. A block of fluid
is updated when a neighbour changed, after 5 ticks for water and 30 (in the Nether 10) for lava;
generated fluids are still until then.
"""

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.chance import below as draw
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import AIR, block_at, meta_at, side_x, side_z
from voxeldojo.engine.hands.items import drop_loot
from voxeldojo.engine.motion.scheduled import FLOW, schedule
from voxeldojo.engine.motion.standing import is_lava, is_water
from voxeldojo.engine.motion.table import DAM, SOLID
from voxeldojo.engine.motion.waking import lava_delay
from voxeldojo.engine.state import NETHER

FLOWING_WATER, FLOWING_LAVA, STONE, COBBLESTONE, OBSIDIAN = 8, 10, 1, 4, 49
FAR = 1000
AROUND = 11  # blocks along the side of the area in which a way to a drop is searched for


@kernel
def depth(state, w, x, y, z, lava):
    """The metadata of a block of the fluid, -1 if it is another block."""
    block = block_at(state, w, x, y, z)
    if is_lava(block) if lava else is_water(block):
        return meta_at(state, w, x, y, z)
    return -1


@kernel
def mix(state, rules, w, x, y, z):
    """Lava hardens if water touches it from above or from the side."""
    if not is_lava(block_at(state, w, x, y, z)):
        return False
    wet = is_water(block_at(state, w, x, y + 1, z))
    for side in range(4):
        wet = wet or is_water(block_at(state, w, x + side_x(side), y, z + side_z(side)))
    meta = meta_at(state, w, x, y, z)
    if not wet or meta > 4:
        return False
    set_block(state, rules, w, x, y, z, OBSIDIAN if meta == 0 else COBBLESTONE, 0)
    return True


@kernel
def level_from_neighbours(state, w, x, y, z, lava, step):
    """The metadata that a flowing block should have, -1: it dries up."""
    least = -100
    sources = 0
    for side in range(4):
        level = depth(state, w, x + side_x(side), y, z + side_z(side), lava)
        if level < 0:
            continue
        if level == 0:
            sources += 1
        if level >= 8:
            level = 0
        least = level if least < 0 else min(least, level)
    level = least + step
    if level >= 8 or least < 0:
        level = -1
    above = depth(state, w, x, y + 1, z, lava)
    if above >= 0:
        level = above if above >= 8 else above + 8
    if sources >= 2 and not lava:
        under = block_at(state, w, x, y - 1, z)
        if SOLID[under] or (is_water(under) and meta_at(state, w, x, y - 1, z) == 0):
            level = 0
    return level


@kernel
def can_enter(state, w, x, y, z, lava):
    block = block_at(state, w, x, y, z)
    if is_lava(block) or DAM[block]:
        return False
    return lava or not is_water(block)


@kernel
def enter(state, rules, w, x, y, z, lava, level):
    """The fluid flows into a cell; a block there is washed away or burnt."""
    if not can_enter(state, w, x, y, z, lava):
        return
    block = block_at(state, w, x, y, z)
    meta = meta_at(state, w, x, y, z)
    set_block(state, rules, w, x, y, z, FLOWING_LAVA if lava else FLOWING_WATER, level)
    if block != AIR and not lava:
        drop_loot(state, rules, w, x, y, z, block, meta, 0)


@kernel
def passable(state, w, x, y, z, lava):
    """Whether a way to a drop can lead through a block."""
    if DAM[block_at(state, w, x, y, z)]:
        return False
    return depth(state, w, x, y, z, lava) != 0


@kernel
def steps_to_drop(state, w, x, y, z, lava, back, limit):
    """How many blocks away the nearest drop is, without going through the side ``back``; FAR if
    more than ``limit``. It uses the rings of light as scratch."""
    seen = state.queues[w, 1]
    waiting = state.queues[w, 0]
    for number in range(AROUND * AROUND):
        seen[number] = 0
    middle = (AROUND // 2) * AROUND + AROUND // 2
    seen[middle] = 1
    seen[middle + side_x(back) * AROUND + side_z(back)] = 1
    waiting[0] = middle
    first = 0
    end = 1
    while first < end:
        place = int(waiting[first])
        first += 1
        steps = int(seen[place])
        for side in range(4):
            near = place + side_x(side) * AROUND + side_z(side)
            nx = x + near // AROUND - AROUND // 2
            nz = z + near % AROUND - AROUND // 2
            if seen[near] != 0 or not passable(state, w, nx, y, nz, lava):
                continue
            if not DAM[block_at(state, w, nx, y - 1, nz)]:
                return steps
            seen[near] = steps + 1
            if steps < limit:
                waiting[end] = near
                end += 1
    return FAR


@kernel
def spread_out(state, rules, w, x, y, z, lava, level, limit):
    """Flow to the sides that are nearest to a drop, or to all."""
    least = FAR
    chosen = 0
    for side in range(4):
        nx = x + side_x(side)
        nz = z + side_z(side)
        if not passable(state, w, nx, y, nz, lava):
            continue
        steps = 0
        if DAM[block_at(state, w, nx, y - 1, nz)]:
            steps = steps_to_drop(state, w, nx, y, nz, lava, side ^ 1, limit)
        if steps < least:
            chosen = 0
        if steps <= least:
            chosen |= 1 << side
            least = steps
    for side in range(4):
        if chosen & (1 << side):
            enter(state, rules, w, x + side_x(side), y, z + side_z(side), lava, level)


@kernel
def flow(state, rules, w, x, y, z):
    """Update one block of a fluid."""
    block = block_at(state, w, x, y, z)
    lava = is_lava(block)
    if not lava and not is_water(block):
        return
    slow = lava and state.players[w].dimension != NETHER
    step = 2 if slow else 1
    level = meta_at(state, w, x, y, z)
    if level > 0:
        new = level_from_neighbours(state, w, x, y, z, lava, step)
        if new != level:
            if new < 0:
                set_block(state, rules, w, x, y, z, AIR, 0)
            else:
                sinks = lava and level < 8 and new < 8 and new > level
                if sinks and draw(state.players[w], 4) != 0:
                    # Lava recedes more slowly.
                    schedule(state, w, x, y, z, 4 * lava_delay(state, w), FLOW)
                set_block(state, rules, w, x, y, z, FLOWING_LAVA if lava else FLOWING_WATER, new)
            level = new
            if level < 0:
                return
    under = block_at(state, w, x, y - 1, z)
    if can_enter(state, w, x, y - 1, z, lava):
        if lava and is_water(under):
            set_block(state, rules, w, x, y - 1, z, STONE, 0)
            return
        enter(state, rules, w, x, y - 1, z, lava, level if level >= 8 else level + 8)
    elif level == 0 or DAM[under]:
        next_level = 1 if level >= 8 else level + step
        if next_level < 8:
            spread_out(state, rules, w, x, y, z, lava, next_level, 2 if slow else 4)
