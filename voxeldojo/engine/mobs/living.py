"""One tick of each mob: its surroundings, its decision, its movement."""

import math

from numba import int64

from voxeldojo.engine.body.hurt import FALL
from voxeldojo.engine.body.physics import EPSILON
from voxeldojo.engine.chance import unit
from voxeldojo.engine.compiling.compiled_apart import apart
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import block_at
from voxeldojo.engine.mobs.fighting import fight, whereabouts
from voxeldojo.engine.mobs.flying import fly_about, swim_about
from voxeldojo.engine.mobs.hopping import hop
from voxeldojo.engine.mobs.kinds import CHICKEN, MAGMA_CUBE, SHULKER, SLIME
from voxeldojo.engine.mobs.minding import (
    COURT,
    DETOUR,
    FOLLOW,
    IDLE,
    WALK,
    grow,
    is_far,
    think,
    wander,
)
from voxeldojo.engine.mobs.senses import safe_ahead
from voxeldojo.engine.mobs.suffering import suffer
from voxeldojo.engine.mobs.table import PASSIVE
from voxeldojo.engine.mobs.walking import (
    STILL_LAVA,
    WATER,
    move_walker,
    step_forward,
    turn_to,
)
from voxeldojo.engine.mobs.wounds import hurt_mob

JUMP = 0.42  # metres per tick: EntityLivingBase.getJumpUpwardsMotion
ROUND = 10  # ticks between two decisions
STROLL = 1.0  # factor of its speed when it wanders
WAY_ROUND = 3.0  # metres to the side of an obstacle


@apart(int64)
def tick_mobs(state, rules, w):
    """One tick of every mob."""
    player = state.players[w]
    player.cooldown += 1
    turn = player.ticks % ROUND  # mobs take turns with the work that is done once in a round
    for number in range(player.mobs):
        if state.mobs[w, number].kind != 0:
            live(state, rules, w, number, turn)
        turn = turn + 1 if turn < ROUND - 1 else 0


@apart(int64, int64, int64)
def live(state, rules, w, number, turn):
    mob = state.mobs[w, number]
    if mob.invulnerable > 0:
        mob.invulnerable -= 1
    if mob.blame > 0:
        mob.blame -= 1
    if mob.angry > 0:
        mob.angry -= 1
    if mob.pause > 0:
        mob.pause -= 1
    if turn == 0:
        if not suffer(state, rules, w, number):
            return
        grow(state, rules, w, number)
        think(state, rules, w, number)
        if mob.kind == 0:
            return
    kind = rules.mob[mob.kind]
    floats = kind.flies + kind.swims > 0 and mob.target == 0 and kind.nature == PASSIVE
    if floats and is_far(state.players[w], mob):
        return
    if kind.flies == 1:
        fly_about(state, rules, w, number)
    elif kind.swims == 1:
        swim_about(state, rules, w, number)
    elif mob.kind in (SLIME, MAGMA_CUBE):
        hop(state, rules, w, number)
    elif mob.kind == SHULKER:
        stay_put(state, rules, w, number)
    else:
        walk_about(state, rules, w, number)


@kernel
def stay_put(state, rules, w, number):
    mob = state.mobs[w, number]
    if mob.target != 0:
        x, y, z, half, tall = whereabouts(state, rules, w, mob)
        if tall > 0.0:
            fight(state, rules, w, number, x, y, z, half, tall)


@kernel
def choose_way(state, rules, w, number):
    """Turn a walker to its goal. Returns the factor of its speed, 0 to stand; -1: it vanished."""
    mob = state.mobs[w, number]
    if mob.target != 0:
        x, y, z, half, tall = whereabouts(state, rules, w, mob)
        if tall > 0.0:
            haste = fight(state, rules, w, number, x, y, z, half, tall)
            if mob.kind == 0:
                return -1.0
            if mob.mood == DETOUR and mob.wait > 0:
                mob.wait -= 1
                turn_to(mob, mob.goal_x, mob.goal_z)
                return max(haste, 1.0)
            turn_to(mob, x, z)
            return haste
        mob.target = 0
    mob.wait -= 1
    if mob.wait <= 0:
        wander(state, rules, w, mob)
    if mob.mood == IDLE:
        return 0.0
    haste = STROLL
    if mob.mood == FOLLOW:
        player = state.players[w]
        mob.goal_x = player.x
        mob.goal_z = player.z
        haste = 1.1
    dx = mob.goal_x - mob.x
    dz = mob.goal_z - mob.z
    near = 6.0 if mob.mood == FOLLOW else 0.5
    if dx * dx + dz * dz < near:
        if mob.mood in (WALK, DETOUR):
            mob.mood = IDLE
        return 0.0
    turn_to(mob, mob.goal_x, mob.goal_z)
    if mob.angry > 0 and rules.mob[mob.kind].nature == PASSIVE:
        haste = rules.mob[mob.kind].panic
    return 1.0 if mob.mood == COURT else haste


@kernel
def walk_about(state, rules, w, number):
    """A tick of a mob with legs; at rest it costs almost nothing."""
    mob = state.mobs[w, number]
    haste = choose_way(state, rules, w, number)
    if haste < 0.0:
        return
    if haste == 0.0 and mob.ground == 1 and abs(mob.vx) + abs(mob.vz) < 0.003:
        mob.vx = 0.0
        mob.vz = 0.0
        # Its ground may have been dug away.
        if (state.players[w].ticks + number) & 7 != 0 or rests(state, rules, w, mob):
            return
    if haste > 0.0:
        yaw = math.radians(mob.yaw)
        if mob.ground == 0 or safe_ahead(state, rules, w, mob, -math.sin(yaw), math.cos(yaw)):
            step_forward(rules, mob, haste)
        elif mob.target == 0:
            mob.mood = IDLE
    blocked = move_walker(state, rules, w, mob)
    if blocked and haste > 0.0:
        if rules.mob[mob.kind].climbs == 1:
            mob.vy = 0.2
            mob.fall = 0.0
        elif mob.ground == 1:
            overcome(state, w, number)
    if mob.kind == CHICKEN and mob.vy < 0.0:
        mob.vy *= 0.6
    if mob.ground == 1 and mob.fall > 0.0:
        land(state, rules, w, number)


@kernel
def rests(state, rules, w, mob):
    """Whether there is a whole block under its middle, and no fluid at its legs."""
    x = math.floor(mob.x)
    y = math.floor(mob.y + 0.01)
    z = math.floor(mob.z)
    legs = block_at(state, w, x, y, z)
    whole = rules.block[block_at(state, w, x, y - 1, z)].height == 1.0
    return whole and rules.block[legs].height <= 0.0 and not WATER <= legs <= STILL_LAVA


@kernel
def overcome(state, w, number):
    """An obstacle: the mob jumps, and if that does not help, goes around it."""
    mob = state.mobs[w, number]
    player = state.players[w]
    mob.vy = JUMP
    if unit(player) < 0.25 and mob.mood != DETOUR:
        yaw = math.radians(mob.yaw)
        side = WAY_ROUND if unit(player) < 0.5 else -WAY_ROUND
        mob.goal_x = mob.x + side * math.cos(yaw)
        mob.goal_z = mob.z + side * math.sin(yaw)
        mob.mood = DETOUR
        mob.wait = 25


@kernel
def land(state, rules, w, number):
    mob = state.mobs[w, number]
    amount = math.ceil(mob.fall - 3.0 - EPSILON)
    mob.fall = 0.0
    if amount > 0.0:
        hurt_mob(state, rules, w, number, float(amount), FALL, False)
