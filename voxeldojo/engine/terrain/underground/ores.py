"""Bedrock, pockets of other stone, and ores, at Minecraft 1.11.2's depths, sizes and rates."""

import math

import numpy as np

from voxeldojo.engine.chance import GOLDEN, mixed
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.state import HEIGHT
from voxeldojo.engine.terrain.eight_blocks import EIGHT, alike, between, replaced
from voxeldojo.engine.terrain.underground.carve import chunk_bits, fraction
from voxeldojo.rules import BIOMES

STONE, BEDROCK = 1, 7
ANYWHERE, HILLS, MESAS = 0, 1, 2
SPREAD = 6  # blocks that a vein reaches beyond its middle
SCATTERED = 1  # a size of one block

# block, metadata, veins in a chunk, size, lowest y, height of the layer, where, middle-heavy
VEINS = np.array(
    [
        (3, 0, 10, 33, 0, 256, ANYWHERE, 0),  # dirt
        (13, 0, 8, 33, 0, 256, ANYWHERE, 0),  # gravel
        (1, 1, 10, 33, 0, 80, ANYWHERE, 0),  # granite
        (1, 3, 10, 33, 0, 80, ANYWHERE, 0),  # diorite
        (1, 5, 10, 33, 0, 80, ANYWHERE, 0),  # andesite
        (16, 0, 20, 17, 0, 128, ANYWHERE, 0),  # coal
        (15, 0, 20, 9, 0, 64, ANYWHERE, 0),  # iron
        (14, 0, 2, 9, 0, 32, ANYWHERE, 0),  # gold
        (73, 0, 8, 8, 0, 16, ANYWHERE, 0),  # redstone
        (56, 0, 1, 8, 0, 16, ANYWHERE, 0),  # diamond
        (21, 0, 1, 7, 0, 16, ANYWHERE, 1),  # lapis lazuli, thickest around 16
        (14, 0, 20, 9, 32, 48, MESAS, 0),  # gold in mesas
        (97, 0, 7, 9, 0, 64, HILLS, 0),  # stone with silverfish
        (129, 0, 5, SCATTERED, 4, 28, HILLS, 0),  # emerald
    ],
    np.int64,
)
REGIONS = np.zeros(256, np.int64)
for _biome in BIOMES:
    if _biome.name.startswith("extreme_hills"):
        REGIONS[_biome.id] = HILLS
    elif _biome.name.startswith("mesa"):
        REGIONS[_biome.id] = MESAS
