"""A mob's sight, and the ground that it can stand on."""

import math

from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import block_at
from voxeldojo.engine.rays import direction
from voxeldojo.engine.state import EYES

WATER, STILL_WATER, LAVA_FLOW, STILL_LAVA = 8, 9, 10, 11
GAP = 0.5  # metres between two samples of a line of sight


@kernel
def sees(state, rules, w, x, y, z, to_x, to_y, to_z):
    """Whether no block with a collision box is between two places."""
    dx = to_x - x
    dy = to_y - y
    dz = to_z - z
    steps = int(math.sqrt(dx * dx + dy * dy + dz * dz) / GAP)
    for step in range(1, steps):
        part = step / steps
        block = block_at(
            state,
            w,
            math.floor(x + part * dx),
            math.floor(y + part * dy),
            math.floor(z + part * dz),
        )
        if rules.block[block].height > 0.0:
            return False
    return True


@kernel
def sees_player(state, rules, w, mob, tall):
    player = state.players[w]
    eyes = mob.y + 0.85 * tall
    return sees(state, rules, w, mob.x, eyes, mob.z, player.x, player.y + EYES, player.z)


@kernel
def is_stared_at(state, rules, w, mob, tall):
    """Whether the player looks the mob in the eyes."""
    player = state.players[w]
    dx = mob.x - player.x
    dy = mob.y + 0.88 * tall - player.y - EYES
    dz = mob.z - player.z
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    lx, ly, lz = direction(player.yaw, player.pitch)
    straight = lx * dx + ly * dy + lz * dz > length - 0.025
    return straight and sees_player(state, rules, w, mob, tall)


@kernel
def is_solid(state, rules, w, x, y, z):
    return rules.block[block_at(state, w, x, y, z)].height > 0.0


@kernel
def floor_below(state, rules, w, x, y, z, depth):
    """The y of the feet on the ground at or below y, at most ``depth`` blocks down; -1 if there is
    none, or lava on it."""
    for down in range(depth + 1):
        block = block_at(state, w, x, y - down - 1, z)
        if LAVA_FLOW <= block <= STILL_LAVA:
            return -1
        if rules.block[block].height > 0.0 or WATER <= block <= STILL_WATER:
            return y - down
    return -1


@kernel
def safe_ahead(state, rules, w, mob, dx, dz):
    """Whether a step along the unit vector (dx, dz) leads neither over a cliff nor into lava."""
    x = math.floor(mob.x + 0.8 * dx)
    z = math.floor(mob.z + 0.8 * dz)
    y = math.floor(mob.y + 0.01)
    if x == math.floor(mob.x) and z == math.floor(mob.z):
        return True
    if LAVA_FLOW <= block_at(state, w, x, y, z) <= STILL_LAVA:
        return False
    return is_solid(state, rules, w, x, y, z) or floor_below(state, rules, w, x, y, z, 3) >= 0
