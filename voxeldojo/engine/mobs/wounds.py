"""Damage to mobs, and their drops when they die."""

import math

import numpy as np
from numba import boolean, float64, int64

from voxeldojo.engine.body.experience import gain_xp
from voxeldojo.engine.body.hurt import FALL, FIRE, LAVA, SHOT
from voxeldojo.engine.chance import below, unit
from voxeldojo.engine.compiling.compiled_apart import apart
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.hands.items import lay_drop
from voxeldojo.engine.mobs.carrying import let_fall
from voxeldojo.engine.mobs.kinds import (
    CHICKEN,
    ENDER_DRAGON,
    ENDERMAN,
    MAGMA_CUBE,
    OCELOT,
    SHEEP,
    SLIME,
    VILLAGER_GOLEM,
    WOLF,
    ZOMBIE_PIGMAN,
)
from voxeldojo.engine.mobs.placing import (
    place_mob,
    remove_mob,
    resize,
    tall_of,
)
from voxeldojo.engine.mobs.table import NO_ATTACK, PASSIVE
from voxeldojo.engine.mobs.teleporting import teleport
from voxeldojo.engine.motion.end_of_dragon import open_exit
from voxeldojo.engine.state import END
from voxeldojo.engine.structures.places import landscape
from voxeldojo.rules import item_id, item_names

IMMUNE = 10  # ticks after damage in which only greater damage counts
BLAME = 100  # ticks after the player's damage in which a death counts as its kill
FLIGHT = 100  # ticks for which a hurt animal runs
ANGER = 600  # ticks for which a hurt neutral mob chases
CALL = 24.0  # metres within which others of its kind join
MAGMA_ARMOUR = 3  # points for each unit of size: EntityMagmaCube.setSlimeSize
DROP_WAIT = 10  # ticks until a drop can be picked up
SOFT_LANDERS = (CHICKEN, OCELOT, MAGMA_CUBE, VILLAGER_GOLEM)
WOOL = item_id("wool")
# The drops of a burning animal, as item ids by item id.
COOKED = np.arange(len(item_names))
for _raw in ("beef", "porkchop", "chicken", "mutton", "rabbit", "fish"):
    COOKED[item_id(_raw)] = item_id(f"cooked_{_raw}")


@kernel
def softened(amount, armour):
    """The damage left behind armour."""
    return amount * (1.0 - min(20.0, max(armour / 5.0, armour - amount / 2.0)) / 25.0)


@apart(int64, int64, float64, int64, boolean, returns=boolean)
def hurt_mob(state, rules, w, number, amount, cause, by_player):
    """Remove ``amount`` points of life, for a cause as in hurt.py. Returns whether it did harm."""
    mob = state.mobs[w, number]
    if mob.kind == 0 or amount <= 0.0:
        return False
    kind = rules.mob[mob.kind]
    if cause in (FIRE, LAVA) and kind.fireproof == 1:
        return False
    if cause == FALL and (kind.flies == 1 or kind.swims == 1 or mob.kind in SOFT_LANDERS):
        return False
    if mob.kind == ENDERMAN and cause == SHOT:
        teleport(state, rules, w, mob, mob.x, mob.y, mob.z, 16.0)
        return False
    taken = amount
    if mob.invulnerable > 0:
        taken = amount - mob.struck
        if taken <= 0.0:
            return False
    else:
        mob.invulnerable = IMMUNE
    mob.struck = amount
    if by_player:
        mob.blame = BLAME
    armour = kind.armour
    if mob.kind == MAGMA_CUBE:
        armour = float(MAGMA_ARMOUR * mob.variant)
    mob.life -= softened(taken, armour) if armour > 0.0 else taken
    mob.wait = 0
    if mob.life <= 0.0:
        die(state, rules, w, number)
        return True
    if kind.nature == PASSIVE or kind.attack == NO_ATTACK:
        mob.angry = FLIGHT
    elif by_player:
        provoke(state, w, number)
    return True


