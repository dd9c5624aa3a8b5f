"""Terrain from a seed: rolling ground of one biome, ores, trees, grass and flowers.

What stands at a place depends on the seed and the place alone, so a seed is the same world in every
environment of every batch.
"""

import math
from typing import NamedTuple

import numpy as np

from models.rules import BIOMES, BLOCKS, Biome
from nodes.env_server.worlds.embedded.chance import mixed, unit_at
from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.state import HEIGHT, SEA_LEVEL

PLOT = 6  # a plot of so many columns square has one tree at most
TALLEST = 14  # nothing that grows reaches further above the ground
MARGIN = 4  # columns at the edge without trees
OAK, SPRUCE, BIRCH = 0, 1, 2

# block id, veins in 16 x 16 columns, blocks in a vein, lowest and highest y
ORES = (
    (16, 20, 14, 2, 100),  # coal
    (15, 20, 8, 2, 64),  # iron
    (14, 2, 8, 2, 32),  # gold
    (73, 8, 7, 2, 16),  # redstone
    (56, 1, 7, 2, 16),  # diamond
    (21, 1, 6, 2, 32),  # lapis lazuli
)
ORE_TABLE = np.array(ORES, np.int64)

STONE, GRASS, DIRT, BEDROCK, LOG, LEAVES = 1, 2, 3, 7, 17, 18
TALLGRASS, DEADBUSH, DANDELION, POPPY, CACTUS = 31, 32, 37, 38, 81


class TerrainFigures(NamedTuple):
    """A biome's terrain in numbers."""

    height: float
    relief: float
    top: int
    fill: int
    trees: float
    oak: float  # share of oaks; birches and spruces share the rest
    birch: float
    tall: int
    grass: float
    grass_kind: int
    flowers: float
    stone: int
    cactus: float
    deadbush: float


def figures_of(biome: Biome) -> TerrainFigures:
    """Raises ValueError where the embedded world cannot make the biome."""
    if biome.terrain is None:
        names = sorted(entry.name for entry in BIOMES if entry.terrain is not None)
        raise ValueError(
            f"the embedded world cannot make the biome {biome.name!r} yet; it can make"
            f" {', '.join(names)}"
        )
    terrain = biome.terrain
    ids = {block.name: block.id for block in BLOCKS}
    return TerrainFigures(
        height=float(terrain.height),
        relief=float(terrain.relief),
        top=ids[terrain.top],
        fill=ids[terrain.fill],
        trees=terrain.trees,
        oak=terrain.kinds.get("oak", 0.0),
        birch=terrain.kinds.get("birch", 0.0),
        tall=terrain.tall,
        grass=terrain.grass,
        grass_kind=2 if terrain.fern else 1,
        flowers=terrain.flowers,
        stone=terrain.stone,
        cactus=terrain.cactus,
        deadbush=terrain.deadbush,
    )


@kernel
def smooth(t):
    return t * t * (3.0 - 2.0 * t)


