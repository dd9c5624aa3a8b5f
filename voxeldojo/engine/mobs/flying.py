"""Mobs that fly or swim: they accelerate towards a place in the air or the water."""

import math

from voxeldojo.engine.chance import below, unit
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import block_at, held
from voxeldojo.engine.mobs.dragon import circle
from voxeldojo.engine.mobs.fighting import fight, whereabouts
from voxeldojo.engine.mobs.kinds import BAT, BLAZE, ENDER_DRAGON, GHAST, VEX, WITHER
from voxeldojo.engine.mobs.senses import is_solid
from voxeldojo.engine.mobs.walking import carry, move_walker, turn_to
from voxeldojo.engine.state import HEIGHT

# Share of the speed that is left after a tick: EntityFlying in the air, EntityGuardian in water.
DRAG, DRAG_IN_WATER = 0.91, 0.9
# Metres per tick and tick by which they accelerate towards their goal.
FLYING, VEXING, SWIMMING = 0.01, 0.03, 0.015
ABOVE_PREY, WITHER_ABOVE, BLAZE_ABOVE = 0.5, 4.0, 1.0  # metres above the feet of their target
SINKING = 2.0  # metres by which an idle blaze goes down
ROAM, BAT_ROAM, SWIM_ROAM = 12.0, 6.0, 8.0  # metres around, within which they choose a goal
STAYS, STAYS_SPREAD = 30, 60  # ticks until they choose another one


@kernel
def think_of_place(state, rules, w, mob, spread, wet):
    """Choose a goal within ``spread`` metres, in water if ``wet``, else in the air."""
    player = state.players[w]
    mob.wait = STAYS + below(player, STAYS_SPREAD)
    x = mob.x + spread * (2.0 * unit(player) - 1.0)
    y = mob.y + 0.5 * spread * (2.0 * unit(player) - 1.0)
    z = mob.z + spread * (2.0 * unit(player) - 1.0)
    bx = math.floor(x)
    by = math.floor(y)
    bz = math.floor(z)
    if y < 1.0 or y > HEIGHT - 4.0 or not held(state, w, bx, bz):
        return
    there = block_at(state, w, bx, by, bz)
    if (wet and 8 <= there <= 9) or (not wet and not is_solid(state, rules, w, bx, by, bz)):
        mob.goal_x = x
        mob.goal_y = y
        mob.goal_z = z


@kernel
def steer(mob, power):
    """Accelerate a mob towards its goal. Returns the metres to it."""
    dx = mob.goal_x - mob.x
    dy = mob.goal_y - mob.y
    dz = mob.goal_z - mob.z
    away = math.sqrt(dx * dx + dy * dy + dz * dz)
    if away > 0.5:
        mob.vx += power * dx / away
        mob.vy += power * dy / away
        mob.vz += power * dz / away
        turn_to(mob, mob.goal_x, mob.goal_z)
    return away


@kernel
def fly_about(state, rules, w, number):
    mob = state.mobs[w, number]
    if mob.kind == ENDER_DRAGON:
        circle(state, rules, w, number)
        return
    power = FLYING
    roams = True
    if mob.target != 0:
        x, y, z, half, tall = whereabouts(state, rules, w, mob)
        if tall > 0.0:
            haste = fight(state, rules, w, number, x, y, z, half, tall)
            if mob.kind == 0:
                return
            if mob.kind == VEX:
                power = VEXING
            if haste > 0.0 and mob.kind != GHAST:
                roams = False
                mob.goal_x = x
                mob.goal_y = y + (WITHER_ABOVE if mob.kind == WITHER else ABOVE_PREY)
                mob.goal_z = z
            elif mob.kind in (BLAZE, WITHER):
                roams = False
                mob.goal_x = mob.x
                mob.goal_y = y + (WITHER_ABOVE if mob.kind == WITHER else BLAZE_ABOVE)
                mob.goal_z = mob.z
        else:
            mob.target = 0
    mob.wait -= 1
    if roams and mob.wait <= 0:
        think_of_place(state, rules, w, mob, BAT_ROAM if mob.kind == BAT else ROAM, False)
        if mob.kind == BLAZE:
            mob.goal_y = mob.y - SINKING  # idle it sinks to the ground
    steer(mob, power)
    if mob.kind == VEX:
        mob.x += mob.vx
        mob.y += mob.vy
        mob.z += mob.vz
    else:
        carry(state, rules, w, mob)
    mob.fall = 0.0
    mob.vx *= DRAG
    mob.vy *= DRAG
    mob.vz *= DRAG


@kernel
def swim_about(state, rules, w, number):
    mob = state.mobs[w, number]
    there = block_at(state, w, math.floor(mob.x), math.floor(mob.y + 0.2), math.floor(mob.z))
    if there < 8 or there > 9:
        if mob.ground == 0 or (state.players[w].ticks + number) % 8 == 0:
            move_walker(state, rules, w, mob)
            mob.fall = 0.0
        return
    stays = False
    if mob.target != 0:
        x, y, z, half, tall = whereabouts(state, rules, w, mob)
        if tall > 0.0:
            haste = fight(state, rules, w, number, x, y, z, half, tall)
            if haste > 0.0:
                mob.goal_x = x
                mob.goal_y = y
                mob.goal_z = z
            # A guardian stays where it is while its beam gathers strength: AIGuardianAttack.
            stays = mob.counter > 0
        else:
            mob.target = 0
    if not stays:
        mob.wait -= 1
        if mob.wait <= 0:
            think_of_place(state, rules, w, mob, SWIM_ROAM, True)
        steer(mob, SWIMMING)
    up = block_at(state, w, math.floor(mob.x), math.floor(mob.y + 0.8), math.floor(mob.z))
    if mob.vy > 0.0 and (up < 8 or up > 9):
        mob.vy = 0.0
    carry(state, rules, w, mob)
    mob.vx *= DRAG_IN_WATER
    mob.vy *= DRAG_IN_WATER
    mob.vz *= DRAG_IN_WATER
