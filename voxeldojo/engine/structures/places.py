"""The places of structures: pure functions of the seed, the biomes and the height of the ground."""

import math

import numpy as np

from voxeldojo.engine.chance import mixed
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.state import (
    END,
    FLAT,
    NETHER,
    ONE_BIOME,
    OVERWORLD,
    SEA_LEVEL,
)
from voxeldojo.engine.structures.catalogue import (
    AT_GROUND,
    CAVE,
    ON_GROUND,
    RING,
)
from voxeldojo.engine.terrain.columns import surface
from voxeldojo.engine.terrain.end.generate import island
from voxeldojo.engine.terrain.underground.carve import (
    cave_start,
    chunk_bits,
    fraction,
)

NETHER_BIOME, END_BIOME, VOID = 8, 9, 127
NOWHERE = -1
RINGS = 8
STRONGHOLDS = 128
PIECES = 1024  # that one call can find, at most
NO_PLACE = -1  # as a y
LOWEST_ISLAND = 50  # of the End on which a city stands
SEARCH = 12  # regions in each direction that ``nearest`` looks at


@entry_kernel
def landscape(state, w):
    """The dimension whose terrain and structures the player's window shows: a world of the Nether's
    or the End's biome alone has theirs, although it is not another dimension."""
    dimension = state.players[w].dimension
    setting = state.settings[w]
    if dimension == OVERWORLD and setting.generator == ONE_BIOME:
        if setting.biome == NETHER_BIOME:
            return NETHER
        if setting.biome == END_BIOME:
            return END
        if setting.biome == VOID:
            return NOWHERE
    return np.int64(dimension)


@kernel
def stronghold_chunk(seed, number):
    """The chunk of a stronghold: they lie on rings around the origin, 3 on the first, at a
    distance of 88 to 168 chunks."""
    count = 3
    ring = 0
    first = 0
    while number >= first + count and ring < RINGS - 1:
        first += count
        ring += 1
        count += 2 * count // (ring + 1)
        count = min(count, STRONGHOLDS - first)
    turn = fraction(chunk_bits(seed, 501, ring, 0))
    angle = 2.0 * math.pi * (turn + (number - first) / count)
    away = 128.0 + 192.0 * ring + (fraction(chunk_bits(seed, 502, number, 0)) - 0.5) * 80.0
    return round(math.cos(angle) * away), round(math.sin(angle) * away)


@kernel
def candidate(rules, seed, kind, region_x, region_z):
    """The possible structure of a kind in a region, before the check of its biome: (whether there
    is one, x, z, its own random bits)."""
    entry = rules.structure[kind]
    if entry.placement == RING:
        chunk_x, chunk_z = stronghold_chunk(seed, region_x)
        return True, chunk_x * 16 + 8, chunk_z * 16 + 8, chunk_bits(seed, entry.salt, chunk_x, 7)
    bits = chunk_bits(seed, entry.salt, region_x, region_z)
    if fraction(bits) >= entry.chance:
        return False, 0, 0, bits
    bits = mixed(bits)
    if entry.placement == CAVE:
        count, x, y, z = cave_start(seed, region_x, region_z)
        return count > 0 and 10 <= y < 52, x, z, bits
    free = entry.spacing - entry.separation
    x = region_x * entry.spacing + np.int64(bits % np.uint64(free))
    z = region_z * entry.spacing + np.int64((bits >> np.uint64(32)) % np.uint64(free))
    return True, x * 16 + 8, z * 16 + 8, bits


@kernel
def start_height(rules, biome, generator, seed, kind, x, z, bits):
    """y of a candidate's start, NO_PLACE if the biome does not suit it."""
    entry = rules.structure[kind]
    if entry.nearest > 0 and math.hypot(float(x), float(z)) < entry.nearest:
        return NO_PLACE
    if entry.dimension == END:
        top = island(seed, x, z)[1]
        return top if top >= LOWEST_ISLAND else NO_PLACE
    ground = SEA_LEVEL
    if entry.dimension == OVERWORLD:
        if generator == FLAT:
            return NO_PLACE
        ground, there = surface(rules, biome, generator, seed, x, z)
        if not rules.habitat[kind, there]:
            return NO_PLACE
    if entry.placement == CAVE:
        return cave_start(seed, x >> 4, z >> 4)[2]
    if entry.low == ON_GROUND:
        return max(ground, SEA_LEVEL - 1)
    return entry.low + np.int64((bits >> np.uint64(16)) % np.uint64(entry.high - entry.low + 1))


