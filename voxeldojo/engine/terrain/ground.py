"""The bare ground: the blocks of each column before caves and plants."""

import numpy as np

from voxeldojo.engine.chance import mixed, unit_at
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.rulebook import STYLES
from voxeldojo.engine.state import FLAT, SEA_LEVEL
from voxeldojo.engine.terrain.climate import cell_biome, wave
from voxeldojo.engine.terrain.columns import (
    BRYCE,
    between,
    blended,
    corner_height,
    nearby_cell,
    spire,
)

STONE, GRASS, DIRT, BEDROCK, WATER, SAND, GRAVEL = 1, 2, 3, 7, 9, 12, 13
SANDSTONE, RED_SANDSTONE, STAINED_CLAY, HARDENED_CLAY = 24, 179, 159, 172
MYCELIUM = 110
COARSE, PODZOL, RED = 1, 2, 1  # variants of dirt and of sand
HILLS = STYLES.index("hills")
STONY = STYLES.index("gravel")
MEGA = STYLES.index("mega")
SAVANNA_M = STYLES.index("savanna_m")
MESA = STYLES.index("mesa")
WOODED_MESA = STYLES.index("wooded_mesa")
SHORE = SEA_LEVEL - 1  # y of the sea's uppermost water
LAKES = 40  # one chunk in 40 has a small lake
MESA_FOOT = 66  # mesas stand in red sand up to here


@kernel
def survey(state, rules, w, seed, x0, z0, heights, biomes, waters):
    """Height of the ground, biome and y of the uppermost water for the columns from (x0, z0) on.
    The arrays cover whole chunks."""
    world = mixed(np.uint64(seed))
    setting = state.settings[w]
    rows, columns = heights.shape
    cells_x = rows // 4 + 1
    cells_z = columns // 4 + 1
    px = x0 >> 2
    pz = z0 >> 2
    corners = np.empty((cells_x, cells_z))
    if setting.generator == 0:
        survey_mixed(rules, world, px, pz, corners, x0, z0, biomes)
    else:
        biomes[:] = setting.biome
        for i in range(cells_x):
            for k in range(cells_z):
                corners[i, k] = corner_height(
                    rules, setting.biome, setting.generator, world, px + i, pz + k
                )
    for i in range(rows):
        for k in range(columns):
            a = i >> 2
            b = k >> 2
            h = between(
                corners[a, b],
                corners[a + 1, b],
                corners[a, b + 1],
                corners[a + 1, b + 1],
                x0 + i,
                z0 + k,
            )
            if biomes[i, k] == BRYCE:
                h += spire(world, x0 + i, z0 + k)
            heights[i, k] = h
            waters[i, k] = SHORE
    if setting.generator != FLAT:
        for i in range(0, rows, 16):
            for k in range(0, columns, 16):
                sink_lake(rules, world, x0 + i, z0 + k, i, k, heights, biomes, waters)


@kernel
def survey_mixed(rules, world, px, pz, corners, x0, z0, biomes):
    """The same results as ``corner_height`` and ``biome_of``, with each cell computed once."""
    cells_x, cells_z = corners.shape
    cells = np.empty((cells_x + 4, cells_z + 4), np.int64)
    for i in range(cells_x + 4):
        for k in range(cells_z + 4):
            cells[i, k] = cell_biome(world, px + i - 2, pz + k - 2)
    for i in range(cells_x):
        for k in range(cells_z):
            corners[i, k] = blended(rules, world, px + i, pz + k, cells, i, k)
    for i in range(biomes.shape[0]):
        for k in range(biomes.shape[1]):
            cx, cz = nearby_cell(world, x0 + i, z0 + k)
            biomes[i, k] = cells[cx - px + 2, cz - pz + 2]


@kernel
def sink_lake(rules, world, x, z, i0, k0, heights, biomes, waters):
    """A lake of the chunk that begins at (x, z), where the ground is nearly level."""
    bits = mixed(world + np.uint64(51) + mixed(np.uint64(x) * np.uint64(31) + np.uint64(z)))
    if bits % np.uint64(LAKES) != np.uint64(0):
        return
    biome = rules.biome[biomes[i0 + 8, k0 + 8]]
    if biome.top not in (GRASS, MYCELIUM) or heights[i0 + 8, k0 + 8] <= SHORE:
        return
    long = 3.0 + np.float64((bits >> np.uint64(8)) & np.uint64(3))
    wide = 3.0 + np.float64((bits >> np.uint64(10)) & np.uint64(3))
    lowest = 255
    highest = 0
    for i in range(16):
        for k in range(16):
            if ((i - 7.5) / (long + 1.5)) ** 2 + ((k - 7.5) / (wide + 1.5)) ** 2 < 1.0:
                lowest = min(lowest, heights[i0 + i, k0 + k])
                highest = max(highest, heights[i0 + i, k0 + k])
    if highest > lowest + 3 or lowest <= SHORE:
        return
    for i in range(16):
        for k in range(16):
            away = ((i - 7.5) / long) ** 2 + ((k - 7.5) / wide) ** 2
            if away < 1.0:
                heights[i0 + i, k0 + k] = lowest - (3 if away < 0.4 else 1)
                waters[i0 + i, k0 + k] = lowest


