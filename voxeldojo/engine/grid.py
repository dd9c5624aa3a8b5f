"""Blocks of the window around the player: reads and writes them, and finds those beside one."""

import numpy as np

from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.state import CHANGES, END, HEIGHT, PLACED

AIR = 0
BEDROCK = 7
BARRIER = 166
CRAFTING_TABLE = 58
FURNACE = 61
LIT_FURNACE = 62
WATER_BLOCK = 9  # ``player.fluid`` is this or LAVA_BLOCK, flowing or not
LAVA_BLOCK = 11
FIRE_BLOCK = 51
CACTUS_BLOCK = 81
MAGMA_BLOCK = 213


@entry_kernel
def held(state, w, x, z):
    """Whether a column is in the window."""
    area = state.blocks.shape[1]
    player = state.players[w]
    return player.west <= x < player.west + area and player.north <= z < player.north + area


@entry_kernel
def block_at(state, w, x, y, z):
    """The block id; barrier outside the window, bedrock below the world, air below the End."""
    if y >= HEIGHT:
        return AIR
    if y < 0:
        return AIR if state.players[w].dimension == END else BEDROCK
    if not held(state, w, x, z):
        return BARRIER
    last = state.blocks.shape[1] - 1
    return np.int64(state.blocks[w, x & last, z & last, y])


@entry_kernel
def meta_at(state, w, x, y, z):
    if y >= HEIGHT or y < 0 or not held(state, w, x, z):
        return 0
    last = state.blocks.shape[1] - 1
    return np.int64(state.meta[w, x & last, z & last, y])


@kernel
def biome_at(state, w, x, z):
    """Minecraft's biome id of a column in the window."""
    last = state.blocks.shape[1] - 1
    return np.int64(state.biomes[w, x & last, z & last])


@entry_kernel
def write_block(state, w, x, y, z, block, meta):
    """Write a block to the window, without any consequences. False: it is outside."""
    if y >= HEIGHT or y < 0 or not held(state, w, x, z):
        return False
    last = state.blocks.shape[1] - 1
    state.blocks[w, x & last, z & last, y] = block
    state.meta[w, x & last, z & last, y] = meta
    return True


@entry_kernel
def log_change(state, w, x, y, z, block, meta):
    """Log what a block was before it becomes ``block``, so that a reset can undo the change and a
    window that returns can repeat it. Call it before ``write_block``."""
    player = state.players[w]
    if player.changes < CHANGES:
        change = state.changes[w, player.changes]
        change.x = x
        change.y = y
        change.z = z
        change.dimension = player.dimension
        change.block = block_at(state, w, x, y, z)
        change.meta = meta_at(state, w, x, y, z)
        change.new_block = block
        change.new_meta = meta
    player.changes += 1
    player.ceiling = max(player.ceiling, y)
    last = state.blocks.shape[1] - 1
    state.strayed[w, (x & last) >> 4, (z & last) >> 4] |= 1


# The blocks beside a block have sides 0 east, 1 west, 2 south and 3 north.
@kernel
def side_x(side):
    return 1 if side == 0 else (-1 if side == 1 else 0)


@kernel
def side_z(side):
    return 1 if side == 2 else (-1 if side == 3 else 0)


@kernel
def remember_tool(state, w, x, y, z, block):
    """The player placed a crafting table or furnace, which now counts as a nearby tool."""
    player = state.players[w]
    tool = state.placed[w, player.placed % PLACED]
    tool.x = x
    tool.y = y
    tool.z = z
    tool.block = block
    tool.dimension = player.dimension
    player.placed += 1