@kernel
def pieces_at(rules, biome, generator, dimension, seed, x0, z0, x1, z1, found):
    """List the pieces of structures that touch [x0, x1) x [z0, z1): rows of ``found`` (n, 4) are a
    row of Rules.piece and x, y, z of its lowest corner. Returns how many."""
    count = 0
    for kind in range(rules.structure.shape[0]):
        entry = rules.structure[kind]
        if entry.dimension != dimension:
            continue
        side = entry.spacing * 16
        far = entry.reach
        from_x = (x0 - far) // side
        to_x = (x1 + far) // side
        from_z = (z0 - far) // side
        to_z = (z1 + far) // side
        if entry.placement == RING:
            from_x = 0
            to_x = STRONGHOLDS - 1
            from_z = 0
            to_z = 0
        for region_x in range(from_x, to_x + 1):
            for region_z in range(from_z, to_z + 1):
                there, x, z, bits = candidate(rules, seed, kind, region_x, region_z)
                if not there or x < x0 - far or x > x1 + far or z < z0 - far or z > z1 + far:
                    continue
                y = start_height(rules, biome, generator, seed, kind, x, z, bits)
                if y == NO_PLACE:
                    continue
                number = entry.layout + np.int64(mixed(bits) % np.uint64(entry.layouts))
                layout = rules.layout[number]
                for row in range(layout.piece, layout.piece + layout.pieces):
                    piece = rules.piece[row]
                    px = x + piece.x
                    pz = z + piece.z
                    if px >= x1 or pz >= z1 or px + piece.wide <= x0 or pz + piece.deep <= z0:
                        continue
                    base = y
                    if piece.level == AT_GROUND:
                        base, _ = surface(
                            rules,
                            biome,
                            generator,
                            seed,
                            px + piece.wide // 2,
                            pz + piece.deep // 2,
                        )
                        base = max(base, SEA_LEVEL - 1)
                    if count < found.shape[0]:
                        found[count, 0] = row
                        found[count, 1] = px
                        found[count, 2] = base + piece.y
                        found[count, 3] = pz
                        count += 1
    return count


@kernel
def span_of(rules, biome, generator, seed, kind, x, z):
    """The lowest y, and the first above, of a structure of a kind in a column, both 0 if it has
    none. For kinds that stand on the grid, each piece at the start's height."""
    entry = rules.structure[kind]
    side = entry.spacing * 16
    far = entry.reach
    for region_x in range((x - far) // side, (x + far) // side + 1):
        for region_z in range((z - far) // side, (z + far) // side + 1):
            there, sx, sz, bits = candidate(rules, seed, kind, region_x, region_z)
            if not there or abs(sx - x) > far or abs(sz - z) > far:
                continue
            y = start_height(rules, biome, generator, seed, kind, sx, sz, bits)
            if y == NO_PLACE:
                continue
            layout = rules.layout[entry.layout + np.int64(mixed(bits) % np.uint64(entry.layouts))]
            for row in range(layout.piece, layout.piece + layout.pieces):
                piece = rules.piece[row]
                px = sx + piece.x
                pz = sz + piece.z
                if px <= x < px + piece.wide and pz <= z < pz + piece.deep:
                    low = np.int64(y + piece.y)
                    return low, low + piece.tall
    return np.int64(0), np.int64(0)


@entry_kernel
def nearest(rules, biome, generator, seed, kind, x, z):
    """The nearest structure of a kind (KIND_IDS) to a place: (found, x, y, z) of its start."""
    entry = rules.structure[kind]
    side = entry.spacing * 16
    from_x = x // side - SEARCH
    from_z = z // side - SEARCH
    across = 2 * SEARCH + 1
    down = across
    if entry.placement == RING:
        from_x = 0
        from_z = 0
        across = STRONGHOLDS
        down = 1
    best = 1e18
    best_x = 0
    best_y = NO_PLACE
    best_z = 0
    for region_x in range(from_x, from_x + across):
        for region_z in range(from_z, from_z + down):
            there, sx, sz, bits = candidate(rules, seed, kind, region_x, region_z)
            away = math.hypot(float(sx - x), float(sz - z))
            if not there or away >= best:
                continue
            y = start_height(rules, biome, generator, seed, kind, sx, sz, bits)
            if y != NO_PLACE:
                best = away
                best_x = sx
                best_y = y
                best_z = sz
    return best_y != NO_PLACE, best_x, best_y, best_z
