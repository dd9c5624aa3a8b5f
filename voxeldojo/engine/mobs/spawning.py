"""Spawning of mobs: in the dark, on grass, from spawners; what spawns in water has its own file.

Distances are those of MobSpawnerBaseLogic. The game tries places all over the loaded chunks in
every tick. Here one column of the window is tried every few ticks, on the floor next to a random
height, which finds places far more often.
"""

import math

import numpy as np

from voxeldojo.engine.body.clock import darkness
from voxeldojo.engine.chance import below, unit
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import (
    BARRIER,
    BEDROCK,
    biome_at,
    block_at,
    held,
    meta_at,
)
from voxeldojo.engine.mobs.kinds import (
    BAT,
    BLAZE,
    GHAST,
    MAGMA_CUBE,
    OCELOT,
    SLIME,
    ZOMBIE_PIGMAN,
)
from voxeldojo.engine.mobs.placing import place_mob
from voxeldojo.engine.mobs.senses import is_solid
from voxeldojo.engine.mobs.spawn_lists import draw_row, far_enough, list_of, room_for
from voxeldojo.engine.mobs.spawning_in_water import monument_at, spawn_guardians, spawn_squid
from voxeldojo.engine.mobs.table import AMBIENTS, CREATURES, FORTRESSES, MONSTERS
from voxeldojo.engine.motion.light import block_light, sky_light
from voxeldojo.engine.state import HEIGHT, SEA_LEVEL, THUNDER
from voxeldojo.rules.mobs import MOB_IDS

EVERY = 4  # ticks between tries
CREATURES_EVERY = 400  # ticks between tries of animals
DEEP = 12  # blocks down that are searched for a floor
NETHER_BIOME = 8
GRASS, LEAVES, LEAVES_2, NETHER_BRICK, SPAWNER = 2, 18, 161, 112, 52
SWAMPS = (6, 134)
FREE_OF_LIGHT = (ZOMBIE_PIGMAN, GHAST, MAGMA_CUBE, BLAZE)
# By a spawner's metadata.
SPAWNED = np.zeros(16, np.int64)
for _meta, _name in enumerate(
    ("zombie", "skeleton", "spider", "cave_spider", "silverfish", "blaze"), 1
):
    SPAWNED[_meta] = MOB_IDS[_name]
ROUND_SPAWNER = 16  # metres from the player within which a spawner works


@kernel
def spawn_mobs(state, rules, w):
    """One tick of spawners and of natural spawning."""
    player = state.players[w]
    if state.settings[w].mobs_spawn == 0 or player.life <= 0.0:
        return
    look_for_spawner(state, rules, w)
    if player.ticks % EVERY != 0:
        return
    draw = below(player, 8)
    if draw == 0:
        spawn_squid(state, rules, w)
    elif draw == 1 and player.ticks % CREATURES_EVERY < 8 * EVERY:
        spawn_on_floor(state, rules, w, CREATURES)
    elif draw == 2:
        spawn_on_floor(state, rules, w, AMBIENTS)
    else:
        spawn_on_floor(state, rules, w, MONSTERS)


@kernel
def spawn_on_floor(state, rules, w, column):
    """One try to spawn a group on the floor below a random place of the window."""
    player = state.players[w]
    area = state.blocks.shape[1]
    x = player.west + below(player, area)
    z = player.north + below(player, area)
    y = 1 + below(player, max(2, min(HEIGHT - 4, player.ceiling + 1)))
    low, high = monument_at(state, rules, w, x, z) if column == MONSTERS else (0, 0)
    if high > 0:
        spawn_guardians(state, rules, w, x, z, low, high)
    if is_solid(state, rules, w, x, y, z):
        return
    down = 0
    while down < DEEP and y > 1 and not is_solid(state, rules, w, x, y - 1, z):
        y -= 1
        down += 1
    if not far_enough(state, w, x, y, z) or not stands(state, rules, w, x, y, z):
        return
    light = bright(state, w, x, y, z)
    if column != CREATURES and light > below(player, 8):
        biome = biome_at(state, w, x, z)
        if biome != NETHER_BIOME:  # there most kinds spawn in any light
            return
    room = room_for(state, rules, w, column)
    if room <= 0:
        return
    chosen = column
    if column == MONSTERS and block_at(state, w, x, y - 1, z) == NETHER_BRICK:
        chosen = FORTRESSES
    row = draw_row(state, rules, w, biome_at(state, w, x, z), chosen)
    if row < 0:
        return
    entry = rules.spawns[row]
    size = min(room, entry.fewest + below(player, entry.most - entry.fewest + 1))
    put_group(state, rules, w, entry.kind, x, y, z, size)


@kernel
def put_group(state, rules, w, kind, x, y, z, size):
    """Spawn up to ``size`` mobs of a kind around a place, where the kind can appear."""
    player = state.players[w]
    for _ in range(2 * size):
        if size <= 0:
            return
        if may_appear(state, rules, w, kind, x, y, z) and far_enough(state, w, x, y, z):
            place_mob(state, rules, w, kind, x + 0.5, float(y), z + 0.5)
            size -= 1
        x += below(player, 6) - below(player, 6)
        z += below(player, 6) - below(player, 6)
        for _step in range(2):
            if is_solid(state, rules, w, x, y, z):
                y += 1
            elif not is_solid(state, rules, w, x, y - 1, z):
                y -= 1


