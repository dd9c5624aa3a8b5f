"""Height of the ground and biome of every place, as pure functions of the seed.

A simpler form of Minecraft's method: a biome has a depth and a scale; both are averaged over the
biomes around, so that borders are slopes, and noise is added. As in Minecraft the height is
computed every four columns and interpolated linearly.
"""

import math

import numpy as np

from voxeldojo.engine.chance import mixed, unit_at
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.state import FLAT, ONE_BIOME
from voxeldojo.engine.terrain.climate import cell_biome

SURFACE = 63.75  # height of ground of depth 0
PER_DEPTH = 17.0
ROLLING = 34.0  # blocks of height on either side of the mean for a scale of 1
STEEP = 96.0  # ground above is compressed, the world being half as high as Minecraft's
HIGHEST = 115
LOWEST = 8
BRYCE = 165  # a mesa with spires
FLAT_GROUND = 3  # of Minecraft's own flat world: bedrock, two of dirt, grass


@entry_kernel
def surface(rules, setting_biome, generator, seed, x, z):
    """(y of the uppermost block of the ground, biome id) at a place of the overworld, before caves
    and plants. ``seed`` is the world's as the player record has it. Under the sea it is the bottom.

    A flat world is reported as high as Minecraft's own; its real height is in its settings, see
    ``ground_at``.
    """
    world = mixed(np.uint64(seed))
    biome = biome_of(setting_biome, generator, world, x, z)
    if generator == FLAT:
        return FLAT_GROUND, biome
    px = x >> 2
    pz = z >> 2
    a = corner_height(rules, setting_biome, generator, world, px, pz)
    b = corner_height(rules, setting_biome, generator, world, px + 1, pz)
    c = corner_height(rules, setting_biome, generator, world, px, pz + 1)
    d = corner_height(rules, setting_biome, generator, world, px + 1, pz + 1)
    h = between(a, b, c, d, x, z)
    return h + spire(world, x, z) if biome == BRYCE else h, biome


@kernel
def between(a, b, c, d, x, z):
    """The ground's y at a column, from the heights of its cell's corners."""
    tx = (x & 3) * 0.25
    tz = (z & 3) * 0.25
    near = a + (b - a) * tx
    far = c + (d - c) * tx
    return np.int64(math.floor(near + (far - near) * tz))


@kernel
def spire(world, x, z):
    """The extra height of a column of a bryce mesa."""
    steep = noise(world + np.uint64(5), x, z, 5)
    return np.int64(min(22.0, max(0.0, 90.0 * (steep - 0.35))))


@kernel
def biome_of(setting_biome, generator, world, x, z):
    """The biome of a column. Borders are irregular: a column has the biome of a cell nearby."""
    if generator != 0:
        return np.int64(setting_biome)
    cx, cz = nearby_cell(world, x, z)
    return cell_biome(world, cx, cz)


@kernel
def nearby_cell(world, x, z):
    """The cell that lends a column its biome."""
    bits = mixed(
        world + np.uint64(x) * np.uint64(0x9E3779B1) + np.uint64(z) * np.uint64(0x85EBCA77)
    )
    dx = np.int64(bits & np.uint64(3)) - 2
    dz = np.int64((bits >> np.uint64(2)) & np.uint64(3)) - 2
    return (x + dx) >> 2, (z + dz) >> 2


@kernel
def corner_height(rules, setting_biome, generator, world, px, pz):
    """Height of the ground where the cell (px, pz) has its lowest x and z."""
    if generator == ONE_BIOME:
        biome = rules.biome[setting_biome]
        return rolling(world, px, pz, biome.depth, biome.scale)
    cells = np.empty((5, 5), np.int64)
    for i in range(5):
        for k in range(5):
            cells[i, k] = cell_biome(world, px + i - 2, pz + k - 2) if (i | k) & 1 == 0 else 0
    return blended(rules, world, px, pz, cells, 0, 0)


@kernel
def blended(rules, world, px, pz, cells, i, k):
    """The height at a corner where biomes may differ. ``cells`` are biomes, those
    of the 5 x 5 cells around from i and k on."""
    depth = 0.0
    scale = 0.0
    total = 0.0
    own = rules.biome[cells[i + 2, k + 2]].depth
    for dx in range(-1, 2):
        for dz in range(-1, 2):
            biome = rules.biome[cells[i + 2 + 2 * dx, k + 2 + 2 * dz]]
            weight = share(dx, dz, biome.depth, own)
            depth += weight * biome.depth
            scale += weight * biome.scale
            total += weight
    return rolling(world, px, pz, depth / total, scale / total)


@kernel
def share(dx, dz, depth, own):
    """The weight of a biome nearby; as in Minecraft higher ones weigh less than lower ones."""
    weight = 1.0 / (1.0 + dx * dx + dz * dz) / (depth + 2.0)
    return 0.5 * weight if depth > own else weight


@kernel
def rolling(world, px, pz, depth, scale):
    broad = noise(world + np.uint64(1), px, pz, 16)
    middle = noise(world + np.uint64(2), px, pz, 6)
    fine = noise(world + np.uint64(3), px, pz, 2)
    swing = 1.1 * broad + 0.6 * middle + 0.22 * fine
    swing *= 0.65 if swing < 0.0 else 1.0  # hollows are shallower than hills are high
    y = SURFACE + PER_DEPTH * depth + ROLLING * (0.9 * scale + 0.1) * swing
    y += 2.5 * noise(world + np.uint64(4), px, pz, 50)
    if y > STEEP:
        y = STEEP + (HIGHEST - STEEP) * (1.0 - math.exp((STEEP - y) / (HIGHEST - STEEP)))
    return max(float(LOWEST), y)


@kernel
def noise(seed, px, pz, width):
    """Value noise in -1 .. 1: random numbers on a lattice ``width`` cells wide, joined smoothly."""
    ix = px // width
    iz = pz // width
    tx = smooth((px - ix * width) / width)
    tz = smooth((pz - iz * width) / width)
    near = unit_at(seed, ix, iz) * (1.0 - tx) + unit_at(seed, ix + 1, iz) * tx
    far = unit_at(seed, ix, iz + 1) * (1.0 - tx) + unit_at(seed, ix + 1, iz + 1) * tx
    return 2.0 * (near * (1.0 - tz) + far * tz) - 1.0


@kernel
def smooth(t):
    return t * t * (3.0 - 2.0 * t)