@kernel
def provoke(state, w, number):
    """A mob makes the player its target; pigmen and wolves call others of their kind."""
    mob = state.mobs[w, number]
    mob.angry = ANGER
    mob.target = -1
    mob.love = 0
    if mob.kind != ZOMBIE_PIGMAN and mob.kind != WOLF:
        return
    for other in range(state.players[w].mobs):
        fellow = state.mobs[w, other]
        if (
            fellow.kind == mob.kind
            and fellow.carried == 0
            and abs(fellow.x - mob.x) + abs(fellow.z - mob.z) < CALL
        ):
            fellow.angry = ANGER
            fellow.target = -1


@kernel
def die(state, rules, w, number):
    """A mob's death: its drops, experience, the count of kills."""
    player = state.players[w]
    mob = state.mobs[w, number]
    kind = rules.mob[mob.kind]
    blamed = mob.blame > 0
    if mob.age >= 0:
        leave(state, rules, w, mob, blamed)
    if blamed:
        state.kills[w, mob.kind] += 1
        if mob.age >= 0:
            points = kind.xp_fewest + below(player, kind.xp_most - kind.xp_fewest + 1)
            if mob.kind in (SLIME, MAGMA_CUBE):
                points = np.int64(mob.variant)  # EntitySlime.setSlimeSize
            gain_xp(state, w, float(points))
    species = mob.kind
    size = mob.variant
    x = mob.x
    y = mob.y
    z = mob.z
    remove_mob(state, w, number)
    if species in (SLIME, MAGMA_CUBE) and size > 1:
        split(state, rules, w, species, size, x, y, z)
    elif species == ENDER_DRAGON and landscape(state, w) == END:
        open_exit(state, rules, w)


@kernel
def leave(state, rules, w, mob, blamed):
    player = state.players[w]
    kind = rules.mob[mob.kind]
    # Slime balls are dropped by the smallest ones, magma cream by the larger ones.
    if (mob.kind == SLIME and mob.variant > 1) or (mob.kind == MAGMA_CUBE and mob.variant == 1):
        return
    if mob.kind == ENDERMAN:
        let_fall(state, w, mob)
    rows = kind.drops + (kind.rare if blamed else 0)
    for row in range(kind.drop, kind.drop + rows):
        fall = rules.mob_drops[row]
        if fall.chance < 1.0 and unit(player) >= fall.chance:
            continue
        count = fall.fewest + below(player, fall.most - fall.fewest + 1)
        if count == 0 or (fall.item == WOOL and mob.kind == SHEEP and mob.carried == 1):
            continue
        item = COOKED[fall.item] if mob.fire > 0 else np.int64(fall.item)
        variant = fall.variant if fall.variant >= 0 else mob.variant
        lay_drop(
            state,
            w,
            mob.x,
            mob.y + 0.5 * tall_of(rules, mob),
            mob.z,
            0.2 * unit(player) - 0.1,
            0.2,
            0.2 * unit(player) - 0.1,
            item,
            count,
            variant,
            0,
            DROP_WAIT,
        )


@kernel
def split(state, rules, w, species, size, x, y, z):
    player = state.players[w]
    for part in range(2 + below(player, 3)):
        dx = (part % 2 - 0.5) * size / 4.0
        dz = (part // 2 - 0.5) * size / 4.0
        young = place_mob(state, rules, w, species, x + dx, y + 0.5, z + dz)
        if young >= 0:
            resize(state.mobs[w, young], size // 2)


@kernel
def knock(body, dx, dz, power):
    """Knock a mob or the player back along (dx, dz)."""
    length = math.sqrt(dx * dx + dz * dz)
    if length < 1e-4:
        return
    body.vx = 0.5 * body.vx + power * dx / length
    body.vz = 0.5 * body.vz + power * dz / length
    if body.ground == 1:
        body.vy = min(0.4, 0.5 * body.vy + power)
    body.ground = 0
