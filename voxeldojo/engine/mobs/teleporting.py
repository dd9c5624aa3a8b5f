"""Teleporting of endermen and others: EntityEnderman.teleportTo with other tries."""

import math

from voxeldojo.engine.chance import below, unit
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import block_at, held
from voxeldojo.engine.mobs.senses import floor_below, is_solid
from voxeldojo.engine.state import HEIGHT

TRIES = 8


@kernel
def teleport(state, rules, w, mob, x, y, z, spread):
    """Move a mob to free, dry ground within ``spread`` metres of (x, y, z). False: none found."""
    player = state.players[w]
    for _ in range(TRIES):
        bx = math.floor(x + spread * (2.0 * unit(player) - 1.0))
        bz = math.floor(z + spread * (2.0 * unit(player) - 1.0))
        by = min(HEIGHT - 4, math.floor(y) + below(player, 9))
        if not held(state, w, bx, bz):
            continue
        feet = floor_below(state, rules, w, bx, by, bz, 24)
        if feet < 1 or block_at(state, w, bx, feet - 1, bz) in (8, 9):
            continue
        free = True
        for up in range(3):
            free = free and block_at(state, w, bx, feet + up, bz) not in (8, 9)
            free = free and not is_solid(state, rules, w, bx, feet + up, bz)
        if free:
            mob.x = bx + 0.5
            mob.y = float(feet)
            mob.z = bz + 0.5
            mob.vx = 0.0
            mob.vy = 0.0
            mob.vz = 0.0
            mob.fall = 0.0
            return True
    return False
