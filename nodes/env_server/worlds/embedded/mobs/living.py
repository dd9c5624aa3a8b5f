"""What each mob does in a tick."""

import math

from nodes.env_server.worlds.embedded.body.hurt import FALL, VOID
from nodes.env_server.worlds.embedded.body.physics import EPSILON
from nodes.env_server.worlds.embedded.chance import below, unit
from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.grid import held
from nodes.env_server.worlds.embedded.mobs.placing import remove_mob
from nodes.env_server.worlds.embedded.mobs.walking import move_walker, step_forward, turn_to
from nodes.env_server.worlds.embedded.mobs.wounds import hurt_mob

JUMP = 0.42
WANDER = 10.0  # metres
IDLE, WALK = 0, 1


@kernel
def tick_mobs(state, rules, w):
    """One tick of every mob."""
    player = state.players[w]
    player.cooldown += 1
    for number in range(player.mobs):
        mob = state.mobs[w, number]
        if mob.kind != 0:
            live(state, rules, w, number, mob)


@kernel
def live(state, rules, w, number, mob):
    player = state.players[w]
    if mob.invulnerable > 0:
        mob.invulnerable -= 1
    if mob.blame > 0:
        mob.blame -= 1
    if mob.angry > 0:
        mob.angry -= 1
    mob.wait -= 1
    if mob.wait <= 0:
        wander(player, mob)
    haste = 0.0
    if mob.mood == WALK:
        dx = mob.goal_x - mob.x
        dz = mob.goal_z - mob.z
        if dx * dx + dz * dz < 0.5:
            mob.mood = IDLE
        else:
            turn_to(mob, mob.goal_x, mob.goal_z)
            haste = 1.4 if mob.angry > 0 else 1.0
            step_forward(rules, mob, haste)
    resting = mob.ground == 1 and haste == 0.0 and abs(mob.vx) + abs(mob.vz) < 0.003
    if resting and (player.ticks + number) % 8 != 0:
        return
    if move_walker(state, rules, w, mob) and mob.ground == 1 and haste > 0.0:
        mob.vy = JUMP
    if mob.ground == 1 and mob.fall > 0.0:
        harm = math.ceil(mob.fall - 3.0 - EPSILON)
        mob.fall = 0.0
        if harm > 0.0:
            hurt_mob(state, rules, w, number, float(harm), FALL, False)
    if mob.kind != 0 and mob.y < -16.0:
        hurt_mob(state, rules, w, number, 4.0, VOID, False)
    if mob.kind != 0 and not held(state, w, math.floor(mob.x), math.floor(mob.z)):
        remove_mob(state, w, number)


@kernel
def wander(player, mob):
    """Now and then it thinks of another place to be at."""
    hurried = mob.angry > 0
    mob.wait = 20 + below(player, 20) if hurried else 60 + below(player, 120)
    if hurried or unit(player) < 0.5:
        mob.goal_x = mob.x + WANDER * (2.0 * unit(player) - 1.0)
        mob.goal_z = mob.z + WANDER * (2.0 * unit(player) - 1.0)
        mob.mood = WALK
    else:
        mob.mood = IDLE
