"""The player's needs and dangers: hunger, breath, fire, and harmful blocks.

Hunger is that of FoodStats.onUpdate, the rest of EntityLivingBase.onEntityUpdate and of the blocks.
"""

import math

from voxeldojo.engine.body.effects import (
    ABSORPTION,
    FIRE_RESISTANCE,
    HUNGER,
    POISON,
    REGENERATION,
    WATER_BREATHING,
    WITHER,
    has_effect,
)
from voxeldojo.engine.body.hurt import (
    BURNING,
    CACTUS,
    DROWNING,
    FIRE,
    LAVA,
    MAGIC,
    MAGMA,
    STARVATION,
    SUFFOCATION,
    VOID,
    WITHERING,
    hurt,
)
from voxeldojo.engine.body.sleeping import sleep
from voxeldojo.engine.chance import below
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import (
    CACTUS_BLOCK,
    FIRE_BLOCK,
    LAVA_BLOCK,
    MAGMA_BLOCK,
    WATER_BLOCK,
    block_at,
    side_x,
    side_z,
)
from voxeldojo.engine.motion.raining import rains_at
from voxeldojo.engine.state import BODY_HEIGHT, EFFECTS, EYES, HALF_WIDTH

BREATH = 300  # ticks of air
STARVED = 80  # ticks between two points of life, lost by hunger or healed
FEAST = 10  # ticks between two healings with full food and some saturation
MEAL = 6.0  # exhaustion by healing one point
BITE = 30  # ticks for which a fish stays on the hook
TOUCH = 10  # ticks between two checks of the blocks that the body touches


@kernel
def live(state, rules, w):
    """One tick of the body's needs."""
    player = state.players[w]
    if player.invulnerable > 0:
        player.invulnerable -= 1
    if player.life <= 0.0:
        return
    if player.fluid != 0 or player.fluid_eyes != 0 or player.air < BREATH:
        breathe(state, rules, w)
    if player.fire > 0 or player.fluid == LAVA_BLOCK:
        burn(state, rules, w)
    if player.effects != 0:
        run_effects(state, rules, w)
    if player.sleeping > 0:
        sleep(state, w)
    if player.ticks % TOUCH == 0:
        touch(state, rules, w)
    if player.fishing != 0:
        player.fishing = player.fishing - 1 if player.fishing != 1 else -1
        if player.fishing < -BITE:
            player.fishing = 100 + below(player, 501)  # it got away
    if player.y < -64.0:
        hurt(state, rules, w, 4.0, VOID, 0)
    if player.exhaustion > 4.0:
        player.exhaustion -= 4.0
        if player.saturation > 0.0:
            player.saturation = max(0.0, player.saturation - 1.0)
        else:
            player.food = max(0.0, player.food - 1.0)
    if player.life < 20.0 or player.food <= 0.0:
        digest(state, rules, w)


@kernel
def digest(state, rules, w):
    """A well-fed player heals, at the cost of exhaustion; one without food starves."""
    player = state.players[w]
    if player.life < 20.0 and player.food >= 20.0 and player.saturation > 0.0:
        player.regeneration += 1
        if player.regeneration >= FEAST:
            spent = min(player.saturation, MEAL)
            player.life = min(20.0, player.life + spent / MEAL)
            player.exhaustion += spent
            player.regeneration = 0
    elif player.life < 20.0 and player.food >= 18.0:
        player.regeneration += 1
        if player.regeneration >= STARVED:
            player.life = min(20.0, player.life + 1.0)
            player.exhaustion += MEAL
            player.regeneration = 0
    elif player.food <= 0.0:
        player.regeneration += 1
        if player.regeneration >= STARVED:
            if player.life > 1.0:
                hurt(state, rules, w, 1.0, STARVATION, 0)
            player.regeneration = 0
    else:
        player.regeneration = 0


