"""The ender dragon: it circles over the island and swoops at the player. The flight is simpler than
the game's phases; life and damage are the game's."""

import math

from voxeldojo.engine.body.hurt import MOB, hurt
from voxeldojo.engine.chance import below, unit
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.mobs.walking import turn_to
from voxeldojo.engine.mobs.wounds import knock

RADIUS = 40.0  # metres of its circle
HEIGHT_OF_FLIGHT = 5.0  # metres above its start
SPEED = 0.6  # metres per tick
CIRCLE, SWOOP = 0, 1
WINGS = 6.0  # metres from its middle within which it hits


@kernel
def circle(state, rules, w, number):
    """One tick. ``goal`` is the middle of its circle, its first place."""
    mob = state.mobs[w, number]
    player = state.players[w]
    mob.wait -= 1
    if mob.wait <= 0:
        swoops = mob.mood == CIRCLE and player.life > 0.0 and unit(player) < 0.7
        mob.mood = SWOOP if swoops else CIRCLE
        mob.wait = 100 if swoops else 100 + below(player, 200)
    if mob.mood == SWOOP:
        x = player.x
        y = player.y + 0.5
        z = player.z
    else:
        angle = 0.02 * (player.ticks % 100000)
        x = mob.goal_x + min(RADIUS, 0.35 * state.blocks.shape[1]) * math.cos(angle)
        y = mob.goal_y + HEIGHT_OF_FLIGHT
        z = mob.goal_z + min(RADIUS, 0.35 * state.blocks.shape[1]) * math.sin(angle)
    y = min(y, 110.0)
    dx = x - mob.x
    dy = y - mob.y
    dz = z - mob.z
    away = max(0.1, math.sqrt(dx * dx + dy * dy + dz * dz))
    step = min(SPEED, away)
    # It must not leave the window around the player.
    last = state.blocks.shape[1] - 1.0
    mob.x = min(player.west + last, max(player.west + 1.0, mob.x + step * dx / away))
    mob.y += step * dy / away
    mob.z = min(player.north + last, max(player.north + 1.0, mob.z + step * dz / away))
    turn_to(mob, x, z)
    if mob.mood == SWOOP and away < WINGS and mob.pause == 0:
        mob.pause = 20
        if hurt(state, rules, w, rules.mob[mob.kind].damage, MOB, mob.kind):
            knock(player, player.x - mob.x, player.z - mob.z, 1.0)
        mob.mood = CIRCLE
        mob.wait = 100
