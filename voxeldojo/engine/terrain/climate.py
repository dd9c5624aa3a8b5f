"""The biome of each place in a world of all biomes, by a method of this project's own.

Oceans come from one slow noise, rivers follow the zero line of another. The land is divided into
patches about 200 columns wide. A patch's temperature and moisture decide its biome, in the middle
of which there may be hills.
"""

import numpy as np

from voxeldojo.engine.chance import mixed, unit_at
from voxeldojo.engine.compiling.kernels import kernel

PATCH = 48  # cells of four columns from one patch's middle to the next, on average
# Biomes by temperature (rows, cold to hot), eight each: Minecraft's shares where it is dry or wet.
DRY_TO_WET = np.array(
    [
        [12, 12, 12, 12, 30, 30, 12, 30],
        [3, 34, 3, 4, 5, 5, 32, 5],
        [1, 1, 4, 3, 27, 4, 29, 6],
        [1, 4, 1, 27, 4, 21, 29, 6],
        [2, 37, 2, 35, 35, 1, 21, 6],
        [2, 39, 2, 2, 38, 35, 35, 21],
    ],
    np.int64,
)
# What stands in the middle of a patch, and what one patch in twelve is instead; 0: the same.
HILLS = np.zeros(256, np.int64)
for _biome, _hills in (
    (1, 4), (2, 17), (3, 34), (4, 18), (5, 19), (12, 13), (21, 22), (27, 28), (29, 1), (30, 31),
    (32, 33), (35, 36), (37, 37), (38, 37), (39, 37),
):  # fmt: skip
    HILLS[_biome] = _hills
RARE = np.zeros(256, np.int64)
for _biome, _rare in (
    (1, 129), (2, 130), (3, 131), (4, 132), (5, 133), (6, 134), (12, 140), (21, 149), (27, 155),
    (29, 157), (30, 158), (32, 160), (34, 162), (35, 163), (36, 164), (37, 165), (38, 166),
    (39, 167), (28, 156), (33, 161), (23, 151),
):  # fmt: skip
    RARE[_biome] = _rare
PLAINS, RIVER, FROZEN_RIVER, SWAMP, MESA_FIRST, MESA_LAST = 1, 7, 11, 6, 37, 39
OCEAN, FROZEN_OCEAN, DEEP_OCEAN, BEACH, STONE_BEACH, COLD_BEACH = 0, 10, 24, 16, 25, 26
ISLAND, ISLAND_SHORE, JUNGLE, JUNGLE_EDGE = 14, 15, 21, 23
EXTREME_HILLS, EXTREME_HILLS_PLUS, ICE_PLAINS, COLD_TAIGA = 3, 34, 12, 30


@kernel
def cell_biome(world, cx, cz):
    """The biome of a cell of 4 x 4 columns. ``world`` is the seed, mixed."""
    sea = 0.75 * wave(world + np.uint64(21), cx, cz, 160) + 0.3 * wave(
        world + np.uint64(22), cx, cz, 36
    )
    sea += 0.08 * wave(world + np.uint64(23), cx, cz, 7) + 0.12
    if sea < -0.2:
        island = wave(world + np.uint64(24), cx, cz, 60)
        if sea < -0.42 and island > 0.72:
            return ISLAND if island > 0.76 else ISLAND_SHORE
        if sea < -0.36:
            return DEEP_OCEAN
        cold = wave(world + np.uint64(25), cx, cz, 200) < -0.45
        return FROZEN_OCEAN if cold else OCEAN
    biome, middle = patch(world, cx, cz)
    snowy = biome in (ICE_PLAINS, COLD_TAIGA, 140, 158)
    if sea < -0.14:
        if biome in (EXTREME_HILLS, EXTREME_HILLS_PLUS, 131, 162):
            return STONE_BEACH
        if biome not in (SWAMP, 134):
            return COLD_BEACH if snowy else BEACH
    mesa = MESA_FIRST <= biome <= MESA_LAST or biome >= 165
    river = 0.8 * wave(world + np.uint64(26), cx, cz, 64)
    river += 0.2 * wave(world + np.uint64(27), cx, cz, 12)
    if not mesa and abs(river) < 0.028:
        return FROZEN_RIVER if snowy else RIVER
    if middle and wave(world + np.uint64(28), cx, cz, 14) > 0.1:
        hills = HILLS[biome]
        return hills if hills > 0 else biome
    return biome


