"""Small trees: round ones, those of swamp and jungle, spruces and pines, bushes.

(x, y, z) is the lowest log; ``bits`` are the tree's own random numbers.
"""

import numpy as np

from voxeldojo.engine.chance import mixed
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.terrain.pens import (
    COCOA,
    EAST,
    LEAVES,
    LOG,
    NORTH,
    SOUTH,
    WEST,
    hang_vine,
    misses,
    put_free,
    put_leaf,
    raise_trunk,
)

OAK, SPRUCE, BIRCH, JUNGLE = 0, 1, 2, 3
VINES = 1  # columns beyond a crown


@kernel
def grow_round(state, w, clip, x, y, z, kind, height, wider, bits):
    """An oak, birch or jungle tree: a crown of four layers, its corners frayed. Returns the random
    numbers that are left, for vines."""
    if misses(clip, x, z, 2 + wider + VINES):
        return bits
    for layer in range(-3, 1):
        radius = wider + (2 if layer < -1 else 1)
        for dx in range(-radius, radius + 1):
            for dz in range(-radius, radius + 1):
                if abs(dx) == radius and abs(dz) == radius:
                    bits = mixed(bits)
                    if layer == 0 or bits & np.uint64(1) == np.uint64(0):
                        continue
                put_leaf(state, w, clip, x + dx, y + height + layer, z + dz, LEAVES, kind)
    raise_trunk(state, w, clip, x, y, z, height, LOG, kind)
    return bits


@kernel
def hang_crown_vines(state, w, clip, x, y, z, radius, bits):
    """Vines on all sides of a crown whose lowest layer is at y."""
    for side in range(-radius, radius + 1):
        bits = mixed(bits)
        length = 2 + np.int64((bits >> np.uint64(8)) & np.uint64(3))
        if bits & np.uint64(3) == np.uint64(0):
            hang_vine(state, w, clip, x - radius - 1, y, z + side, EAST, length)
        if bits & np.uint64(12) == np.uint64(0):
            hang_vine(state, w, clip, x + radius + 1, y, z + side, WEST, length)
        if bits & np.uint64(48) == np.uint64(0):
            hang_vine(state, w, clip, x + side, y, z - radius - 1, SOUTH, length)
        if bits & np.uint64(192) == np.uint64(0):
            hang_vine(state, w, clip, x + side, y, z + radius + 1, NORTH, length)
    return bits


@kernel
def hang_trunk_vines(state, w, clip, x, y, z, height, bits):
    for level in range(y, y + height):
        bits = mixed(bits)
        draw = np.int64(bits & np.uint64(0xFFFF))
        if draw % 3 > 0:
            hang_vine(state, w, clip, x - 1, level, z, EAST, 1)
        if (draw >> 4) % 3 > 0:
            hang_vine(state, w, clip, x + 1, level, z, WEST, 1)
        if (draw >> 8) % 3 > 0:
            hang_vine(state, w, clip, x, level, z - 1, SOUTH, 1)
        if (draw >> 12) % 3 > 0:
            hang_vine(state, w, clip, x, level, z + 1, NORTH, 1)
    return bits


@kernel
def hang_cocoa(state, w, clip, x, y, z, height, bits):
    """Pods on the upper part of a jungle tree's trunk, at one tree in five."""
    bits = mixed(bits)
    if height <= 5 or bits % np.uint64(5) != np.uint64(0):
        return
    for row in range(2):
        for side in range(4):
            bits = mixed(bits)
            if bits % np.uint64(4 - row) != np.uint64(0):
                continue
            age = np.int64((bits >> np.uint64(8)) % np.uint64(3))
            # Beside the trunk to the south, west, north, east; the pod looks back at it.
            dx = (0, -1, 0, 1)[side]
            dz = (1, 0, -1, 0)[side]
            meta = (side + 2) % 4 + 4 * age
            put_free(state, w, clip, x + dx, y + height - 5 + row, z + dz, COCOA, meta)


@kernel
def grow_jungle(state, w, clip, x, y, z, bits):
    height = 4 + np.int64(bits % np.uint64(7))
    bits = grow_round(state, w, clip, x, y, z, JUNGLE, height, 0, bits)
    hang_cocoa(state, w, clip, x, y, z, height, bits)
    bits = hang_trunk_vines(state, w, clip, x, y, z, height - 2, bits)
    hang_crown_vines(state, w, clip, x, y + height - 3, z, 2, bits)


@kernel
def grow_swamp_oak(state, w, clip, x, y, z, bits):
    height = 5 + np.int64(bits % np.uint64(4))
    bits = grow_round(state, w, clip, x, y, z, OAK, height, 1, bits)
    hang_crown_vines(state, w, clip, x, y + height - 3, z, 3, bits)


@kernel
def grow_bush(state, w, clip, x, y, z, bits):
    """The jungle's undergrowth: oak leaves about one log."""
    for layer in range(3):
        radius = 2 - layer
        for dx in range(-radius, radius + 1):
            for dz in range(-radius, radius + 1):
                if abs(dx) == radius and abs(dz) == radius:
                    bits = mixed(bits)
                    if bits & np.uint64(1) == np.uint64(0):
                        continue
                put_leaf(state, w, clip, x + dx, y + layer, z + dz, LEAVES, OAK)
    raise_trunk(state, w, clip, x, y, z, 1, LOG, JUNGLE)


@kernel
def grow_spruce(state, w, clip, x, y, z, bits):
    """Leaves in rings that widen downwards again and again, the lowest blocks bare."""
    height = 6 + np.int64((bits >> np.uint64(8)) & np.uint64(3))
    bare = 1 + np.int64(bits & np.uint64(1))
    widest = 2 + np.int64((bits >> np.uint64(1)) & np.uint64(1))
    radius = np.int64((bits >> np.uint64(2)) & np.uint64(1))
    limit = 1
    start = 0
    for layer in range(height + 1 - bare):
        ring(state, w, clip, x, y + height - layer, z, radius)
        if radius >= limit:
            radius = start
            start = 1
            limit = min(limit + 1, widest)
        else:
            radius += 1
    raise_trunk(state, w, clip, x, y, z, height - 1, LOG, SPRUCE)


@kernel
def grow_pine(state, w, clip, x, y, z, bits):
    """A bare trunk with a crown of three to five layers."""
    height = 7 + np.int64(bits % np.uint64(5))
    crown = 3 + np.int64((bits >> np.uint64(8)) & np.uint64(1))
    widest = 1 + np.int64((bits >> np.uint64(16)) % np.uint64(crown + 1))
    radius = 0
    for layer in range(crown + 1):
        ring(state, w, clip, x, y + height - layer, z, radius)
        if radius >= 1 and layer == crown - 1:
            radius -= 1
        elif radius < widest:
            radius += 1
    raise_trunk(state, w, clip, x, y, z, height - 1, LOG, SPRUCE)


@kernel
def ring(state, w, clip, x, y, z, radius):
    if misses(clip, x, z, radius):
        return
    for dx in range(-radius, radius + 1):
        for dz in range(-radius, radius + 1):
            if radius == 0 or abs(dx) != radius or abs(dz) != radius:
                put_leaf(state, w, clip, x + dx, y, z + dz, LEAVES, SPRUCE)
