"""Movement of mobs, with the same collisions as the player. A mob at rest is not moved."""

import math

from voxeldojo.engine.body.physics import (
    DRAG,
    EPSILON,
    GRAVITY,
    clear_side,
    clear_y,
)
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import block_at
from voxeldojo.engine.mobs.placing import half_of, tall_of

WATER, STILL_WATER, LAVA_FLOW, STILL_LAVA = 8, 9, 10, 11


@kernel
def turn_to(mob, x, z):
    mob.yaw = math.degrees(math.atan2(mob.x - x, z - mob.z))


@kernel
def step_forward(rules, mob, haste):
    """Accelerate a mob on the ground along its yaw."""
    pace = rules.mob[mob.kind].pace * haste * haste
    if mob.ground == 0:
        pace = 0.02 * haste
    yaw = math.radians(mob.yaw)
    mob.vx -= pace * math.sin(yaw)
    mob.vz += pace * math.cos(yaw)


@kernel
def carry(state, rules, w, mob):
    """Move a mob by its velocity for a tick. Returns whether a block stopped it."""
    half = half_of(rules, mob)
    tall = tall_of(rules, mob)
    dy = clear_y(state, rules, w, mob.x, mob.y, mob.z, half, tall, mob.vy)
    mob.y += dy
    landed = mob.vy < 0.0 and dy > mob.vy + EPSILON
    if dy < 0.0:
        mob.fall -= dy
    dx = clear_side(state, rules, w, mob.x, mob.z, mob.y, half, tall, mob.vx, True)
    mob.x += dx
    dz = clear_side(state, rules, w, mob.z, mob.x, mob.y, half, tall, mob.vz, False)
    mob.z += dz
    blocked = abs(dx - mob.vx) > EPSILON or abs(dz - mob.vz) > EPSILON
    if dx != mob.vx:
        mob.vx = 0.0
    if dz != mob.vz:
        mob.vz = 0.0
    if dy != mob.vy:
        mob.vy = 0.0
    mob.ground = 1 if landed else 0
    return blocked


@kernel
def move_walker(state, rules, w, mob):
    """One tick of a mob with legs. Returns whether a block stopped it."""
    fluid = block_at(state, w, math.floor(mob.x), math.floor(mob.y + 0.3), math.floor(mob.z))
    swims = WATER <= fluid <= STILL_LAVA
    if swims:
        mob.vy += 0.04
        mob.fall = 0.0
    slip = 0.91
    if mob.ground == 1:
        below = block_at(state, w, math.floor(mob.x), math.floor(mob.y) - 1, math.floor(mob.z))
        slip = rules.block[below].slipperiness * 0.91
    blocked = carry(state, rules, w, mob)
    if swims:
        mob.vx *= 0.8
        mob.vz *= 0.8
        mob.vy = 0.8 * mob.vy - 0.02
        if blocked:
            mob.vy = 0.3
        return False
    mob.vy = (mob.vy - GRAVITY) * DRAG
    mob.vx *= slip
    mob.vz *= slip
    return blocked