@kernel
def bright(state, w, x, y, z):
    """The light level of a place at this time, 0..15; a thunderstorm darkens it."""
    dark = darkness(state, w)
    if state.players[w].weather == THUNDER:
        dark = max(dark, 10)
    return max(sky_light(state, w, x, y, z) - dark, block_light(state, w, x, y, z))


@kernel
def stands(state, rules, w, x, y, z):
    """Whether there is a whole block to stand on and room for two, dry."""
    floor = block_at(state, w, x, y - 1, z)
    if floor in (BARRIER, BEDROCK) or rules.block[floor].height != 1.0:
        return False
    if rules.block[floor].solid == 0 or not held(state, w, x, z):
        return False
    return is_free(state, rules, w, x, y, z) and is_free(state, rules, w, x, y + 1, z)


@kernel
def is_free(state, rules, w, x, y, z):
    block = block_at(state, w, x, y, z)
    return rules.block[block].height <= 0.0 and not 8 <= block <= 11


@kernel
def may_appear(state, rules, w, kind, x, y, z):
    """Whether a kind can spawn at a place, by light, height and room."""
    player = state.players[w]
    if not stands(state, rules, w, x, y, z):
        return False
    for up in range(2, math.ceil(rules.mob[kind].tall)):
        if not is_free(state, rules, w, x, y + up, z):
            return False
    if rules.mob[kind].half > 0.7:
        for dx in range(-1, 2):
            for dz in range(-1, 2):
                if not is_free(state, rules, w, x + dx, y + 1, z + dz):
                    return False
    light = bright(state, w, x, y, z)
    column = list_of(state, rules, w, kind)
    if kind == GHAST and below(player, 20) != 0:
        return False
    if kind == BAT:
        return y < SEA_LEVEL and light <= below(player, 4)
    if kind == SLIME:
        return may_slime(state, w, x, y, z, light)
    if kind in FREE_OF_LIGHT:
        return True
    if kind == OCELOT:  # EntityOcelot.isNotColliding and getCanSpawnHere
        ground = block_at(state, w, x, y - 1, z)
        return y >= SEA_LEVEL and ground in (GRASS, LEAVES, LEAVES_2) and below(player, 3) != 0
    if column == MONSTERS:
        low, high = monument_at(state, rules, w, x, z)
        if low <= y < high:
            return False
        return light <= 7 and sky_light(state, w, x, y, z) <= below(player, 32)
    return light > 8 and block_at(state, w, x, y - 1, z) in (GRASS, 12, 78, 80, 110)


@kernel
def may_slime(state, w, x, y, z, light):
    """Slimes spawn in swamps at night, elsewhere below y 40 in one chunk of ten: EntitySlime."""
    player = state.players[w]
    if biome_at(state, w, x, z) in SWAMPS and 50 < y < 70:
        return light <= below(player, 8) and unit(player) < 0.5
    chunk = np.uint64(x >> 4) * np.uint64(0x8DA6B343) ^ np.uint64(z >> 4) * np.uint64(0xD8163841)
    return y < 40 and (player.seed ^ chunk) * np.uint64(0x9E3779B97F4A7C15) % np.uint64(10) == 0


@kernel
def look_for_spawner(state, rules, w):
    """Search two columns around the player. So each spawner within 16 metres runs every 545 ticks,
    about as often as in the game."""
    player = state.players[w]
    wide = 2 * ROUND_SPAWNER + 1
    for part in range(2):
        place = (2 * player.ticks + part) % (wide * wide)
        x = math.floor(player.x) - ROUND_SPAWNER + place // wide
        z = math.floor(player.z) - ROUND_SPAWNER + place % wide
        if not held(state, w, x, z):
            continue
        last = state.blocks.shape[1] - 1
        column = state.blocks[w, x & last, z & last]
        low = max(1, math.floor(player.y) - ROUND_SPAWNER)
        high = min(HEIGHT - 1, math.floor(player.y) + ROUND_SPAWNER)
        for y in range(low, high):
            if column[y] == SPAWNER:
                run_spawner(state, rules, w, x, y, z)


@kernel
def run_spawner(state, rules, w, x, y, z):
    """Spawn up to four mobs near a spawner, six at most in all."""
    player = state.players[w]
    kind = SPAWNED[meta_at(state, w, x, y, z)]
    if kind == 0:
        return
    near = 0
    for number in range(player.mobs):
        mob = state.mobs[w, number]
        if mob.kind == kind and abs(mob.x - x) < 9.0 and abs(mob.z - z) < 9.0:
            near += 1
    for _ in range(4):
        if near >= 6:
            return
        bx = x + below(player, 5) - below(player, 5)
        bz = z + below(player, 5) - below(player, 5)
        by = y + below(player, 3) - 1
        free = is_free(state, rules, w, bx, by, bz) and is_free(state, rules, w, bx, by + 1, bz)
        dark = kind == BLAZE or bright(state, w, bx, by, bz) <= 7
        if free and dark and place_mob(state, rules, w, kind, bx + 0.5, float(by), bz + 0.5) >= 0:
            near += 1