@kernel
def patch(world, cx, cz):
    """(biome, whether it is the middle of its patch) of a cell of the land."""
    wx = cx + 6.0 * wave(world + np.uint64(31), cx, cz, 11)
    wz = cz + 6.0 * wave(world + np.uint64(32), cx, cz, 11)
    px = np.int64(np.floor(wx / PATCH))
    pz = np.int64(np.floor(wz / PATCH))
    best = 1e9
    second = 1e9
    own_x = px
    own_z = pz
    next_x = px
    next_z = pz
    for ix in range(px - 1, px + 2):
        for iz in range(pz - 1, pz + 2):
            dx = (ix + unit_at(world + np.uint64(33), ix, iz)) * PATCH - wx
            dz = (iz + unit_at(world + np.uint64(34), ix, iz)) * PATCH - wz
            away = dx * dx + dz * dz
            if away < best:
                second = best
                next_x = own_x
                next_z = own_z
                best = away
                own_x = ix
                own_z = iz
            elif away < second:
                second = away
                next_x = ix
                next_z = iz
    biome = patch_biome(world, own_x, own_z)
    gap = np.sqrt(second) - np.sqrt(best)
    if biome == JUNGLE and gap < 7.0 and patch_biome(world, next_x, next_z) != JUNGLE:
        return JUNGLE_EDGE, False
    return biome, gap > 10.0


@kernel
def patch_biome(world, ix, iz):
    """The biome of a patch. Temperature changes slowly from patch to patch, moisture faster."""
    bits = mixed(world + np.uint64(35) + np.uint64(ix) * np.uint64(7919) + np.uint64(iz))
    warmth = 0.5 + 0.62 * wave(world + np.uint64(36), 2 * ix, 2 * iz, 7)
    warmth += 0.1 * (unit_at(world + np.uint64(37), ix, iz) - 0.5)
    row = min(5, max(0, int(6.0 * warmth)))
    biome = DRY_TO_WET[row, np.int64(bits & np.uint64(7))]
    if (bits >> np.uint64(8)) % np.uint64(12) == np.uint64(0) and RARE[biome] > 0:
        return RARE[biome]
    return biome


@kernel
def wave(seed, x, z, width):
    """Value noise in -1 .. 1, as ``noise`` in columns.py makes it."""
    ix = x // width
    iz = z // width
    tx = (x - ix * width) / width
    tz = (z - iz * width) / width
    tx = tx * tx * (3.0 - 2.0 * tx)
    tz = tz * tz * (3.0 - 2.0 * tz)
    near = unit_at(seed, ix, iz) * (1.0 - tx) + unit_at(seed, ix + 1, iz) * tx
    far = unit_at(seed, ix, iz + 1) * (1.0 - tx) + unit_at(seed, ix + 1, iz + 1) * tx
    return 2.0 * (near * (1.0 - tz) + far * tz) - 1.0


@kernel
def waves(seed, x0, z0, x1, z1, width):
    """``wave`` for the columns [x0, x1) x [z0, z1), with each number of the lattice drawn once."""
    noise = np.empty((x1 - x0, z1 - z0))
    for ix in range(x0 // width, (x1 - 1) // width + 1):
        for iz in range(z0 // width, (z1 - 1) // width + 1):
            a = unit_at(seed, ix, iz)
            b = unit_at(seed, ix + 1, iz)
            c = unit_at(seed, ix, iz + 1)
            d = unit_at(seed, ix + 1, iz + 1)
            for x in range(max(x0, ix * width), min(x1, (ix + 1) * width)):
                tx = (x - ix * width) / width
                tx = tx * tx * (3.0 - 2.0 * tx)
                near = a * (1.0 - tx) + b * tx
                far = c * (1.0 - tx) + d * tx
                for z in range(max(z0, iz * width), min(z1, (iz + 1) * width)):
                    tz = (z - iz * width) / width
                    tz = tz * tz * (3.0 - 2.0 * tz)
                    noise[x - x0, z - z0] = 2.0 * (near * (1.0 - tz) + far * tz) - 1.0
    return noise