@kernel
def material(rules, world, biome, x, z, h, water):
    """(block, metadata) of the uppermost block of the ground and of those below it."""
    row = rules.biome[biome]
    top = np.int64(row.top)
    top_meta = np.int64(row.top_variant)
    fill = np.int64(row.fill)
    fill_meta = np.int64(row.fill_variant)
    if row.style != 0:
        patchy = wave(world + np.uint64(52), x, z, 9) + 0.4 * wave(world + np.uint64(53), x, z, 4)
        if row.style == HILLS and patchy > 0.45:
            return STONE, 0, STONE, 0
        if row.style == STONY and abs(patchy) > 0.4:
            return GRAVEL, 0, GRAVEL, 0
        if row.style == SAVANNA_M and patchy > 0.55:
            return STONE, 0, STONE, 0
        if row.style in (MEGA, SAVANNA_M) and patchy > 0.3:
            top = DIRT
            top_meta = COARSE
        elif row.style == MEGA and patchy > -0.2:
            top = DIRT
            top_meta = PODZOL
        elif row.style == WOODED_MESA and h > 80:
            if patchy > 0.2:
                return DIRT, COARSE, DIRT, COARSE
            return GRASS, 0, DIRT, 0
        if row.style >= MESA and h > MESA_FOOT + 3.0 * patchy:
            return banded(world, x, z, h)
    if h < water:
        # Under water no grass: dirt, and gravel where it is deep.
        if h < SHORE - 8 and fill == DIRT:
            return GRAVEL, 0, STONE, 0
        return fill, fill_meta, fill, fill_meta
    return top, top_meta, fill, fill_meta


@kernel
def banded(world, x, z, y):
    """(block, metadata) twice: a mesa's clay, in the same layers everywhere."""
    shift = np.int64(2.0 * wave(world + np.uint64(54), x, z, 60))
    draw = np.int64(100.0 * unit_at(world + np.uint64(55), y + shift, 0))
    if draw < 46:
        return HARDENED_CLAY, 0, HARDENED_CLAY, 0
    colour = 1
    if draw >= 94:
        colour = 8
    elif draw >= 89:
        colour = 0
    elif draw >= 80:
        colour = 14
    elif draw >= 72:
        colour = 12
    elif draw >= 64:
        colour = 4
    return STAINED_CLAY, colour, STAINED_CLAY, colour


@kernel
def lay_columns(state, rules, w, seed, x0, z0, x1, z1, sx, sz, heights, biomes, waters):
    """Writes [x0, x1) x [z0, z1) of a survey that begins at (sx, sz)."""
    world = mixed(np.uint64(seed))
    last = state.blocks.shape[1] - 1
    highest = 0
    for x in range(x0, x1):
        for z in range(z0, z1):
            h = heights[x - sx, z - sz]
            biome = biomes[x - sx, z - sz]
            water = waters[x - sx, z - sz]
            state.ground[w, x & last, z & last] = h
            state.biomes[w, x & last, z & last] = biome
            highest = max(highest, h, water)
            column = state.blocks[w, x & last, z & last]
            metas = state.meta[w, x & last, z & last]
            metas[:] = 0
            top, top_meta, fill, fill_meta = material(rules, world, biome, x, z, h, water)
            draw = unit_at(world + np.uint64(56), x, z)
            deep = h - 3 - np.int64(2.0 * draw)
            column[0] = BEDROCK
            column[1 : deep + 1] = STONE
            column[deep + 1 : h] = fill
            column[h] = top
            column[h + 1 :] = 0
            if fill_meta > 0:
                metas[deep + 1 : h] = fill_meta
            metas[h] = top_meta
            if fill == SAND:
                column[deep - 1 : deep + 1] = SANDSTONE if fill_meta == 0 else RED_SANDSTONE
            if fill in (STAINED_CLAY, HARDENED_CLAY):
                lay_bands(world, column, metas, x, z, h, top)
            if h < water:
                column[h + 1 : water + 1] = WATER
    player = state.players[w]
    player.ceiling = max(player.ceiling, highest)


@kernel
def lay_bands(world, column, metas, x, z, h, top):
    for y in range(max(h - 22, SHORE - 4), h):
        block, meta, _, _ = banded(world, x, z, y)
        if top == SAND:
            block = STAINED_CLAY
            meta = 1
        column[y] = block
        metas[y] = meta
