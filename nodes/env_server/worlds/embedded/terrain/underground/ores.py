"""Bedrock, pockets of other stone, and ores, at Minecraft 1.11.2's depths, sizes and rates."""

import math

import numpy as np

from models.rules import BIOMES
from nodes.env_server.worlds.embedded.chance import GOLDEN, mixed
from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.state import HEIGHT
from nodes.env_server.worlds.embedded.terrain.underground.carve import chunk_bits, fraction

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


@kernel
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
                    lay_line(
                        state, w, mixed(bits), x, y, z, vein[3], STONE, vein[0], vein[1], vein[6],
                        x0, z0, x1, z1,
                    )  # fmt: skip


@kernel
def lay_bedrock(state, w, seed, x0, z0, x1, z1):
    """Bedrock fills y 0 and, ever less often, up to y 4."""
    last = state.blocks.shape[1] - 1
    for x in range(x0, x1):
        for z in range(z0, z1):
            bits = chunk_bits(seed, 202, x, z)
            column = state.blocks[w, x & last, z & last]
            for y in range(5):
                if np.int64(bits % np.uint64(5)) >= y:
                    column[y] = BEDROCK
                bits //= np.uint64(5)


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
def lay_line(state, w, bits, x, y, z, size, host, block, meta, where, x0, z0, x1, z1):
    """The game's vein, in place of ``host`` blocks: balls along a short line,
    thickest in its middle. Of a large one only some are laid; the others lie within them."""
    if size == SCATTERED:
        lay_ball(state, w, x + 0.5, y + 0.5, z + 0.5, 0.5, host, block, meta, where, x0, z0, x1, z1)
        return
    angle = fraction(bits) * math.pi
    along_x = math.sin(angle) * size / 8.0
    along_z = math.cos(angle) * size / 8.0
    bits = mixed(bits)
    from_y = y + np.int64(bits % np.uint64(3)) - 2
    to_y = y + np.int64((bits >> np.uint64(8)) % np.uint64(3)) - 2
    stride = 4 if size > 20 else (2 if size > 10 else 1)
    for step in range(0, size, stride):
        part = step / size
        bits = mixed(bits)
        radius = (math.sin(math.pi * part) + 1.0) * fraction(bits) * size / 32.0 + 0.5
        middle_x = x + along_x * (1.0 - 2.0 * part)
        middle_y = from_y + (to_y - from_y) * part
        middle_z = z + along_z * (1.0 - 2.0 * part)
        lay_ball(
            state, w, middle_x, middle_y, middle_z, radius, host, block, meta, where,
            x0, z0, x1, z1,
        )  # fmt: skip


@kernel
def lay_ball(state, w, x, y, z, radius, host, block, meta, where, x0, z0, x1, z1):
    last = state.blocks.shape[1] - 1
    square = radius * radius
    for i in range(max(x0, math.ceil(x - radius - 0.5)), min(x1, math.floor(x + radius + 0.5))):
        dx = i + 0.5 - x
        left = square - dx * dx
        if left <= 0.0:
            continue
        wide = math.sqrt(left)
        for k in range(max(z0, math.ceil(z - wide - 0.5)), min(z1, math.floor(z + wide + 0.5))):
            dz = k + 0.5 - z
            high = math.sqrt(max(0.0, left - dz * dz))
            column = state.blocks[w, i & last, k & last]
            if where != ANYWHERE and REGIONS[state.biomes[w, i & last, k & last]] != where:
                continue
            for j in range(
                max(0, math.ceil(y - high - 0.5)), min(HEIGHT, math.floor(y + high + 0.5))
            ):
                if column[j] == host:
                    column[j] = block
                    if meta:
                        state.meta[w, i & last, k & last, j] = meta
