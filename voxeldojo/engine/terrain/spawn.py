"""The player's start."""

import math

import numpy as np

from voxeldojo.engine.chance import mixed
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.state import DEFAULT_WORLD, FLAT, HEIGHT, SEA_LEVEL
from voxeldojo.engine.terrain.columns import surface
from voxeldojo.engine.terrain.generate import END_BIOME, NETHER_BIOME, VOID

LOG, LOG_2, CACTUS = 17, 162, 81
TRIES = 300
NEAREST, FURTHEST = 5.0, 10.0  # metres to the nearest tree, where there are any
COVERED = 300.0  # penalty of a place that is not under the open sky, or odd ground
ASTRAY = 40  # rings of 16 columns in which dry land is searched for
# Biomes in which Minecraft lets a new world begin: forest, plains, taiga, jungle and their hills.
BEGINNINGS = np.zeros(256, np.bool_)
BEGINNINGS[[1, 4, 5, 18, 19, 21, 22]] = True


@kernel
def region_of_start(rules, setting, seed):
    """A column of dry land near the origin, around which the window is loaded."""
    if setting.generator == FLAT or setting.biome in (NETHER_BIOME, END_BIOME, VOID):
        return 8, 8
    for ring in range(ASTRAY):
        for side in range(max(1, 8 * ring)):
            x, z = on_ring(ring, side)
            h, biome = surface(rules, setting.biome, setting.generator, seed, 16 * x, 16 * z)
            if h < SEA_LEVEL:
                continue
            if setting.generator != DEFAULT_WORLD or BEGINNINGS[biome]:
                return 16 * x, 16 * z
    return 8, 8


@kernel
def on_ring(ring, side):
    """The places of a square ring, one after another."""
    if ring == 0:
        return 0, 0
    edge = side // (2 * ring)
    along = side % (2 * ring) - ring
    if edge == 0:
        return along, -ring
    if edge == 1:
        return ring, along
    if edge == 2:
        return -along, ring
    return -ring, -along


@kernel
def choose_start(state, rules, w, seed):
    """(x, y, z) of the block of the feet, in the middle part of the window: firm, dry and open,
    preferably 5 to 10 metres from the nearest tree. If there is no such place, the top of the
    middle column."""
    area = state.blocks.shape[1]
    player = state.players[w]
    bits = mixed(np.uint64(seed) + np.uint64(37))
    spread = min(24, area // 4)
    middle_x = player.west + area // 2
    middle_z = player.north + area // 2
    best_x = middle_x
    best_z = middle_z
    best_y = floor_at(state, rules, w, middle_x, middle_z)
    best = 1e6
    for _ in range(TRIES):
        bits = mixed(bits)
        x = middle_x - spread + np.int64(bits % np.uint64(2 * spread))
        z = middle_z - spread + np.int64((bits >> np.uint64(20)) % np.uint64(2 * spread))
        y = floor_at(state, rules, w, x, z)
        if y < 0:
            continue
        nearest = nearest_trunk(state, w, x, z)
        # Nothing within reach, something to be seen: the distance from the wished for band.
        penalty = max(0.0, NEAREST - nearest) * 100.0 + max(0.0, nearest - FURTHEST)
        if top_of(state, w, x, z) > y + 1 and state.biomes[w, 0, 0] != NETHER_BIOME:
            penalty += COVERED
        if not on_own_ground(state, rules, w, x, y, z):
            penalty += COVERED
        if penalty < best:
            best = penalty
            best_x = x
            best_y = y
            best_z = z
            if penalty == 0.0:
                break
    if best_y < 0:
        best_y = top_of(state, w, best_x, best_z) + 1
    return best_x, best_y, best_z


@kernel
def on_own_ground(state, rules, w, x, y, z):
    """Whether the ground is the biome's own: like Minecraft, prefer grass to bare rock or sand."""
    last = state.blocks.shape[1] - 1
    own = rules.biome[state.biomes[w, x & last, z & last]].top
    return state.blocks[w, x & last, z & last, y - 1] == own


@kernel
def floor_at(state, rules, w, x, z):
    """The y of feet that stand on a column's ground, in the Nether on the lowest floor with room
    over it. -1: there is no such place."""
    last = state.blocks.shape[1] - 1
    column = state.blocks[w, x & last, z & last]
    if state.biomes[w, x & last, z & last] == NETHER_BIOME:
        for y in range(33, 100):
            firm = rules.block[column[y - 1]].solid and rules.block[column[y - 1]].height >= 1.0
            if firm and column[y - 1] != 10 and column[y] == 0 and column[y + 1] == 0:
                return y
        return -1
    y = np.int64(state.ground[w, x & last, z & last])
    if state.biomes[w, x & last, z & last] == END_BIOME:
        y = np.int64(top_of(state, w, x, z))
    ground = rules.block[column[y]]
    if y < 1 or y > HEIGHT - 3 or not ground.solid or ground.height < 1.0 or column[y] == CACTUS:
        return -1
    for level in range(y + 1, y + 3):
        block = rules.block[column[level]]
        if block.height > 0.0 or block.liquid:
            return -1
    return y + 1


@kernel
def top_of(state, w, x, z):
    """The highest block of a column."""
    last = state.blocks.shape[1] - 1
    y = HEIGHT - 1
    while y > 0 and state.blocks[w, x & last, z & last, y] == 0:
        y -= 1
    return y


@kernel
def nearest_trunk(state, w, x, z):
    """Metres to the nearest trunk in the columns around, 30 if there is none near."""
    last = state.blocks.shape[1] - 1
    reach = 13
    nearest = 30.0
    for i in range(x - reach, x + reach + 1):
        for k in range(z - reach, z + reach + 1):
            level = np.int64(state.ground[w, i & last, k & last]) + 2
            if level < HEIGHT and state.blocks[w, i & last, k & last, level] in (LOG, LOG_2):
                nearest = min(nearest, math.hypot(float(i - x), float(k - z)))
    return nearest
