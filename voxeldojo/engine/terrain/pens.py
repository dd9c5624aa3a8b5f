"""Writes blocks of trees and other growths to the rectangle that is being generated.

Whether a block is written may only depend on the block at its own place: so a rectangle does not
depend on how its neighbours were generated. ``clip`` is (x0, z0, x1, z1).
"""

from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.state import HEIGHT

DIRT, WATER, LOG, LEAVES, LOG_2, LEAVES_2, VINE, COCOA = 3, 9, 17, 18, 162, 161, 106, 127
ACROSS_X, ACROSS_Z = 4, 8  # bits of a log that lies
SOUTH, WEST, NORTH, EAST = 1, 2, 4, 8  # side of a vine that it hangs on


@kernel
def within(clip, x, y, z):
    return clip[0] <= x < clip[2] and clip[1] <= z < clip[3] and 0 < y < HEIGHT - 1


@kernel
def misses(clip, x, z, reach):
    """Whether nothing within ``reach`` columns is in the rectangle, as with most trees of the
    chunks around it."""
    beside = x + reach < clip[0] or x - reach >= clip[2]
    return beside or z + reach < clip[1] or z - reach >= clip[3]


@kernel
def put(state, w, clip, x, y, z, block, meta):
    """Write a block in any case."""
    if within(clip, x, y, z):
        last = state.blocks.shape[1] - 1
        state.blocks[w, x & last, z & last, y] = block
        state.meta[w, x & last, z & last, y] = meta
        state.players[w].ceiling = max(state.players[w].ceiling, y)


@kernel
def put_leaf(state, w, clip, x, y, z, block, meta):
    """Write a leaf into air or a vine."""
    if within(clip, x, y, z):
        last = state.blocks.shape[1] - 1
        there = state.blocks[w, x & last, z & last, y]
        if there in (0, VINE):
            state.blocks[w, x & last, z & last, y] = block
            state.meta[w, x & last, z & last, y] = meta
            state.players[w].ceiling = max(state.players[w].ceiling, y)


@kernel
def put_log(state, w, clip, x, y, z, block, meta):
    """Write a log into air, water, leaves and vines."""
    if within(clip, x, y, z):
        last = state.blocks.shape[1] - 1
        there = state.blocks[w, x & last, z & last, y]
        if there in (0, LEAVES, LEAVES_2, VINE, COCOA, WATER):
            state.blocks[w, x & last, z & last, y] = block
            state.meta[w, x & last, z & last, y] = meta
            state.players[w].ceiling = max(state.players[w].ceiling, y)


@kernel
def put_free(state, w, clip, x, y, z, block, meta):
    """Write a block into air only."""
    if within(clip, x, y, z):
        last = state.blocks.shape[1] - 1
        if state.blocks[w, x & last, z & last, y] == 0:
            state.blocks[w, x & last, z & last, y] = block
            state.meta[w, x & last, z & last, y] = meta


@kernel
def raise_trunk(state, w, clip, x, y, z, height, block, meta):
    """A trunk from y on, and under it dirt down to firm ground, should a cave open there."""
    if clip[0] <= x < clip[2] and clip[1] <= z < clip[3]:
        last = state.blocks.shape[1] - 1
        column = state.blocks[w, x & last, z & last]
        root = y - 1
        while root > y - 6 and (root == y - 1 or column[root] == 0):
            column[root] = DIRT
            state.meta[w, x & last, z & last, root] = 0
            root -= 1
        for level in range(y, y + height):
            put_log(state, w, clip, x, level, z, block, meta)


@kernel
def disc(state, w, clip, x, y, z, radius, block, meta):
    """A round of leaves: those within ``radius`` of the middle, which may lie between blocks."""
    reach = int(radius)
    for dx in range(-reach, reach + 1):
        for dz in range(-reach, reach + 1):
            if dx * dx + dz * dz <= radius * radius:
                put_leaf(state, w, clip, x + dx, y, z + dz, block, meta)


@kernel
def disc_4(state, w, clip, x, y, z, radius, block, meta):
    """A round of leaves about a trunk of 2 x 2, (x, z) being its lowest column."""
    for dx in range(-radius, radius + 2):
        for dz in range(-radius, radius + 2):
            u = dx if dx <= 0 else dx - 1
            v = dz if dz <= 0 else dz - 1
            if u * u + v * v <= radius * radius + (1 if radius > 1 else 0):
                put_leaf(state, w, clip, x + dx, y, z + dz, block, meta)


@kernel
def hang_vine(state, w, clip, x, y, z, side, length):
    for level in range(y - length + 1, y + 1):
        put_free(state, w, clip, x, level, z, VINE, side)
