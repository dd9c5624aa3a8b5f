"""The player's attack on mobs, since Minecraft 1.9 with a strength that recovers over time
(EntityPlayer.attackTargetEntityWithCurrentItem).

The game strikes once when the attack key goes down. MineDojo's attack action holds the key, and
programs repeat that action. So here a key that stays down strikes again as soon as the weapon has
its full strength. Pressed again, after another action, it strikes at once, and weakly, as in the
game.
"""

import math

from voxeldojo.engine.body.hurt import MOB
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.hands.items import wear_out
from voxeldojo.engine.mobs.aim import mob_on_ray
from voxeldojo.engine.mobs.shots import FIREBALL
from voxeldojo.engine.mobs.weapons import BLOWS, RECOVERY
from voxeldojo.engine.mobs.wounds import hurt_mob, knock
from voxeldojo.engine.rays import cast, direction, enter_slab
from voxeldojo.engine.state import EYES

ARM = 3.0  # metres: the reach for mobs in survival, EntityRenderer.getMouseOver
EXHAUSTION = 0.1  # by a blow, as in EntityPlayer
WIDE = 1.5  # metres from the middle of a fireball within which it can be struck


@kernel
def mob_under_crosshair(state, rules, w, reach):
    """The number of the mob under the crosshair with no block before it; -1 if there is none."""
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
    """Attack while the attack key is down. True: a mob or a fireball is under the crosshair, so no
    block is dug."""
    player = state.players[w]
    held = player.striking == 1
    player.striking = 1
    number = mob_under_crosshair(state, rules, w, ARM)
    ball = fireball_under_crosshair(state, rules, w, ARM) if number < 0 else -1
    if number < 0 and ball < 0:
        return False
    item = state.slots[w, 0].item
    strength = min(1.0, (player.cooldown + 0.5) / RECOVERY[item])
    if held and strength < 1.0:
        return True
    if number < 0:
        return_fireball(state, w, ball)
    else:
        blow(state, rules, w, number, item, strength)
    return True


@kernel
def fireball_under_crosshair(state, rules, w, reach):
    """The number of the ghast's fireball under the crosshair, -1 if there is none. Its cube of a
    metre is enlarged by a metre on every side, by the game's getCollisionBorderSize."""
    player = state.players[w]
    dx, dy, dz = direction(player.yaw, player.pitch)
    eyes = player.y + EYES
    found = -1
    nearest = reach
    for number in range(player.shots):
        shot = state.shots[w, number]
        if shot.kind != FIREBALL:
            continue
        ax, bx = enter_slab(player.x, dx, shot.x - WIDE, shot.x + WIDE)
        ay, by = enter_slab(eyes, dy, shot.y - WIDE, shot.y + WIDE)
        az, bz = enter_slab(player.z, dz, shot.z - WIDE, shot.z + WIDE)
        near = max(0.0, ax, ay, az)
        if near <= min(bx, by, bz) and near < nearest:
            nearest = near
            found = number
    if found >= 0 and cast(state, rules, w, player.x, eyes, player.z, dx, dy, dz, nearest)[0] != 0:
        return -1
    return found


@kernel
def return_fireball(state, w, number):
    """A struck fireball belongs to the player and flies along the line of sight, as fast as before
    (EntityFireball.attackEntityFrom)."""
    player = state.players[w]
    shot = state.shots[w, number]
    speed = math.sqrt(shot.vx * shot.vx + shot.vy * shot.vy + shot.vz * shot.vz)
    dx, dy, dz = direction(player.yaw, player.pitch)
    shot.vx = speed * dx
    shot.vy = speed * dy
    shot.vz = speed * dz
    shot.owner = -1
    shot.by = 0
    shot.age = 0
    player.cooldown = 0


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
