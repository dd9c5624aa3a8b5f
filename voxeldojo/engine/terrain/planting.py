"""Trees and other growths beyond single columns, chunk by chunk, at the rates of BiomeDecorator.

Each belongs to a chunk by its hash. Those of the chunks around are drawn as well, as they may reach
into the rectangle. Whether one grows depends on the survey of heights and biomes alone.
"""

import numpy as np

from voxeldojo.engine.chance import GOLDEN, mixed
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.rulebook import STYLES, TREES
from voxeldojo.engine.terrain.big_trees import (
    fraction,
    grow_acacia,
    grow_big_oak,
    grow_dark_oak,
    grow_mega_jungle,
    grow_mega_spruce,
)
from voxeldojo.engine.terrain.ground import DIRT, GRASS, MYCELIUM, material
from voxeldojo.engine.terrain.growths import (
    CLAY,
    GRAVEL,
    PACKED_ICE,
    SAND,
    grow_mushroom,
    grow_spike,
    lay_bed,
    lay_boulder,
)
from voxeldojo.engine.terrain.trees import (
    BIRCH,
    OAK,
    grow_bush,
    grow_jungle,
    grow_pine,
    grow_round,
    grow_spruce,
    grow_swamp_oak,
)

MOST = 52  # trees in a chunk
APART = 2  # columns between trunks, at least
MEGA_APART = 5  # from a mega jungle tree to those before it: the game's find no room closer
SPIKES, MEGA, SWAMP = STYLES.index("spikes"), STYLES.index("mega"), STYLES.index("swamp")
BIG_OAK, BIRCHES, TALL_BIRCH = (
    TREES.index("big_oak"),
    TREES.index("birch"),
    TREES.index("tall_birch"),
)
SPRUCE, PINE = TREES.index("spruce"), TREES.index("pine")
MEGA_SPRUCE, MEGA_PINE = TREES.index("mega_spruce"), TREES.index("mega_pine")
JUNGLE, MEGA_JUNGLE = TREES.index("jungle"), TREES.index("mega_jungle")
BUSH, SWAMP_OAK = TREES.index("jungle_bush"), TREES.index("swamp_oak")
ACACIA, DARK_OAK = TREES.index("acacia"), TREES.index("dark_oak")
MUSHROOM = TREES.index("big_mushroom")


@kernel
def chunk_numbers(seed, subject, cx, cz):
    value = mixed(np.uint64(seed) + np.uint64(subject) * GOLDEN)
    value = mixed(value + np.uint64(cx))
    return mixed(value + np.uint64(cz))


@kernel
def plant_chunk(state, rules, w, seed, clip, cx, cz, sx, sz, heights, biomes, waters, trunks):
    """``trunks`` (MOST, 2): scratch for the places of this chunk's trees."""
    bits = chunk_numbers(seed, 301, cx, cz)
    world = mixed(np.uint64(seed))
    lay_beds(state, rules, w, seed, clip, cx, cz, sx, sz, heights, biomes, waters)
    place = np.int64(bits & np.uint64(15))
    style = rules.biome[biomes[cx * 16 + place - sx, cz * 16 + place - sz]].style
    if style in (SPIKES, MEGA):
        raise_rocks(state, rules, w, seed, clip, cx, cz, sx, sz, heights, biomes, waters)
    count = 0
    for number in range(MOST):
        bits = mixed(bits + GOLDEN)
        x = cx * 16 + np.int64(bits & np.uint64(15))
        z = cz * 16 + np.int64((bits >> np.uint64(4)) & np.uint64(15))
        biome = biomes[x - sx, z - sz]
        if number + fraction(mixed(bits)) >= rules.biome[biome].trees:
            if number == 0 and rules.biome[biome].trees == 0.0:
                continue
            if number > 12 and rules.biome[biome].trees < 12.0:
                break
            continue
        draw = fraction(mixed(bits + np.uint64(7)))
        kind = 0
        while kind < len(TREES) - 1 and draw >= rules.trees[biome, kind]:
            kind += 1
        if not has_room(trunks, count, x, z, MEGA_APART if kind == MEGA_JUNGLE else APART):
            continue
        h = heights[x - sx, z - sz]
        water = waters[x - sx, z - sz]
        wet = 1 if rules.biome[biome].style == SWAMP else 0
        if h + wet < water or (h < water and wet == 0):
            continue
        top, _, _, _ = material(rules, world, biome, x, z, h, 0)
        if top not in (GRASS, DIRT, MYCELIUM):
            continue
        trunks[count, 0] = x
        trunks[count, 1] = z
        count += 1
        grow(state, w, clip, kind, x, h + 1, z, mixed(bits + np.uint64(11)))


