"""Plants on single columns, and snow and ice, which come last."""

import math

import numpy as np

from voxeldojo.engine.chance import mixed, unit_at
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.rulebook import BLOSSOMS, DOUBLES, STYLES
from voxeldojo.engine.state import HEIGHT
from voxeldojo.engine.terrain.climate import waves
from voxeldojo.engine.terrain.ground import (
    DIRT,
    GRASS,
    HARDENED_CLAY,
    MYCELIUM,
    SAND,
    STAINED_CLAY,
    WATER,
)

TALLGRASS, DEADBUSH, DANDELION, FLOWER, BROWN, RED = 31, 32, 37, 38, 39, 40
SNOW_LAYER, ICE, CACTUS, REEDS, PUMPKIN, MELON, LILY, DOUBLE = 78, 79, 81, 83, 86, 103, 111, 175
PACKED_ICE, LEAVES, LEAVES_2 = 174, 18, 161
MEADOW, ORCHID, ALL = BLOSSOMS.index("meadow"), BLOSSOMS.index("orchid"), BLOSSOMS.index("all")
MEGA = STYLES.index("mega")
UPPER = 8  # bit of a tall plant's upper half
GRASS_KIND, FERN = 1, 2
COLD = 0.15  # it snows below
TUFTS = 0.06  # share of the ground that one of Minecraft's patches of grass in a chunk covers
BLOOM = 0.006  # of its patches of flowers
PATCH = 32  # one chunk in 32 has a patch of pumpkins
DENSE = 0.15  # share of a patch's ground that bears a pumpkin or a melon
TALLEST = 4  # blocks that a plant reaches above the ground
SHADE = 20  # blocks overhead in which a mushroom looks for a roof


@kernel
def plant_columns(state, rules, w, seed, x0, z0, x1, z1, sx, sz, heights, biomes, waters):
    world = mixed(np.uint64(seed))
    last = state.blocks.shape[1] - 1
    raise_ceiling(state, w, heights[x0 - sx : x1 - sx, z0 - sz : z1 - sz].max() + TALLEST)
    meadows = waves(world + np.uint64(67), x0, z0, x1, z1, 9)
    shares = shares_of_plants(rules)
    for x in range(x0, x1):
        for z in range(z0, z1):
            h = heights[x - sx, z - sz]
            biome = biomes[x - sx, z - sz]
            water = waters[x - sx, z - sz]
            column = state.blocks[w, x & last, z & last]
            row = rules.biome[biome]
            if h < water:
                open_water = column[water] == WATER and column[water + 1] == 0
                if open_water and unit_at(world + np.uint64(61), x, z) < 0.02 * row.lilies:
                    column[water + 1] = LILY
            elif h > water + 1 or not plant_reeds(
                state, row, w, world, x, z, h, x - sx, z - sz, heights, waters
            ):
                meadow = meadows[x - x0, z - z0]
                plant_one(state, rules, w, world, x, z, h, biome, meadow, shares[biome])
            if row.temperature < 0.25:
                chill(state, rules, w, row.temperature, x, z)


@kernel
def shares_of_plants(rules):
    """(biomes, 2): the shares of a biome's ground with grass and with flowers, all patches
    together."""
    shares = np.empty((rules.biome.shape[0], 2))
    for biome in range(rules.biome.shape[0]):
        shares[biome, 0] = 1.0 - math.exp(-TUFTS * rules.biome[biome].grass)
        shares[biome, 1] = 1.0 - math.exp(-BLOOM * rules.biome[biome].flowers)
    return shares


@kernel
def plant_reeds(state, row, w, world, x, z, h, i, k, heights, waters):
    """Sugar cane where a neighbour is water as high as the ground."""
    if row.reeds <= 0.0:
        return False
    last = state.blocks.shape[1] - 1
    column = state.blocks[w, x & last, z & last]
    if column[h] not in (GRASS, DIRT, SAND) or column[h + 1] != 0:
        return False
    beside = False
    for dx in range(-1, 2):
        for dz in range(-1, 2):
            if abs(dx) + abs(dz) == 1:
                ground = heights[i + dx, k + dz]
                beside |= ground < h and waters[i + dx, k + dz] == h
    grove = unit_at(world + np.uint64(62), x >> 3, z >> 3)
    if not beside or grove > 0.2 + 0.01 * row.reeds:
        return False
    draw = unit_at(world + np.uint64(63), x, z)
    if draw > 0.4:
        return False
    for y in range(h + 1, h + 3 + np.int64(draw * 1e6) % 3):
        if y < HEIGHT and column[y] == 0:
            column[y] = REEDS
    return True


@kernel
def raise_ceiling(state, w, y):
    state.players[w].ceiling = min(HEIGHT - 1, max(state.players[w].ceiling, y))


