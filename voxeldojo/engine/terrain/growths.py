"""Giant mushrooms, ice spikes, boulders, and beds of clay and sand."""

import numpy as np

from voxeldojo.engine.chance import mixed
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.terrain.pens import put, put_free, put_leaf

BROWN_CAP, RED_CAP, MOSSY, PACKED_ICE = 99, 100, 48, 174
STEM = 10  # metadata of a mushroom's stem
DIRT, GRASS, SAND, CLAY, STONE, GRAVEL = 3, 2, 12, 82, 1, 13


@kernel
def edge_meta(dx, dz, radius):
    """The metadata of a mushroom's cap, for the sides with skin: 1 to 9 like a telephone's keys,
    north is up."""
    column = 1 if dx == -radius else (3 if dx == radius else 2)
    row = 0 if dz == -radius else (2 if dz == radius else 1)
    return column + 3 * row


@kernel
def grow_mushroom(state, w, clip, x, y, z, bits):
    """A brown one is a table, a red one a bell."""
    height = 5 + np.int64(bits % np.uint64(3))
    if bits & np.uint64(256) == np.uint64(0):
        for dx in range(-3, 4):
            for dz in range(-3, 4):
                if abs(dx) != 3 or abs(dz) != 3:
                    meta = edge_meta(dx, dz, 3)
                    put_leaf(state, w, clip, x + dx, y + height, z + dz, BROWN_CAP, meta)
        block = BROWN_CAP
    else:
        for dx in range(-2, 3):
            for dz in range(-2, 3):
                inside = abs(dx) < 2 and abs(dz) < 2
                corner = abs(dx) == 2 and abs(dz) == 2
                meta = edge_meta(dx, dz, 2)
                if inside:
                    meta = edge_meta(dx, dz, 1)
                    put_leaf(state, w, clip, x + dx, y + height, z + dz, RED_CAP, meta)
                elif not corner:
                    for level in range(height - 3, height):
                        put_leaf(state, w, clip, x + dx, y + level, z + dz, RED_CAP, meta)
        block = RED_CAP
    for level in range(height):
        put_free(state, w, clip, x, y + level, z, block, STEM)


@kernel
def grow_spike(state, w, clip, x, y, z, bits):
    """Ice spikes: a cone of packed ice, one in sixty a tower."""
    height = 7 + np.int64(bits & np.uint64(3))
    width = height // 4 + np.int64((bits >> np.uint64(4)) & np.uint64(1))
    if (bits >> np.uint64(8)) % np.uint64(20) == np.uint64(0):
        height += 10 + np.int64((bits >> np.uint64(16)) % np.uint64(20))
        width = min(width, 2)
    y += np.int64((bits >> np.uint64(24)) & np.uint64(3))
    for level in range(-3, height):
        radius = (1.0 - max(0, level) / height) * width
        reach = int(radius + 0.999)
        for dx in range(-reach, reach + 1):
            for dz in range(-reach, reach + 1):
                u = max(0.0, abs(dx) - 0.25)
                v = max(0.0, abs(dz) - 0.25)
                if (dx == 0 and dz == 0) or u * u + v * v <= radius * radius:
                    put(state, w, clip, x + dx, y + level, z + dz, PACKED_ICE, 0)


@kernel
def lay_boulder(state, w, clip, x, y, z, bits):
    """Three balls of mossy cobblestone that lean on one another."""
    for _ in range(3):
        bits = mixed(bits)
        radius = 1.0 + np.float64(bits & np.uint64(1))
        reach = int(radius)
        for dx in range(-reach, reach + 1):
            for dy in range(-reach, reach + 1):
                for dz in range(-reach, reach + 1):
                    if dx * dx + dy * dy + dz * dz <= radius * radius + 0.6:
                        put(state, w, clip, x + dx, y + dy, z + dz, MOSSY, 0)
        x += np.int64((bits >> np.uint64(8)) % np.uint64(3)) - 1
        z += np.int64((bits >> np.uint64(16)) % np.uint64(3)) - 1
        y -= np.int64((bits >> np.uint64(24)) & np.uint64(1))


@kernel
def lay_bed(state, w, clip, x, y, z, radius, depth, block, over_grass):
    """A round bed in the dirt about a place under water, or of packed ice in snow."""
    last = state.blocks.shape[1] - 1
    for i in range(max(clip[0], x - radius), min(clip[2], x + radius + 1)):
        for k in range(max(clip[1], z - radius), min(clip[3], z + radius + 1)):
            if (i - x) * (i - x) + (k - z) * (k - z) > radius * radius:
                continue
            column = state.blocks[w, i & last, k & last]
            for level in range(y - depth, y + depth + 1):
                there = column[level]
                if there in (DIRT, GRAVEL) or (over_grass and there in (GRASS, 80, 78)):
                    column[level] = block
                    state.meta[w, i & last, k & last, level] = 0
