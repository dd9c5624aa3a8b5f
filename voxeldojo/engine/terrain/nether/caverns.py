"""The Nether's netherrack: caverns between bedrock floor and ceiling over a sea of lava."""

import math

import numpy as np

from voxeldojo.engine.chance import mixed
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.state import HEIGHT
from voxeldojo.engine.terrain.underground.carve import chunk_bits, fraction

NETHERRACK, BEDROCK, LAVA = 87, 7, 11
NETHER_BIOME = 8
LAVA_TOP = 31
WIDE, TALL = 4, 8  # columns and blocks between two points whose density is reckoned
LEVELS = HEIGHT // TALL + 1


@kernel
def smooth(t):
    return t * t * (3.0 - 2.0 * t)


@kernel
def lattice(seed, x, y, z):
    return 2.0 * fraction(mixed(chunk_bits(seed, 301, x, z) + np.uint64(y))) - 1.0


@kernel
def noise_3d(seed, x, y, z):
    """Value noise in (-1, 1): random numbers on a lattice of whole coordinates, joined smoothly."""
    i = math.floor(x)
    j = math.floor(y)
    k = math.floor(z)
    u = smooth(x - i)
    v = smooth(y - j)
    t = smooth(z - k)
    total = 0.0
    for a in range(2):
        for b in range(2):
            for c in range(2):
                share = (u if a else 1.0 - u) * (v if b else 1.0 - v) * (t if c else 1.0 - t)
                total += share * lattice(seed, i + a, j + b, k + c)
    return total


@kernel
def density(seed, x, level, z):
    """Above 0 there is rock. The game's layers of caverns: three waves from floor to ceiling,
    closed at both ends."""
    wave = math.cos(level * math.pi * 6.0 / 17.0) * 2.0
    edge = float(min(level, LEVELS - 1 - level))
    if edge < 4.0:
        edge = 4.0 - edge
        wave -= edge * edge * edge * 10.0 * 0.02
    y = level * TALL
    swirl = noise_3d(seed, x / 40.0, y / 30.0, z / 40.0) * 3.0
    swirl += noise_3d(seed + np.uint64(1), x / 17.0, y / 13.0, z / 17.0) * 1.5
    return swirl - wave * 0.7 - 0.25


@kernel
def hollow(state, w, seed, x0, z0, x1, z1):
    last = state.blocks.shape[1] - 1
    corners = np.empty((2, (z1 - z0) // WIDE + 3, LEVELS))
    first_z = z0 // WIDE
    for cell_x in range(x0 // WIDE, (x1 - 1) // WIDE + 1):
        for side in range(2):
            # The far side of one row of cells is the near side of the next.
            if side == 0 and cell_x > x0 // WIDE:
                corners[0] = corners[1]
                continue
            for row in range((z1 - 1) // WIDE + 2 - first_z):
                for level in range(LEVELS):
                    corners[side, row, level] = density(
                        seed, float((cell_x + side) * WIDE), level, float((first_z + row) * WIDE)
                    )
        for x in range(max(x0, cell_x * WIDE), min(x1, (cell_x + 1) * WIDE)):
            u = (x - cell_x * WIDE) / WIDE
            for z in range(z0, z1):
                row = z // WIDE - first_z
                v = (z - z // WIDE * WIDE) / WIDE
                column = state.blocks[w, x & last, z & last]
                below = bilinear(corners, row, 0, u, v)
                for level in range(LEVELS - 1):
                    above = bilinear(corners, row, level + 1, u, v)
                    rise = (above - below) / TALL
                    for j in range(TALL):
                        y = level * TALL + j
                        if below + rise * j > 0.0:
                            column[y] = NETHERRACK
                        else:
                            column[y] = LAVA if y <= LAVA_TOP else 0
                    below = above
                close_ends(column, chunk_bits(seed, 302, x, z))
                state.meta[w, x & last, z & last] = 0
                state.biomes[w, x & last, z & last] = NETHER_BIOME
                state.ground[w, x & last, z & last] = HEIGHT - 1
    state.players[w].ceiling = HEIGHT - 1


@kernel
def bilinear(corners, row, level, u, v):
    near = corners[0, row, level] + (corners[1, row, level] - corners[0, row, level]) * u
    far = corners[0, row + 1, level] + (corners[1, row + 1, level] - corners[0, row + 1, level]) * u
    return near + (far - near) * v


@kernel
def close_ends(column, bits):
    """Bedrock at both ends, rough over five blocks."""
    for depth in range(5):
        if np.int64(bits % np.uint64(5)) >= depth:
            column[depth] = BEDROCK
            column[HEIGHT - 1 - depth] = BEDROCK
        bits //= np.uint64(5)