@kernel
def plant_one(state, rules, w, world, x, z, h, biome, meadow, shares):
    """At most one plant on the ground of a column. ``meadow``: how lush it is there, -1 to 1;
    ``shares``: the biome's, see `shares_of_plants`."""
    last = state.blocks.shape[1] - 1
    column = state.blocks[w, x & last, z & last]
    metas = state.meta[w, x & last, z & last]
    if h + 3 >= HEIGHT or column[h + 1] != 0:
        return
    ground = column[h]
    row = rules.biome[biome]
    bits = mixed(mixed(world + np.uint64(64) + np.uint64(x)) + np.uint64(z))
    draw = np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)
    bits = mixed(bits)
    if ground == SAND or ground in (HARDENED_CLAY, STAINED_CLAY):
        plant_dry(row, column, x, z, h, draw, bits)
    elif ground in (GRASS, MYCELIUM, DIRT):
        if draw < DENSE and patch_here(world, x, z, PATCH, 65) and ground == GRASS:
            column[h + 1] = PUMPKIN
            metas[h + 1] = np.int64(bits & np.uint64(3))
        elif draw < DENSE and row.melons > 0.0 and patch_here(world, x, z, 5, 66):
            column[h + 1] = MELON
        elif draw < 0.05 and mushroom_here(row, column, h, draw, ground):
            column[h + 1] = BROWN if bits & np.uint64(3) != np.uint64(0) else RED
        elif ground == GRASS:
            plant_meadow(rules, row, biome, column, metas, world, x, z, h, bits, meadow, shares)
        elif draw > 1.0 - 0.003 * row.deadbush:
            column[h + 1] = DEADBUSH
        elif ground == DIRT and metas[h] == 2 and draw > 1.0 - TUFTS * row.grass * 0.5:
            column[h + 1] = TALLGRASS
            metas[h + 1] = FERN


@kernel
def plant_dry(row, column, x, z, h, draw, bits):
    if draw < 0.0022 * row.deadbush:
        column[h + 1] = DEADBUSH
    elif draw > 1.0 - 0.0009 * row.cactus and (x & 1) + (z & 1) == 0 and column[h] == SAND:
        for y in range(h + 1, h + 2 + np.int64(bits % np.uint64(3))):
            column[y] = CACTUS


@kernel
def patch_here(world, x, z, rarity, subject):
    """Whether a chunk with a patch, one in ``rarity``, has it here: a round of 5 columns."""
    draw = mixed(mixed(world + np.uint64(subject) + np.uint64(x >> 4)) + np.uint64(z >> 4))
    if draw % np.uint64(rarity) != np.uint64(0):
        return False
    dx = (x & 15) - 4 - np.int64((draw >> np.uint64(8)) & np.uint64(7))
    dz = (z & 15) - 4 - np.int64((draw >> np.uint64(16)) & np.uint64(7))
    return dx * dx + dz * dz < 20


@kernel
def mushroom_here(row, column, h, draw, ground):
    """Mushrooms grow in shade, or on mycelium."""
    rate = 0.25 + row.mushrooms
    if ground == MYCELIUM:
        return draw < 0.008 * rate
    if draw > 0.006 * rate + 0.003:
        return False
    return column[h + 2 : min(HEIGHT, h + SHADE)].any()


@kernel
def plant_meadow(rules, row, biome, column, metas, world, x, z, h, bits, meadow, shares):
    """Grass, flowers and tall plants, each in patches."""
    draw = np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)
    bits = mixed(bits)
    patchy = 1.0 + 0.8 * meadow
    if row.doubles > 0.0 and draw > 1.0 - 0.012 * row.doubles * patchy and column[h + 2] == 0:
        kind = rules.doubles[biome, np.int64(bits % np.uint64(DOUBLES))]
        column[h + 1] = DOUBLE
        column[h + 2] = DOUBLE
        metas[h + 1] = kind
        metas[h + 2] = UPPER
        return
    bed = unit_at(world + np.uint64(68), x >> 3, z >> 3)
    if draw < shares[1] * (4.0 if bed < 0.2 else 0.25) and row.flowers > 0.0:
        place_flower(row, column, metas, h, bits, bed)
        return
    covered = shares[0]
    if 0.5 - 0.5 * covered * patchy < draw < 0.5 + 0.5 * covered * patchy:
        column[h + 1] = TALLGRASS
        fern = np.float64((bits >> np.uint64(8)) & np.uint64(255)) < 256.0 * row.fern
        metas[h + 1] = FERN if fern else GRASS_KIND


@kernel
def place_flower(row, column, metas, h, bits, bed):
    kind = -1  # a dandelion
    if row.blossoms == ORCHID:
        kind = 1
    elif row.blossoms == ALL:
        kind = np.int64(bed * 1000.0) % 10 - 1
        if kind == 1:
            kind = 2
    elif row.blossoms == MEADOW and bed < 0.06:
        kind = 4 + np.int64(bits & np.uint64(3))
    elif row.blossoms == MEADOW and bits % np.uint64(3) == np.uint64(0):
        kind = (0, 3, 8)[np.int64((bits >> np.uint64(8)) % np.uint64(3))]
    elif bits % np.uint64(3) == np.uint64(0):
        kind = 0
    column[h + 1] = DANDELION if kind < 0 else FLOWER
    metas[h + 1] = max(0, kind)


@kernel
def chill(state, rules, w, temperature, x, z):
    """Ice on open water and snow on what lies open, where it is cold enough: 0.05 colder each 30
    blocks above y 64."""
    last = state.blocks.shape[1] - 1
    column = state.blocks[w, x & last, z & last]
    y = min(HEIGHT - 2, np.int64(state.players[w].ceiling))
    while y > 0 and column[y] == 0:
        y -= 1
    if temperature - 0.05 * max(0, y - 64) / 30.0 >= COLD:
        return
    top = np.int64(column[y])
    if top == WATER:
        column[y] = ICE
    elif top not in (ICE, PACKED_ICE) and (
        top in (LEAVES, LEAVES_2) or (rules.block[top].solid and rules.block[top].height >= 1.0)
    ):
        column[y + 1] = SNOW_LAYER
        state.meta[w, x & last, z & last, y + 1] = 0
        raise_ceiling(state, w, y + 1)
