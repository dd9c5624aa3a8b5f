"""The End: an island of end stone with obsidian pillars around a fountain, others far out."""

import math

import numpy as np

from voxeldojo.engine.chance import GOLDEN, mixed
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.state import HEIGHT
from voxeldojo.engine.terrain.nether.caverns import noise_3d
from voxeldojo.engine.terrain.underground.carve import chunk_bits, fraction

BEDROCK, OBSIDIAN, TORCH, IRON_BARS, END_STONE, CHORUS, CHORUS_FLOWER = (
    7,
    49,
    50,
    101,
    121,
    199,
    200,
)
END_BIOME = 9
MAIN = 100.0  # radius of the island in the middle
OUTSIDE = 1000.0  # metres from the middle to the first other islands
SPACING = 96  # each square of so many columns has one island at most
PILLARS = 10
PILLAR_RING = 42.0
PLATFORM = (100, 48, 0)  # of obsidian, where one arrives
FOUNTAIN = 3.5  # radius
PLOT = 8  # a square of so many columns on the outer islands has one chorus plant at most


@entry_kernel
def generate_end(state, rules, w, seed, x0, z0, x1, z1):
    """The columns [x0, x1) x [z0, z1) of the End, from seed and place alone."""
    last = state.blocks.shape[1] - 1
    for x in range(x0, x1):
        for z in range(z0, z1):
            i = x & last
            k = z & last
            state.blocks[w, i, k] = 0
            state.meta[w, i, k] = 0
            state.biomes[w, i, k] = END_BIOME
            bottom, top = island(seed, x, z)
            state.blocks[w, i, k, bottom : top + 1] = END_STONE
            state.ground[w, i, k] = max(0, top)
            if abs(x) < 64 and abs(z) < 64:
                raise_pillars(state, w, seed, x, z)
                build_fountain(state, w, seed, x, z)
            if abs(x - PLATFORM[0]) <= 2 and abs(z - PLATFORM[2]) <= 2:
                state.blocks[w, i, k, PLATFORM[1]] = OBSIDIAN
                state.blocks[w, i, k, PLATFORM[1] + 1 : PLATFORM[1] + 4] = 0
    grow_chorus(state, w, seed, x0, z0, x1, z1)
    state.players[w].ceiling = HEIGHT - 1


@kernel
def island(seed, x, z):
    """The lowest and highest y of end stone in a column; (0, -1) where there is the void."""
    away = math.hypot(float(x), float(z))
    thick = -1.0
    if away < MAIN + 20.0:
        thick = (MAIN - away) / MAIN
    elif away > OUTSIDE:
        cell_x = math.floor(x / SPACING)
        cell_z = math.floor(z / SPACING)
        for i in range(cell_x - 1, cell_x + 2):
            for k in range(cell_z - 1, cell_z + 2):
                bits = chunk_bits(seed, 401, i, k)
                if bits % np.uint64(5) < 2:
                    continue
                middle_x = i * SPACING + SPACING * fraction(mixed(bits))
                middle_z = k * SPACING + SPACING * fraction(mixed(bits + GOLDEN))
                radius = 22.0 + 40.0 * fraction(mixed(bits + GOLDEN + GOLDEN))
                if math.hypot(middle_x, middle_z) - radius < OUTSIDE:
                    continue
                near = (radius - math.hypot(x - middle_x, z - middle_z)) / MAIN
                thick = max(thick, near)
    rough = noise_3d(seed + np.uint64(5), x / 18.0, 0.5, z / 18.0)
    thick += 0.06 * rough
    if thick <= 0.0:
        return 0, -1
    top = 62.0 - 7.0 * math.exp(-12.0 * thick) + 2.0 * noise_3d(seed, x / 30.0, 3.5, z / 30.0)
    deep = 48.0 * math.sqrt(thick) * (0.85 + 0.25 * rough)
    return max(1, math.floor(top - deep)), math.floor(top)


@entry_kernel
def pillar(seed, number):
    """Middle, height and radius of a pillar: (x, z, y of its top, radius)."""
    angle = 2.0 * (math.pi / PILLARS * number - math.pi)
    # The ten sizes go round from a number that the seed says.
    size = (number * 3 + np.int64(chunk_bits(seed, 402, 0, 0) % np.uint64(PILLARS))) % PILLARS
    x = math.floor(PILLAR_RING * math.cos(angle))
    z = math.floor(PILLAR_RING * math.sin(angle))
    return x, z, 76 + size * 3, 2 + size // 3