@kernel
def has_room(trunks, count, x, z, apart):
    """Whether the first ``count`` trunks are ``apart`` columns away, or more."""
    for other in range(count):
        if abs(trunks[other, 0] - x) < apart and abs(trunks[other, 1] - z) < apart:
            return False
    return True


@kernel
def grow(state, w, clip, kind, x, y, z, bits):
    """A tree of a kind of TREES, its lowest log at (x, y, z)."""
    more = np.int64((bits >> np.uint64(32)) % np.uint64(3))
    if kind == BIG_OAK:
        grow_big_oak(state, w, clip, x, y, z, bits)
    elif kind == BIRCHES:
        grow_round(state, w, clip, x, y, z, BIRCH, 5 + more, 0, bits)
    elif kind == TALL_BIRCH:
        taller = np.int64((bits >> np.uint64(40)) % np.uint64(7))
        grow_round(state, w, clip, x, y, z, BIRCH, 5 + more + taller, 0, bits)
    elif kind == SPRUCE:
        grow_spruce(state, w, clip, x, y, z, bits)
    elif kind == PINE:
        grow_pine(state, w, clip, x, y, z, bits)
    elif kind in (MEGA_SPRUCE, MEGA_PINE):
        grow_mega_spruce(state, w, clip, x, y, z, kind == MEGA_SPRUCE, bits)
    elif kind == JUNGLE:
        grow_jungle(state, w, clip, x, y, z, bits)
    elif kind == MEGA_JUNGLE:
        grow_mega_jungle(state, w, clip, x, y, z, bits)
    elif kind == BUSH:
        grow_bush(state, w, clip, x, y, z, bits)
    elif kind == SWAMP_OAK:
        grow_swamp_oak(state, w, clip, x, y, z, bits)
    elif kind == ACACIA:
        grow_acacia(state, w, clip, x, y, z, bits)
    elif kind == DARK_OAK:
        grow_dark_oak(state, w, clip, x, y, z, bits)
    elif kind == MUSHROOM:
        grow_mushroom(state, w, clip, x, y, z, bits)
    else:
        grow_round(state, w, clip, x, y, z, OAK, 4 + more, 0, bits)


@kernel
def lay_beds(state, rules, w, seed, clip, cx, cz, sx, sz, heights, biomes, waters):
    """Minecraft's tries in a chunk: three of sand, one of clay, one of gravel, only under water."""
    bits = chunk_numbers(seed, 302, cx, cz)
    for number in range(5):
        bits = mixed(bits + GOLDEN)
        x = cx * 16 + np.int64(bits & np.uint64(15))
        z = cz * 16 + np.int64((bits >> np.uint64(4)) & np.uint64(15))
        h = heights[x - sx, z - sz]
        if h >= waters[x - sx, z - sz]:
            continue
        if number < 3:
            if rules.biome[biomes[x - sx, z - sz]].style == SWAMP:
                continue
            radius = 2 + np.int64((bits >> np.uint64(8)) % np.uint64(5))
            lay_bed(state, w, clip, x, h, z, radius, 2, SAND, True)
        elif number == 3:
            radius = 2 + np.int64((bits >> np.uint64(8)) % np.uint64(2))
            lay_bed(state, w, clip, x, h, z, radius, 1, CLAY, False)
        else:
            radius = 2 + np.int64((bits >> np.uint64(8)) % np.uint64(4))
            lay_bed(state, w, clip, x, h, z, radius, 2, GRAVEL, True)


@kernel
def raise_rocks(state, rules, w, seed, clip, cx, cz, sx, sz, heights, biomes, waters):
    """Three spikes and two sheets of ice in a chunk of spikes, up to two boulders in a mega
    taiga's."""
    bits = chunk_numbers(seed, 303, cx, cz)
    for number in range(5):
        bits = mixed(bits + GOLDEN)
        x = cx * 16 + np.int64(bits & np.uint64(15))
        z = cz * 16 + np.int64((bits >> np.uint64(4)) & np.uint64(15))
        h = heights[x - sx, z - sz]
        style = rules.biome[biomes[x - sx, z - sz]].style
        if h < waters[x - sx, z - sz]:
            continue
        if style == SPIKES:
            if number < 2:
                radius = 2 + np.int64((bits >> np.uint64(8)) & np.uint64(1))
                lay_bed(state, w, clip, x, h, z, radius, 1, PACKED_ICE, True)
            else:
                grow_spike(state, w, clip, x, h, z, bits >> np.uint64(8))
        elif style == MEGA and number < np.int64((bits >> np.uint64(8)) % np.uint64(3)):
            lay_boulder(state, w, clip, x, h + 1, z, bits)
