"""Animals that are generated with the ground, in a tenth of all chunks (WorldEntitySpawner.
performWorldGenSpawning)."""

import numpy as np

from voxeldojo.engine.chance import mixed, unit_at
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import biome_at, block_at, held
from voxeldojo.engine.mobs.placing import place_mob
from voxeldojo.engine.mobs.senses import is_solid
from voxeldojo.engine.mobs.table import CREATURES
from voxeldojo.engine.state import HEIGHT, MOBS

SALT = np.uint64(0x4E5D)
SHARE = 0.1
CHUNK = 16
MOST = MOBS // 2  # animals in a window, so that there is room for others
GROUNDS = (2, 110, 12, 78, 80, 79)  # grass, mycelium, sand, a layer of snow, snow, ice


@kernel
def settle_herds(state, rules, w, seed, x0, z0, x1, z1):
    """Place the herds of the chunks that begin in [x0, x1) x [z0, z1) on the ground."""
    if state.settings[w].mobs_spawn == 0:
        return
    for cx in range(x0 >> 4, (x1 + CHUNK - 1) >> 4):
        for cz in range(z0 >> 4, (z1 + CHUNK - 1) >> 4):
            x = cx * CHUNK
            z = cz * CHUNK
            if x0 <= x < x1 and z0 <= z < z1 and unit_at(seed ^ SALT, cx, cz) < SHARE:
                settle_herd(state, rules, w, seed, x, z)


@kernel
def settle_herd(state, rules, w, seed, x, z):
    bits = mixed(seed ^ SALT ^ np.uint64(x) * np.uint64(0x9E3779B1) ^ np.uint64(z))
    if not held(state, w, x + CHUNK - 1, z + CHUNK - 1):
        return
    biome = biome_at(state, w, x + 8, z + 8)
    first = rules.spawn_lists[biome, CREATURES, 0]
    count = rules.spawn_lists[biome, CREATURES, 1]
    total = 0
    for row in range(first, first + count):
        total += rules.spawns[row].weight
    if total == 0:
        return
    draw = np.int64(bits % np.uint64(total))
    chosen = first
    for row in range(first, first + count):
        draw -= rules.spawns[row].weight
        if draw < 0:
            chosen = row
            break
    entry = rules.spawns[chosen]
    size = entry.fewest + np.int64(
        (bits >> np.uint64(20)) % np.uint64(entry.most - entry.fewest + 1)
    )
    middle_x = x + np.int64((bits >> np.uint64(30)) % np.uint64(CHUNK))
    middle_z = z + np.int64((bits >> np.uint64(40)) % np.uint64(CHUNK))
    for _ in range(size):
        bits = mixed(bits)
        bx = middle_x + np.int64(bits % np.uint64(5)) - 2
        bz = middle_z + np.int64((bits >> np.uint64(16)) % np.uint64(5)) - 2
        put_animal(state, rules, w, entry.kind, bx, bz)


@kernel
def put_animal(state, rules, w, kind, x, z):
    """Place an animal on the ground of a column, if it suits animals and is under the open sky."""
    if not held(state, w, x, z):
        return
    y = min(HEIGHT - 3, state.players[w].ceiling + 1)
    while y > 1 and block_at(state, w, x, y - 1, z) == 0:
        y -= 1
    while y > 1 and not is_solid(state, rules, w, x, y - 1, z):
        if 8 <= block_at(state, w, x, y - 1, z) <= 11:
            return
        y -= 1
    if block_at(state, w, x, y - 1, z) not in GROUNDS:
        return
    living = 0
    for number in range(state.players[w].mobs):
        living += 1 if state.mobs[w, number].kind != 0 else 0
    if living >= MOST:
        return
    place_mob(state, rules, w, kind, x + 0.5, float(y), z + 0.5)
