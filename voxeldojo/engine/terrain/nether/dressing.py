"""Soul sand, gravel, fire, mushrooms, ores and glowstone in the Nether's caverns, at the rates of
ChunkProviderHell."""

import math

import numpy as np

from voxeldojo.engine.chance import GOLDEN, mixed, unit_at
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.state import HEIGHT
from voxeldojo.engine.terrain.nether.caverns import NETHERRACK, noise_3d
from voxeldojo.engine.terrain.underground.carve import chunk_bits
from voxeldojo.engine.terrain.underground.ores import ANYWHERE, SPREAD, lay_vein

AIR, LAVA, GRAVEL, BROWN_MUSHROOM, RED_MUSHROOM, FIRE = 0, 11, 13, 39, 40, 51
SOUL_SAND, GLOWSTONE, QUARTZ_ORE, MAGMA = 88, 89, 153, 213
SHORES = (30, 68)  # between these, floors are covered with soul sand and gravel in places
CLUSTERS = 10  # of glowstone that are tried in a chunk
CLUSTER = 4  # columns from the middle of a cluster
# block, veins in a chunk, size, lowest y, height of the layer
VEINS = np.array([(QUARTZ_ORE, 16, 14, 10, 108), (MAGMA, 4, 33, 27, 10)], np.int64)


@kernel
def dress(state, w, seed, x0, z0, x1, z1):
    for x in range(x0, x1):
        for z in range(z0, z1):
            cover_floors(state, w, seed, x, z)
    for chunk_x in range((x0 - SPREAD) >> 4, ((x1 + SPREAD) >> 4) + 1):
        for chunk_z in range((z0 - SPREAD) >> 4, ((z1 + SPREAD) >> 4) + 1):
            lay_veins(state, w, seed, chunk_x, chunk_z, x0, z0, x1, z1)
            hang_glowstone(state, w, seed, chunk_x, chunk_z, x0, z0, x1, z1)


@kernel
def cover_floors(state, w, seed, x, z):
    """Soul sand and gravel by the shores, here and there fire and mushrooms, rarely a fall of
    lava from the ceiling."""
    last = state.blocks.shape[1] - 1
    column = state.blocks[w, x & last, z & last]
    sand = noise_3d(seed + np.uint64(2), x / 14.0, 0.5, z / 14.0) > 0.15
    gravel = noise_3d(seed + np.uint64(3), x / 14.0, 0.5, z / 14.0) > 0.25
    if sand or gravel:
        block = SOUL_SAND if sand else GRAVEL
        depth = 0
        for y in range(SHORES[1], SHORES[0] - 1, -1):
            if column[y] == NETHERRACK and (column[y + 1] == AIR or 0 < depth < 3):
                column[y] = block
                depth += 1
            else:
                depth = 0
    draw = unit_at(seed + np.uint64(4), x, z)
    if draw > 0.02:
        return
    above = AIR
    for y in range(HEIGHT - 6, 32, -1):
        block = column[y]
        if draw < 0.0008 and block == AIR and above == NETHERRACK:
            fall = y
            while column[fall] == AIR:
                column[fall] = LAVA
                state.meta[w, x & last, z & last, fall] = 0 if fall == y else 8
                fall -= 1
            return
        if block == NETHERRACK and above == AIR:
            if draw < 0.008:
                column[y + 1] = FIRE
            elif draw < 0.014:
                column[y + 1] = BROWN_MUSHROOM
            else:
                column[y + 1] = RED_MUSHROOM
        above = block


@kernel
def lay_veins(state, w, seed, chunk_x, chunk_z, x0, z0, x1, z1):
    for row in range(VEINS.shape[0]):
        vein = VEINS[row]
        bits = chunk_bits(seed, 310 + row, chunk_x, chunk_z)
        for _ in range(vein[1]):
            bits = mixed(bits + GOLDEN)
            x = chunk_x * 16 + np.int64(bits & np.uint64(15))
            z = chunk_z * 16 + np.int64((bits >> np.uint64(4)) & np.uint64(15))
            y = vein[3] + np.int64((bits >> np.uint64(8)) & np.uint64(4095)) % vein[4]
            lay_vein(
                state, w, mixed(bits), x, y, z, vein[2], NETHERRACK, vein[0], 0, ANYWHERE,
                x0, z0, x1, z1,
            )  # fmt: skip


@kernel
def hang_glowstone(state, w, seed, chunk_x, chunk_z, x0, z0, x1, z1):
    last = state.blocks.shape[1] - 1
    bits = chunk_bits(seed, 320, chunk_x, chunk_z)
    for _ in range(CLUSTERS):
        bits = mixed(bits + GOLDEN)
        x = chunk_x * 16 + np.int64(bits & np.uint64(15))
        z = chunk_z * 16 + np.int64((bits >> np.uint64(4)) & np.uint64(15))
        y = 40 + np.int64((bits >> np.uint64(8)) & np.uint64(4095)) % 80
        size = 2.0 + np.float64((bits >> np.uint64(20)) & np.uint64(3)) * 0.7
        for i in range(max(x0, x - CLUSTER), min(x1, x + CLUSTER + 1)):
            for k in range(max(z0, z - CLUSTER), min(z1, z + CLUSTER + 1)):
                away = math.hypot(float(i - x), float(k - z))
                hang = int(size - away + 1.5 * unit_at(bits, i, k))
                if away >= size or hang <= 0:
                    continue
                column = state.blocks[w, i & last, k & last]
                for j in range(min(y + 6, HEIGHT - 7), y - 6, -1):
                    if column[j] == AIR and column[j + 1] == NETHERRACK:
                        for deep in range(hang):
                            if column[j - deep] == AIR:
                                column[j - deep] = GLOWSTONE
                        break