@kernel
def breathe(state, rules, w):
    player = state.players[w]
    if player.fluid_eyes == WATER_BLOCK and not has_effect(player, WATER_BREATHING):
        player.air -= 1
        if player.air <= -20:
            player.air = 0
            hurt(state, rules, w, 2.0, DROWNING, 0)
    else:
        player.air = BREATH
    if player.fluid == WATER_BLOCK:
        player.fire = 0


@kernel
def burn(state, rules, w):
    player = state.players[w]
    if player.fluid == LAVA_BLOCK:
        hurt(state, rules, w, 4.0, LAVA, 0)
        player.fire = max(player.fire, 300)
    elif player.fire > 0:
        head = math.floor(player.y + BODY_HEIGHT)
        if rains_at(state, rules, w, math.floor(player.x), head, math.floor(player.z)):
            player.fire = 0  # Entity.isWet
            return
        if player.fire % 20 == 0:
            hurt(state, rules, w, 1.0, BURNING, 0)
        player.fire -= 1


@kernel
def run_effects(state, rules, w):
    player = state.players[w]
    for effect in range(EFFECTS):
        if not has_effect(player, effect):
            continue
        left = state.effects[w, effect] >> 3
        strength = state.effects[w, effect] & 7
        if effect == REGENERATION:
            if left % max(1, 50 >> strength) == 0:
                player.life = min(20.0, player.life + 1.0)
        elif effect == POISON:
            if left % max(1, 25 >> strength) == 0 and player.life > 1.0:
                hurt(state, rules, w, 1.0, MAGIC, 0)
        elif effect == WITHER:
            if left % max(1, 40 >> strength) == 0:
                hurt(state, rules, w, 1.0, WITHERING, 0)
        elif effect == HUNGER:
            player.exhaustion += 0.005 * (strength + 1)
        state.effects[w, effect] -= 8
        if left <= 1:
            player.effects &= ~(1 << effect)
            if effect == ABSORPTION:
                player.absorption = 0.0


@kernel
def touch(state, rules, w):
    """Harm by fire, cactus, magma and blocks around the head. Each hurts at most every 10 ticks,
    which is how often it is checked."""
    player = state.players[w]
    x = math.floor(player.x)
    y = math.floor(player.y)
    z = math.floor(player.z)
    feet = block_at(state, w, x, y, z)
    chest = block_at(state, w, x, y + 1, z)
    if feet == FIRE_BLOCK or chest == FIRE_BLOCK:
        hurt(state, rules, w, 1.0, FIRE, 0)
        if player.fluid != WATER_BLOCK:
            player.fire = max(player.fire, 160)
    elif (
        player.ground == 1
        and block_at(state, w, x, math.floor(player.y - 0.5), z) == MAGMA_BLOCK
        and not has_effect(player, FIRE_RESISTANCE)
    ):
        hurt(state, rules, w, 1.0, MAGMA, 0)
    eyes = block_at(state, w, x, math.floor(player.y + EYES), z)
    if eyes != 0:
        entry = rules.block[eyes]
        if entry.solid == 1 and entry.light == 1 and entry.height >= 1.0 and entry.movement == 1:
            hurt(state, rules, w, 1.0, SUFFOCATION, 0)
    # A cactus is a sixteenth narrower than its cell: a body that touches the cell is hurt.
    near = HALF_WIDTH + 0.01
    for side in range(4):
        dx = near * side_x(side)
        dz = near * side_z(side)
        cx = math.floor(player.x + dx)
        cz = math.floor(player.z + dz)
        if (cx != x or cz != z) and (
            block_at(state, w, cx, y, cz) == CACTUS_BLOCK
            or block_at(state, w, cx, y + 1, cz) == CACTUS_BLOCK
        ):
            hurt(state, rules, w, 1.0, CACTUS, 0)
            return
    if block_at(state, w, x, math.floor(player.y - 0.1), z) == CACTUS_BLOCK:
        hurt(state, rules, w, 1.0, CACTUS, 0)