@kernel
def raise_pillars(state, w, seed, x, z):
    last = state.blocks.shape[1] - 1
    column = state.blocks[w, x & last, z & last]
    for number in range(PILLARS):
        middle_x, middle_z, top, radius = pillar(seed, number)
        dx = abs(x - middle_x)
        dz = abs(z - middle_z)
        if dx * dx + dz * dz <= radius * radius + 1:
            column[30:top] = OBSIDIAN
        if dx == 0 and dz == 0:
            column[top] = BEDROCK
        # Two of the crystals stand in a cage.
        if (top == 79 or top == 82) and max(dx, dz) <= 2:
            if max(dx, dz) == 2:
                column[top : top + 3] = IRON_BARS
            column[top + 3] = IRON_BARS


@kernel
def build_fountain(state, w, seed, x, z):
    """The exit: a bowl of bedrock around a column of it. What fills it when the dragon is dead is
    no part of the ground."""
    away = math.hypot(float(x), float(z))
    if away > FOUNTAIN:
        return
    last = state.blocks.shape[1] - 1
    column = state.blocks[w, x & last, z & last]
    base = fountain_height(seed)
    column[base - 8 : base - 1] = END_STONE
    column[base : base + 6] = 0
    if away <= 2.5:
        column[base - 1] = BEDROCK
    column[base] = BEDROCK if away > 2.5 else 0
    if x == 0 and z == 0:
        column[base - 1 : base + 3] = BEDROCK
    elif away == 1.0:
        column[base + 2] = TORCH
        state.meta[w, x & last, z & last, base + 2] = (
            1 if x == 1 else (2 if x == -1 else (3 if z == 1 else 4))
        )


@entry_kernel
def fountain_height(seed):
    """y of the fountain's rim."""
    return island(seed, 0, 0)[1] + 1


@kernel
def grow_chorus(state, w, seed, x0, z0, x1, z1):
    """Chorus plants on the outer islands: a stem with arms, flowers at the tips."""
    for plot_x in range(x0 // PLOT - 1, (x1 - 1) // PLOT + 2):
        for plot_z in range(z0 // PLOT - 1, (z1 - 1) // PLOT + 2):
            bits = chunk_bits(seed, 403, plot_x, plot_z)
            if bits % np.uint64(8) != 0:
                continue
            x = plot_x * PLOT + np.int64((bits >> np.uint64(8)) % np.uint64(PLOT))
            z = plot_z * PLOT + np.int64((bits >> np.uint64(16)) % np.uint64(PLOT))
            if math.hypot(float(x), float(z)) < OUTSIDE:
                continue
            base = island(seed, x, z)[1] + 1
            if base == 0:
                continue
            high = 3 + np.int64((bits >> np.uint64(24)) % np.uint64(5))
            for y in range(base, base + high):
                put(state, w, x, y, z, CHORUS, x0, z0, x1, z1)
            put(state, w, x, base + high, z, CHORUS_FLOWER, x0, z0, x1, z1)
            for side in range(4):
                bits = mixed(bits)
                if bits % np.uint64(3) == 0:
                    continue
                dx = (1, -1, 0, 0)[side]
                dz = (0, 0, 1, -1)[side]
                y = base + 1 + np.int64((bits >> np.uint64(8)) % np.uint64(high - 1))
                rise = 1 + np.int64((bits >> np.uint64(16)) % np.uint64(3))
                for up in range(rise):
                    put(state, w, x + dx, y + up, z + dz, CHORUS, x0, z0, x1, z1)
                put(state, w, x + dx, y + rise, z + dz, CHORUS_FLOWER, x0, z0, x1, z1)


@kernel
def put(state, w, x, y, z, block, x0, z0, x1, z1):
    last = state.blocks.shape[1] - 1
    if (
        x0 <= x < x1
        and z0 <= z < z1
        and 0 <= y < HEIGHT
        and state.blocks[w, x & last, z & last, y] == 0
    ):
        state.blocks[w, x & last, z & last, y] = block
