"""Where structures are."""

import math

from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.terrain.underground.carve import chunk_bits, fraction

RINGS = 8
STRONGHOLDS = 128


@kernel
def stronghold(seed, number):
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
def nearest_stronghold(seed, x, z):
    """The place where an eye of ender leads: (x, z) of the end portal room's middle."""
    best = 1e18
    best_x = 0
    best_z = 0
    for number in range(STRONGHOLDS):
        chunk_x, chunk_z = stronghold(seed, number)
        away = math.hypot(chunk_x * 16.0 + 8.0 - x, chunk_z * 16.0 + 8.0 - z)
        if away < best:
            best = away
            best_x = chunk_x * 16 + 8
            best_z = chunk_z * 16 + 8
    return best_x, best_z
