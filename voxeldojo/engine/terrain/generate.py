"""Fills a rectangle of the window from seed and place alone."""

import numpy as np
from numba import int64, uint64

from voxeldojo.engine.compiling.compiled_apart import apart
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.state import END, FLAT, HEIGHT, NETHER, ONE_BIOME
from voxeldojo.engine.structures.build import build
from voxeldojo.engine.terrain.end.generate import generate_end
from voxeldojo.engine.terrain.flat_worlds import fill_flat
from voxeldojo.engine.terrain.ground import lay_columns, survey
from voxeldojo.engine.terrain.nether.generate import generate_nether
from voxeldojo.engine.terrain.planting import MOST, plant_chunk
from voxeldojo.engine.terrain.plants import plant_columns
from voxeldojo.engine.terrain.underground.carve import carve
from voxeldojo.engine.terrain.underground.ores import bury

CHUNK = 16
NETHER_BIOME, END_BIOME, VOID = 8, 9, 127
PLATFORM = 3  # y of the void's platform, Minecraft's: 33 x 33 blocks of stone around (8, 8)


@apart(int64, uint64, int64, int64, int64, int64)
def generate_area(state, rules, w, seed, x0, z0, x1, z1):
    """Generate the columns [x0, x1) x [z0, z1) of the window in the player's dimension. The result
    does not depend on the rectangle, or on what was generated before."""
    setting = state.settings[w]
    seed = np.uint64(seed)
    dimension = state.players[w].dimension
    alone = setting.biome if setting.generator == ONE_BIOME else -1
    if dimension == NETHER or (dimension != END and alone == NETHER_BIOME):
        clear(state, w, NETHER_BIOME, x0, z0, x1, z1)
        generate_nether(state, rules, w, seed, x0, z0, x1, z1)
        build(state, rules, w, seed, x0, z0, x1, z1)
    elif dimension == END or alone == END_BIOME:
        clear(state, w, END_BIOME, x0, z0, x1, z1)
        generate_end(state, rules, w, seed, x0, z0, x1, z1)
        build(state, rules, w, seed, x0, z0, x1, z1)
    elif setting.generator == FLAT:
        fill_flat(state, w, x0, z0, x1, z1)
    elif alone == VOID:
        clear(state, w, VOID, x0, z0, x1, z1)
        lay_platform(state, w, x0, z0, x1, z1)
    else:
        generate_overworld(state, rules, w, seed, x0, z0, x1, z1)


@kernel
def generate_overworld(state, rules, w, seed, x0, z0, x1, z1):
    # One ring of chunks more, as trees there may reach into the rectangle.
    sx = ((x0 >> 4) - 1) * CHUNK
    sz = ((z0 >> 4) - 1) * CHUNK
    rows = (((x1 - 1) >> 4) + 2) * CHUNK - sx
    columns = (((z1 - 1) >> 4) + 2) * CHUNK - sz
    heights = np.empty((rows, columns), np.int64)
    biomes = np.empty((rows, columns), np.int64)
    waters = np.empty((rows, columns), np.int64)
    survey(state, rules, w, seed, sx, sz, heights, biomes, waters)
    lay_columns(state, rules, w, seed, x0, z0, x1, z1, sx, sz, heights, biomes, waters)
    bury(state, rules, w, seed, x0, z0, x1, z1)
    carve(state, rules, w, seed, x0, z0, x1, z1)
    clip = np.array([x0, z0, x1, z1], np.int64)
    trunks = np.empty((MOST, 2), np.int64)
    for cx in range(sx >> 4, (sx + rows) >> 4):
        for cz in range(sz >> 4, (sz + columns) >> 4):
            plant_chunk(
                state, rules, w, seed, clip, cx, cz, sx, sz, heights, biomes, waters, trunks
            )
    plant_columns(state, rules, w, seed, x0, z0, x1, z1, sx, sz, heights, biomes, waters)
    build(state, rules, w, seed, x0, z0, x1, z1)


@kernel
def clear(state, w, biome, x0, z0, x1, z1):
    last = state.blocks.shape[1] - 1
    for x in range(x0, x1):
        for z in range(z0, z1):
            state.blocks[w, x & last, z & last] = 0
            state.meta[w, x & last, z & last] = 0
            state.ground[w, x & last, z & last] = 0
            state.biomes[w, x & last, z & last] = biome


@kernel
def lay_platform(state, w, x0, z0, x1, z1):
    last = state.blocks.shape[1] - 1
    for x in range(max(x0, 8 - 16), min(x1, 8 + 17)):
        for z in range(max(z0, 8 - 16), min(z1, 8 + 17)):
            state.blocks[w, x & last, z & last, PLATFORM] = 4 if x == 8 and z == 8 else 1
            state.ground[w, x & last, z & last] = PLATFORM
    state.players[w].ceiling = min(HEIGHT - 1, max(state.players[w].ceiling, PLATFORM))
