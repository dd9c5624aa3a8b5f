"""The player's blow: Minecraft 1.9's, that gains strength while one waits.

The game strikes once when the attack key goes down. MineDojo's attack action holds it, and programs
repeat that action; so here a key that stays down strikes again as soon as the weapon has its full
strength. Pressed anew (another action in between) it strikes at once, as weakly as in the game.
"""

import math

from voxeldojo.engine.body.hurt import MOB
from voxeldojo.engine.compiled import kernel
from voxeldojo.engine.hands.items import wear_out
from voxeldojo.engine.mobs.aim import mob_on_ray
from voxeldojo.engine.mobs.weapons import BLOWS, RECOVERY
from voxeldojo.engine.mobs.wounds import hurt_mob, knock
from voxeldojo.engine.rays import cast, direction
from voxeldojo.engine.state import EYES

ARM = 3.0  # metres
EXHAUSTION = 0.1


@kernel
def mob_under_crosshair(state, rules, w, reach):
    """The number of the mob the player looks at, nothing being in between; -1 if there is none."""
    player = state.players[w]
    if player.mobs == 0:
        return -1
    dx, dy, dz = direction(player.yaw, player.pitch)
    eyes = player.y + EYES
    number, distance = mob_on_ray(state, rules, w, player.x, eyes, player.z, dx, dy, dz, reach)
    if number < 0:
        return -1
    block = cast(state, rules, w, player.x, eyes, player.z, dx, dy, dz, distance)[0]
    return number if block == 0 else -1


@kernel
def strike(state, rules, w):
    """The attack key is down. True: a mob is under the crosshair, and no block is dug."""
    player = state.players[w]
    held = player.striking == 1
    player.striking = 1
    number = mob_under_crosshair(state, rules, w, ARM)
    if number < 0:
        return False
    item = state.slots[w, 0].item
    strength = min(1.0, (player.cooldown + 0.5) / RECOVERY[item])
    if held and strength < 1.0:
        return True
    blow(state, rules, w, number, item, strength)
    return True


@kernel
def blow(state, rules, w, number, item, strength):
    player = state.players[w]
    amount = BLOWS[item] * (0.2 + 0.8 * strength * strength)
    critical = (
        strength > 0.9
        and player.fall > 0.0
        and player.ground == 0
        and player.fluid == 0
        and player.sprinting == 0
    )
    if critical:
        amount *= 1.5
    player.cooldown = 0
    if hurt_mob(state, rules, w, number, amount, MOB, True):
        mob = state.mobs[w, number]
        knock(mob, mob.x - player.x, mob.z - player.z, 0.4)
        if player.sprinting == 1 and strength > 0.9:
            yaw = math.radians(player.yaw)
            knock(mob, -math.sin(yaw), math.cos(yaw), 0.5)
            player.vx *= 0.6
            player.vz *= 0.6
            player.sprinting = 0
        if rules.item[item].tool in (1, 2):
            wear_out(state, rules, w, 1 if rules.item[item].tool == 2 else 2)
        player.exhaustion += EXHAUSTION
