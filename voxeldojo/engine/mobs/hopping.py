"""Slimes and magma cubes: they hop, and harm what they touch (EntitySlime)."""

import math

from voxeldojo.engine.chance import below, unit
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.mobs.fighting import fight, whereabouts
from voxeldojo.engine.mobs.kinds import MAGMA_CUBE
from voxeldojo.engine.mobs.walking import move_walker, turn_to

JUMP = 0.42  # metres per tick: EntityLivingBase.getJumpUpwardsMotion
SPEED = 0.2  # metres per tick in the air


@kernel
def hop(state, rules, w, number):
    mob = state.mobs[w, number]
    player = state.players[w]
    chases = mob.target != 0
    if chases:
        x, y, z, half, tall = whereabouts(state, rules, w, mob)
        if tall > 0.0:
            fight(state, rules, w, number, x, y, z, half, tall)
            turn_to(mob, x, z)
        else:
            mob.target = 0
    mob.wait -= 1
    if mob.ground == 1:
        mob.vx = 0.0
        mob.vz = 0.0
        if mob.wait > 0:
            if (player.ticks + number) % 8 == 0:
                move_walker(state, rules, w, mob)
            return
        mob.wait = 10 + below(player, 20)
        if chases:
            mob.wait //= 3
        elif unit(player) < 0.3:
            mob.yaw = 360.0 * unit(player) - 180.0
        mob.vy = JUMP + (0.1 * mob.variant if mob.kind == MAGMA_CUBE else 0.0)
    yaw = math.radians(mob.yaw)
    mob.vx = -SPEED * math.sin(yaw)
    mob.vz = SPEED * math.cos(yaw)
    move_walker(state, rules, w, mob)
    mob.fall = 0.0