FLOOR = 5  # blocks, the lowest of a column, in which there may be bedrock
# For five draws of 0 to 4, written as a number of base 5, the lowest draw first: 0xFF for each of
# these blocks that is bedrock, which the block at y is if its draw is y or more.
FLOORS = np.array(
    [
        sum(0xFF << EIGHT * y for y in range(FLOOR) if draws // FLOOR**y % FLOOR >= y)
        for draws in range(FLOOR**FLOOR)
    ],
    np.uint64,
)


@entry_kernel
def bury(state, rules, w, seed, x0, z0, x1, z1):
    """Bedrock, pockets and ores in the stone of the columns [x0, x1) x [z0, z1)."""
    lay_bedrock(state, w, seed, x0, z0, x1, z1)
    regions, highest = regions_in(state, w, x0, z0, x1, z1)
    for chunk_x in range((x0 - SPREAD) >> 4, ((x1 + SPREAD) >> 4) + 1):
        for chunk_z in range((z0 - SPREAD) >> 4, ((z1 + SPREAD) >> 4) + 1):
            for row in range(VEINS.shape[0]):
                bits = chunk_bits(seed, 210 + row, chunk_x, chunk_z)
                vein = VEINS[row]
                if regions & (1 << vein[6]) == 0:
                    continue
                for _ in range(vein[2]):
                    bits = mixed(bits + GOLDEN)
                    x = chunk_x * 16 + np.int64(bits & np.uint64(15))
                    z = chunk_z * 16 + np.int64((bits >> np.uint64(4)) & np.uint64(15))
                    if x < x0 - SPREAD or x > x1 + SPREAD or z < z0 - SPREAD or z > z1 + SPREAD:
                        continue
                    y = vein[4] + np.int64((bits >> np.uint64(8)) & np.uint64(4095)) % vein[5]
                    if vein[7]:
                        y += np.int64((bits >> np.uint64(24)) & np.uint64(4095)) % vein[5]
                    if y > highest + SPREAD:
                        continue
                    lay_vein(
                        state, w, mixed(bits), x, y, z, vein[3], STONE, vein[0], vein[1], vein[6],
                        x0, z0, x1, z1,
                    )  # fmt: skip


@kernel
def lay_bedrock(state, w, seed, x0, z0, x1, z1):
    """Bedrock fills y 0 and, ever less often, up to y 4."""
    last = state.blocks.shape[1] - 1
    blocks = state.blocks[w].view(np.uint64)
    for x in range(x0, x1):
        for z in range(z0, z1):
            bits = chunk_bits(seed, 202, x, z)
            floor = FLOORS[np.int64(bits % np.uint64(len(FLOORS)))]
            lowest = blocks[x & last, z & last, 0]
            blocks[x & last, z & last, 0] = replaced(lowest, floor, BEDROCK)


@kernel
def regions_in(state, w, x0, z0, x1, z1):
    """Which of the regions with ores of their own the rectangle touches, as bits of 1 << region,
    and its highest ground."""
    last = state.blocks.shape[1] - 1
    found = 1 << ANYWHERE
    highest = 0
    for x in range(x0, x1):
        for z in range(z0, z1):
            found |= 1 << REGIONS[state.biomes[w, x & last, z & last]]
            highest = max(highest, np.int64(state.ground[w, x & last, z & last]))
    return found, highest


@kernel
def lay_vein(state, w, bits, x, y, z, size, host, block, meta, where, x0, z0, x1, z1):
    """A vein in place of ``host`` blocks. The game strings balls along a short line; this is one
    tilted ellipsoid around the same line, of the same volume on average."""
    last = state.blocks.shape[1] - 1
    blocks = state.blocks[w].view(np.uint64)
    metas = state.meta[w].view(np.uint64)
    angle = fraction(bits) * math.pi
    ahead = math.cos(angle)
    aside = math.sin(angle)
    bits = mixed(bits)
    long = size / 8.0 + 0.6
    thick = (0.5 + size / 23.0) * (0.75 + 0.5 * fraction(bits))
    if size == SCATTERED:
        long = thick = 0.62  # a block's volume
    tilt = (
        np.float64((bits >> np.uint64(2)) & np.uint64(3)) - 1.5
    ) / 2.0  # from its middle to its end
    middle_x = x + np.float64(bits & np.uint64(1023)) / 1024.0
    middle_y = y - 1.0 + np.float64((bits >> np.uint64(10)) & np.uint64(1023)) / 1024.0
    middle_z = z + np.float64((bits >> np.uint64(20)) & np.uint64(1023)) / 1024.0
    wide = math.sqrt((long * ahead) ** 2 + (thick * aside) ** 2)
    # Both axes' lengths are one: what is left of the height is thick * sqrt(1 - along² - across²).
    along_x = ahead / long
    along_z = aside / long
    across_x = -aside / thick
    across_z = ahead / thick
    # Where a row of blocks crosses the ellipse: the middle, and half of the length of the longest.
    narrowing = 1.0 / (wide * wide)
    lean = ahead * aside * (long * long - thick * thick) * narrowing
    half = long * thick / wide
    for i in range(
        max(x0, math.ceil(middle_x - wide - 0.5)), min(x1, math.floor(middle_x + wide + 0.5))
    ):
        dx = i + 0.5 - middle_x
        row_middle = middle_z + lean * dx
        # A little more for rounding, as each block is tested.
        row_half = half * math.sqrt(max(0.0, 1.0 - dx * dx * narrowing)) + 1e-6
        for k in range(
            max(z0, math.ceil(row_middle - row_half - 0.5)),
            min(z1, math.floor(row_middle + row_half + 0.5)),
        ):
            dz = k + 0.5 - middle_z
            along = dx * along_x + dz * along_z
            across = dx * across_x + dz * across_z
            left = 1.0 - along * along - across * across
            if left <= 0.0:
                continue
            if where != ANYWHERE and REGIONS[state.biomes[w, i & last, k & last]] != where:
                continue
            high = thick * math.sqrt(left)
            level = middle_y + tilt * along
            low = max(0, math.ceil(level - high - 0.5))
            top = min(HEIGHT, math.floor(level + high + 0.5))
            for number in range(low >> 3, (top + 7) >> 3):
                eight = blocks[i & last, k & last, number]
                found = alike(eight, host) & between(low - EIGHT * number, top - EIGHT * number)
                blocks[i & last, k & last, number] = replaced(eight, found, block)
                if meta:
                    eight = metas[i & last, k & last, number]
                    metas[i & last, k & last, number] = replaced(eight, found, meta)