@kernel
def add_noise(level, seed, scale, weight):
    """Adds value noise in [0, weight) to ``level``: random numbers on a lattice ``scale`` columns
    wide, joined smoothly."""
    area = level.shape[0]
    for ix in range((area + scale - 1) // scale):
        for iz in range((area + scale - 1) // scale):
            a = weight * unit_at(seed, ix, iz)
            b = weight * unit_at(seed, ix + 1, iz)
            c = weight * unit_at(seed, ix, iz + 1)
            d = weight * unit_at(seed, ix + 1, iz + 1)
            for x in range(ix * scale, min(area, (ix + 1) * scale)):
                tx = smooth((x - ix * scale) / scale)
                near = a + (b - a) * tx
                far = c + (d - c) * tx
                for z in range(iz * scale, min(area, (iz + 1) * scale)):
                    level[x, z] += near + (far - near) * smooth((z - iz * scale) / scale)


@kernel
def fill_columns(state, w, seed, t):
    area = state.blocks.shape[1]
    plants = mixed(seed + np.uint64(11))
    levels = np.zeros((area, area))
    add_noise(levels, seed, 40, 0.62)
    add_noise(levels, seed + np.uint64(1), 17, 0.27)
    add_noise(levels, seed + np.uint64(2), 8, 0.11)
    state.meta[w] = 0
    highest = 0
    for x in range(area):
        for z in range(area):
            # Sums of noise crowd around the middle; stretched, the whole relief is used.
            level = min(1.0, max(0.0, (levels[x, z] - 0.5) * 1.5 + 0.5))
            y = SEA_LEVEL + int(max(0.0, t.height + t.relief * (level - 0.5)))
            y = min(y, HEIGHT - 24)
            state.ground[w, x, z] = y
            highest = max(highest, y)
            column = state.blocks[w, x, z]
            column[0] = BEDROCK
            column[1 : y - 3] = STONE
            column[y + 1 :] = 0
            if y >= t.stone:
                column[y - 3 : y + 1] = STONE
                continue
            column[y - 3 : y] = t.fill
            column[y] = t.top
            if t.top == GRASS:
                draw = unit_at(plants, x, z)
                if draw < t.grass:
                    column[y + 1] = TALLGRASS
                    state.meta[w, x, z, y + 1] = t.grass_kind
                elif draw < t.grass + t.flowers:
                    column[y + 1] = DANDELION if draw < t.grass + 0.5 * t.flowers else POPPY
            elif t.deadbush + t.cactus > 0.0:
                draw = unit_at(plants, x, z)
                if draw < t.deadbush:
                    column[y + 1] = DEADBUSH
                elif draw < t.deadbush + t.cactus:
                    column[y + 1 : y + 3 + int(draw * 1e6) % 2] = CACTUS
    state.players[w].ceiling = min(HEIGHT - 1, highest + TALLEST)


@kernel
def bury_ores(state, w, seed):
    area = state.blocks.shape[1]
    chunks = area * area / 256.0
    for row in range(ORE_TABLE.shape[0]):
        ore = ORE_TABLE[row]
        veins = int(ore[1] * chunks)
        for vein in range(veins):
            bits = mixed(seed + np.uint64(1000003 * (row + 1)) + np.uint64(vein))
            x = np.int64(bits % np.uint64(area))
            z = np.int64((bits >> np.uint64(16)) % np.uint64(area))
            y = np.int64((bits >> np.uint64(32)) % np.uint64(ore[4] - ore[3])) + ore[3]
            for _ in range(ore[2]):
                if state.blocks[w, x, z, y] == STONE:
                    state.blocks[w, x, z, y] = ore[0]
                bits = mixed(bits)
                axis = np.int64(bits % np.uint64(6))
                if axis == 0:
                    x = min(area - 1, x + 1)
                elif axis == 1:
                    x = max(0, x - 1)
                elif axis == 2:
                    z = min(area - 1, z + 1)
                elif axis == 3:
                    z = max(0, z - 1)
                elif axis == 4:
                    y = min(HEIGHT - 1, y + 1)
                else:
                    y = max(1, y - 1)


@kernel
def put_leaves(state, w, x, y, z, kind):
    area = state.blocks.shape[1]
    if x < 0 or z < 0 or x >= area or z >= area or y >= HEIGHT:
        return
    there = state.blocks[w, x, z, y]
    if there in (0, TALLGRASS, DANDELION, POPPY):
        state.blocks[w, x, z, y] = LEAVES
        state.meta[w, x, z, y] = kind


@kernel
def grow_round_tree(state, w, x, z, kind, height, bits):
    """An oak or a birch: a crown of four layers, its corners frayed."""
    base = np.int64(state.ground[w, x, z]) + 1
    for layer in range(-3, 1):
        radius = 2 if layer < -1 else 1
        for dx in range(-radius, radius + 1):
            for dz in range(-radius, radius + 1):
                if abs(dx) == radius and abs(dz) == radius:
                    bits = mixed(bits)
                    if layer == 0 or bits & np.uint64(1) == np.uint64(0):
                        continue
                put_leaves(state, w, x + dx, base + height + layer, z + dz, kind)
    raise_trunk(state, w, x, base, z, kind, height)


@kernel
def grow_spruce(state, w, x, z, height, bits):
    """A spruce: leaves in rings that widen downwards, the lowest blocks bare."""
    base = np.int64(state.ground[w, x, z]) + 1
    bare = 1 + np.int64(bits & np.uint64(1))
    widest = 2 + np.int64((bits >> np.uint64(1)) & np.uint64(1))
    radius = np.int64((bits >> np.uint64(2)) & np.uint64(1))
    limit = 1
    start = 0
    for layer in range(height + 1 - bare + 1):
        y = base + height + 1 - layer
        for dx in range(-radius, radius + 1):
            for dz in range(-radius, radius + 1):
                if radius > 0 and abs(dx) == radius and abs(dz) == radius:
                    continue
                put_leaves(state, w, x + dx, y, z + dz, SPRUCE)
        if radius >= limit:
            radius = start
            start = 1
            limit = min(limit + 1, widest)
        else:
            radius += 1
    raise_trunk(state, w, x, base, z, SPRUCE, height)


@kernel
def raise_trunk(state, w, x, base, z, kind, height):
    state.blocks[w, x, z, base - 1] = DIRT
    state.meta[w, x, z, base - 1] = 0
    for y in range(base, base + height):
        state.blocks[w, x, z, y] = LOG
        state.meta[w, x, z, y] = kind


@kernel
def plant_trees(state, w, seed, t, trunks):
    """Plants the trees; their places go into ``trunks`` (n, 2). Returns how many there are."""
    area = state.blocks.shape[1]
    forest = mixed(seed + np.uint64(23))
    count = 0
    for plot_x in range(area // PLOT):
        for plot_z in range(area // PLOT):
            if unit_at(forest, plot_x, plot_z) >= t.trees:
                continue
            bits = mixed(forest + np.uint64(plot_x * 4096 + plot_z + 1))
            x = plot_x * PLOT + np.int64(bits % np.uint64(4))
            z = plot_z * PLOT + np.int64((bits >> np.uint64(8)) % np.uint64(4))
            if min(x, z) < MARGIN or max(x, z) >= area - MARGIN or count >= trunks.shape[0]:
                continue
            if state.blocks[w, x, z, state.ground[w, x, z]] != GRASS:
                continue
            share = np.float64((bits >> np.uint64(16)) % np.uint64(1000)) / 1000.0
            more = np.int64((bits >> np.uint64(32)) % np.uint64(3))
            if share < t.oak:
                grow_round_tree(state, w, x, z, OAK, 4 + more + t.tall, bits)
            elif share < t.oak + t.birch:
                grow_round_tree(state, w, x, z, BIRCH, 5 + more + t.tall, bits)
            else:
                grow_spruce(state, w, x, z, 5 + more + t.tall, bits)
            trunks[count, 0] = x
            trunks[count, 1] = z
            count += 1
    return count


@kernel
def choose_spawn(state, w, seed, trunks, count):
    """A free place in the middle part of the world, best 5 to 10 metres from the nearest tree."""
    area = state.blocks.shape[1]
    bits = mixed(seed + np.uint64(37))
    best_x = area // 2
    best_z = area // 2
    best = 1e9
    quarter = area // 4
    for _ in range(100):
        bits = mixed(bits)
        x = quarter + np.int64(bits % np.uint64(area - 2 * quarter))
        z = quarter + np.int64((bits >> np.uint64(20)) % np.uint64(area - 2 * quarter))
        y = np.int64(state.ground[w, x, z])
        foot = state.blocks[w, x, z, y + 1]
        if foot not in (0, TALLGRASS, DANDELION, POPPY):
            continue
        covered = False
        for above in range(y + 2, HEIGHT):
            if state.blocks[w, x, z, above] != 0:
                covered = True
                break
        if covered or state.blocks[w, x, z, y] == STONE:
            continue
        nearest = 1e9
        for tree in range(count):
            away = math.hypot(float(trunks[tree, 0] - x), float(trunks[tree, 1] - z))
            nearest = min(nearest, away)
        # Nothing within reach, something to be seen: the distance from the wished for band.
        penalty = max(0.0, 5.0 - nearest) * 100.0 + max(0.0, nearest - 10.0)
        if penalty < best:
            best = penalty
            best_x = x
            best_z = z
            if penalty == 0.0:
                break
    return best_x, best_z


@kernel
def generate(state, w, seed, t):
    """Make world ``w`` anew. Returns the column where the player starts."""
    trunks = np.empty((1024, 2), np.int64)
    mixed_seed = mixed(seed)
    fill_columns(state, w, mixed_seed, t)
    bury_ores(state, w, mixed_seed)
    count = plant_trees(state, w, mixed_seed, t, trunks)
    return choose_spawn(state, w, mixed_seed, trunks, count)
