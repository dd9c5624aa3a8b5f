"""Harm to mobs by their surroundings, every ten ticks: fire, lava, water, cactus, the sun. And
despawning, by EntityLiving.despawnEntity."""

import math

from voxeldojo.engine.body.clock import darkness
from voxeldojo.engine.body.hurt import CACTUS, DROWNING, FIRE, LAVA, VOID
from voxeldojo.engine.chance import unit
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import block_at, held
from voxeldojo.engine.mobs.kinds import BLAZE, ENDERMAN, SNOWMAN, SQUID
from voxeldojo.engine.mobs.placing import remove_mob, tall_of
from voxeldojo.engine.mobs.spawn_lists import list_of
from voxeldojo.engine.mobs.table import MONSTERS
from voxeldojo.engine.mobs.teleporting import teleport
from voxeldojo.engine.mobs.wounds import hurt_mob
from voxeldojo.engine.motion.light import sky_light
from voxeldojo.engine.motion.raining import rains_at
from voxeldojo.engine.state import CLEAR, OVERWORLD

ROUND = 10  # ticks between two checks
FLAMES, CACTUS_BLOCK = 51, 81
SUNBURN = 160  # ticks of burning: 8 seconds, EntityZombie.onLivingUpdate
AFAR, TOO_FAR = 32.0, 128.0  # metres from the player beyond which it may, or does, despawn


@kernel
def vanishes(state, rules, w, mob):
    """Whether a mob is outside the window, or despawns far from the player."""
    if not held(state, w, math.floor(mob.x), math.floor(mob.z)):
        return True
    if mob.stays == 1 or list_of(state, rules, w, mob.kind) != MONSTERS:
        return False
    player = state.players[w]
    dx = mob.x - player.x
    dy = mob.y - player.y
    dz = mob.z - player.z
    away = dx * dx + dy * dy + dz * dz
    if away > TOO_FAR * TOO_FAR:
        return True
    return away > AFAR * AFAR and unit(player) < ROUND / 800.0


@kernel
def suffer(state, rules, w, number):
    """Ten ticks in its surroundings. False: it died or vanished."""
    mob = state.mobs[w, number]
    if vanishes(state, rules, w, mob):
        remove_mob(state, w, number)
        return False
    kind = rules.mob[mob.kind]
    x = math.floor(mob.x)
    z = math.floor(mob.z)
    feet = block_at(state, w, x, math.floor(mob.y + 0.1), z)
    head = block_at(state, w, x, math.floor(mob.y + 0.85 * tall_of(rules, mob)), z)
    wet = 8 <= feet <= 9
    if 10 <= feet <= 11:
        mob.fire = 300
        hurt_mob(state, rules, w, number, 4.0, LAVA, False)
    elif feet == FLAMES:
        mob.fire = SUNBURN
        hurt_mob(state, rules, w, number, 1.0, FIRE, False)
    elif wet or (
        mob.fire > 0 and rains_at(state, rules, w, x, math.floor(mob.y + tall_of(rules, mob)), z)
    ):
        mob.fire = 0
    if mob.kind == 0:
        return False
    if kind.burns == 1 and mob.fire == 0 and not wet:
        catch_the_sun(state, w, mob, x, z, tall_of(rules, mob))
    if mob.fire > 0:
        mob.fire = max(0, mob.fire - ROUND)
        if mob.fire % 20 == 0:
            hurt_mob(state, rules, w, number, 1.0, FIRE, False)
    if mob.kind != 0 and (wet or mob.kind == SQUID):
        breathe(state, rules, w, number, wet and 8 <= head <= 9)
    elif mob.air < 300:
        mob.air = 300
    if mob.kind != 0 and beside_cactus(state, rules, w, mob):
        hurt_mob(state, rules, w, number, 1.0, CACTUS, False)
    if mob.kind != 0 and mob.y < -16.0:
        hurt_mob(state, rules, w, number, 8.0, VOID, False)
    return mob.kind != 0


@kernel
def catch_the_sun(state, w, mob, x, z, tall):
    """Undead mobs under the open sky burn on a clear day."""
    player = state.players[w]
    if player.dimension != OVERWORLD or player.weather != CLEAR or darkness(state, w) >= 4:
        return
    if sky_light(state, w, x, math.floor(mob.y + 0.85 * tall), z) < 15:
        return
    if unit(player) < 0.33:
        mob.fire = SUNBURN


@kernel
def breathe(state, rules, w, number, under):
    """Ten ticks in water, or for a squid out of it."""
    mob = state.mobs[w, number]
    kind = rules.mob[mob.kind]
    if mob.kind in (ENDERMAN, BLAZE, SNOWMAN):
        hurt_mob(state, rules, w, number, 1.0, DROWNING, False)
        if mob.kind == ENDERMAN:
            teleport(state, rules, w, mob, mob.x, mob.y, mob.z, 16.0)
        return
    breathes = under if mob.kind == SQUID else not under or kind.swims + kind.undead > 0
    if breathes:
        mob.air = 300
        return
    mob.air -= ROUND
    if mob.air <= -20:
        mob.air = 0
        hurt_mob(state, rules, w, number, 2.0, DROWNING, False)


@kernel
def beside_cactus(state, rules, w, mob):
    half = rules.mob[mob.kind].half + 0.06
    y = math.floor(mob.y + 0.5)
    x = math.floor(mob.x)
    z = math.floor(mob.z)
    return (
        block_at(state, w, math.floor(mob.x + half), y, z) == CACTUS_BLOCK
        or block_at(state, w, math.floor(mob.x - half), y, z) == CACTUS_BLOCK
        or block_at(state, w, x, y, math.floor(mob.z + half)) == CACTUS_BLOCK
        or block_at(state, w, x, y, math.floor(mob.z - half)) == CACTUS_BLOCK
    )
