"""Damage to the player, with armour, shields and effects. Life is lost here and nowhere else.

Figures are those of EntityLivingBase.attackEntityFrom, CombatRules and DamageSource.
"""

import math

from voxeldojo.engine.body.effects import (
    FIRE_RESISTANCE,
    RESISTANCE,
    has_effect,
    strength_of,
)
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.hands.slots import wear_slot

# Causes, in ``player.cause``.
FALL, MOB, SHOT, EXPLOSION, FIRE, LAVA = 1, 2, 3, 4, 5, 6
DROWNING, STARVATION, SUFFOCATION, CACTUS, VOID, MAGIC = 7, 8, 9, 10, 11, 12
BURNING, WITHERING, MAGMA = 13, 14, 15  # FIRE: standing in it; BURNING: being on fire
FIERY = (1 << FIRE) | (1 << LAVA) | (1 << BURNING) | (1 << MAGMA)
ARMOURED = (1 << MOB) | (1 << SHOT) | (1 << EXPLOSION) | (1 << CACTUS)
ARMOURED |= (1 << FIRE) | (1 << LAVA) | (1 << MAGMA)  # armour does not reduce the others
SHIELDED = (1 << MOB) | (1 << SHOT) | (1 << EXPLOSION)

FEET, HEAD, OFFHAND = 36, 39, 40
RECOVERY = 10  # ticks after damage in which only greater damage counts, by the difference
SHIELD_DELAY = 5  # ticks from raising a shield until it blocks
WORK = 0.1  # exhaustion by damage that armour can reduce: DamageSource.hungerDamage


@kernel
def defence(state, rules, w):
    """The points and the toughness of the armour that is worn."""
    points = 0.0
    toughness = 0.0
    for number in range(FEET, HEAD + 1):
        worn = rules.item[state.slots[w, number].item]
        points += worn.armour
        toughness += worn.toughness
    return points, toughness


@kernel
def after_armour(amount, points, toughness):
    """The damage left behind armour, by the formula of 1.9: CombatRules.getDamageAfterAbsorb."""
    worth = min(20.0, max(points * 0.2, points - amount / (2.0 + toughness / 4.0)))
    return amount * (1.0 - worth / 25.0)


@kernel
def wear_armour(state, rules, w, amount):
    """Each piece wears by a quarter of the damage, at least one point."""
    wear = max(1, int(amount / 4.0))
    for number in range(FEET, HEAD + 1):
        slot = state.slots[w, number]
        if rules.item[slot.item].armour > 0:
            wear_slot(rules, slot, wear)


@entry_kernel
def hurt(state, rules, w, amount, cause, attacker):
    """Damage the player by ``amount`` points, reduced by armour and effects. ``attacker``: the kind
    of the mob that did it, 0 for none. Returns whether it did harm."""
    player = state.players[w]
    if amount <= 0.0 or player.life <= 0.0:
        return False
    if player.effects != 0 and (FIERY >> cause) & 1 and has_effect(player, FIRE_RESISTANCE):
        return False
    player.sleeping = 0
    whole = amount
    if player.invulnerable > 0:
        if amount <= player.struck:
            return False
        amount -= player.struck
    else:
        player.invulnerable = RECOVERY
    player.struck = whole
    player.cause = cause
    player.attacker = attacker
    if (ARMOURED >> cause) & 1:
        points, toughness = defence(state, rules, w)
        if points > 0.0:
            wear_armour(state, rules, w, amount)
            amount = after_armour(amount, points, toughness)
        player.exhaustion += WORK
    if player.effects != 0 and cause != VOID and cause != STARVATION:
        amount *= max(0.0, 1.0 - 0.2 * (strength_of(state, w, RESISTANCE) + 1))
    spared = min(player.absorption, amount)
    player.absorption -= spared
    player.life = max(0.0, player.life - (amount - spared))
    return True


@kernel
def shielded(state, w, x, z):
    """Whether a raised shield blocks damage from (x, z), which must be in front of the player."""
    player = state.players[w]
    if player.blocking < SHIELD_DELAY:
        return False
    away = (player.x - x) * -math.sin(math.radians(player.yaw)) + (player.z - z) * math.cos(
        math.radians(player.yaw)
    )
    return away < 0.0


@entry_kernel
def hurt_from(state, rules, w, amount, cause, attacker, x, z):
    """``hurt`` by something at (x, z), which a shield can block."""
    player = state.players[w]
    if amount > 0.0 and (SHIELDED >> cause) & 1 and shielded(state, w, x, z):
        if amount >= 3.0:
            number = 0 if rules.item[state.slots[w, 0].item].shield == 1 else OFFHAND
            slot = state.slots[w, number]
            if wear_slot(rules, slot, 1 + int(amount)):
                player.blocking = 0
        return False
    return hurt(state, rules, w, amount, cause, attacker)
