"""A mob's decisions, every ten ticks: targets, wandering, breeding, growing up.

Figures are those of the AI tasks and entities that are named.
"""

import math

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.body.clock import darkness
from voxeldojo.engine.body.experience import gain_xp
from voxeldojo.engine.chance import below, unit
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import block_at
from voxeldojo.engine.hands.items import lay_drop
from voxeldojo.engine.mobs.carrying import carry_about
from voxeldojo.engine.mobs.kinds import (
    CAVE_SPIDER,
    CHICKEN,
    CREEPER,
    ENDERMAN,
    SHEEP,
    SNOWMAN,
    SPIDER,
    VILLAGER_GOLEM,
    WOLF,
)
from voxeldojo.engine.mobs.placing import place_mob, tall_of
from voxeldojo.engine.mobs.senses import (
    floor_below,
    is_stared_at,
    sees,
    sees_player,
)
from voxeldojo.engine.mobs.table import FOODS, HOSTILE, NO_ATTACK, PASSIVE
from voxeldojo.engine.mobs.teleporting import teleport
from voxeldojo.engine.motion.light import block_light, sky_light
from voxeldojo.rules import item_id

IDLE, WALK, FOLLOW, COURT, DETOUR = 0, 1, 2, 3, 4
ROUND = 10  # ticks between two decisions
WANDER = 10.0  # metres: EntityAIWander draws from so far on every side
NEAR = 16.0  # metres within which a mob looks for targets
STILL_FROM = 32.0  # metres from the player beyond which EntityAIWander rests
LAYING, LAYING_SPREAD = 6000, 6000  # ticks between two eggs: EntityChicken
GRAZING, GRAZING_YOUNG = 0.01, 0.2  # of rounds: EntityAIEatGrass, one tick in 1000, of lambs in 50
GROWN_BY_GRASS = 1200  # ticks: EntitySheep.eatGrassBonus
HEELS, LEFT_BEHIND = 5.0, 4.0  # metres to a tame wolf, and around the player where it teleports to
TEMPTED = 10.0  # metres: EntityAITempt
FORGETS, LEAST_SIGHT = 8.0, 32.0  # metres beyond its sight, and the least sight, to end a chase
STALKS, STALKING, BESIDE = 12.0, 0.1, 6.0  # an enderman: metres, share of rounds, metres to arrive
STARED = 1200  # ticks for which an enderman that was looked at stays angry
DAZZLED = 12  # light from which on a spider does not attack: EntitySpider.AISpiderTarget
FELT = 2.0  # metres within which a mob notices the player without seeing it
COURTING, COURTING_HEIGHT = 8.0, 4.0  # metres to a mate: EntityAIMate
RESTING, CHILDHOOD = 6000, 24000  # ticks: EntityAgeable and EntityAnimal
HURRIED, HURRIED_SPREAD, IDLING, IDLING_SPREAD = 20, 20, 60, 120  # ticks until its next walk
PUMPKIN = item_id("pumpkin")
EGG = item_id("egg")
GRASS, DIRT, TALLGRASS = 2, 3, 31
HELMET = 39


@kernel
def grow(state, rules, w, number):
    """Ten ticks of growing up, breeding, laying eggs and growing wool."""
    mob = state.mobs[w, number]
    if mob.age < 0:
        mob.age = min(0, mob.age + ROUND)
    elif mob.age > 0:
        mob.age = max(0, mob.age - ROUND)
    if mob.love > 0:
        mob.love = max(0, mob.love - ROUND)
    if mob.kind == CHICKEN and mob.age >= 0:
        mob.counter -= ROUND
        if mob.counter <= 0:
            mob.counter = LAYING + below(state.players[w], LAYING_SPREAD)
            lay_drop(state, w, mob.x, mob.y, mob.z, 0.0, 0.0, 0.0, EGG, 1, 0, 0, 10)
    elif mob.kind == SHEEP:
        graze(state, rules, w, mob)


@kernel
def graze(state, rules, w, mob):
    """A sheep eats grass now and then, and its wool grows again."""
    if unit(state.players[w]) >= (GRAZING_YOUNG if mob.age < 0 else GRAZING):
        return
    x = math.floor(mob.x)
    y = math.floor(mob.y + 0.01)
    z = math.floor(mob.z)
    if block_at(state, w, x, y, z) == TALLGRASS:
        set_block(state, rules, w, x, y, z, 0, 0)
    elif block_at(state, w, x, y - 1, z) == GRASS:
        set_block(state, rules, w, x, y - 1, z, DIRT, 0)
    else:
        return
    mob.carried = 0
    if mob.age < 0:
        mob.age = min(0, mob.age + GROWN_BY_GRASS)


@kernel
def likes(rules, kind, item):
    """Whether an item is a kind's food."""
    if item == 0:
        return False
    food = rules.mob[kind].food
    for number in range(FOODS):
        if food[number] == item:
            return True
        if food[number] == 0:
            return False
    return False


@kernel
def think(state, rules, w, number):
    """Decide on a mob's target, and on what it follows."""
    mob = state.mobs[w, number]
    kind = rules.mob[mob.kind]
    player = state.players[w]
    dx = player.x - mob.x
    dy = player.y - mob.y
    dz = player.z - mob.z
    away = math.sqrt(dx * dx + dy * dy + dz * dz)
    if mob.kind == ENDERMAN:
        carry_about(state, rules, w, mob)
    if mob.target != 0:
        keep_on(state, rules, w, mob, kind, away)
    if mob.target == 0 and kind.attack != NO_ATTACK:
        look_out(state, rules, w, mob, kind, away)
    if mob.target != 0 or mob.angry > 0:
        return
    if mob.love > 0:
        court(state, rules, w, number)
    elif mob.kind == WOLF and mob.carried == 1:
        if away > NEAR and teleport(
            state, rules, w, mob, player.x, player.y, player.z, LEFT_BEHIND
        ):
            return
        mob.mood = FOLLOW if away > HEELS else IDLE
    elif away < TEMPTED and likes(rules, mob.kind, state.slots[w, 0].item):
        mob.mood = FOLLOW
        mob.wait = 2 * ROUND
    elif mob.mood == FOLLOW:
        mob.mood = IDLE


@kernel
def keep_on(state, rules, w, mob, kind, away):
    """Drop a mob's target if it is dead or far away."""
    if mob.target > 0:
        prey = state.mobs[w, mob.target - 1]
        far = abs(prey.x - mob.x) + abs(prey.z - mob.z) > 2.0 * NEAR
        if prey.kind == 0 or far:
            mob.target = 0
        return
    gone = state.players[w].life <= 0.0 or away > max(kind.sight, LEAST_SIGHT) + FORGETS
    calm = kind.nature != HOSTILE and mob.angry == 0
    if gone or calm:
        mob.target = 0
        mob.angry = 0
    elif mob.kind == ENDERMAN and away > STALKS and unit(state.players[w]) < STALKING:
        player = state.players[w]
        teleport(state, rules, w, mob, player.x, player.y, player.z, BESIDE)


@kernel
def look_out(state, rules, w, mob, kind, away):
    """Look for a target: the player, or for a golem a monster."""
    player = state.players[w]
    tall = tall_of(rules, mob)
    if mob.kind in (VILLAGER_GOLEM, SNOWMAN):
        mob.target = nearest_monster(state, rules, w, mob) + 1
        return
    if player.life <= 0.0 or away > kind.sight:
        return
    if mob.kind == ENDERMAN:
        if state.slots[w, HELMET].item != PUMPKIN and is_stared_at(state, rules, w, mob, tall):
            mob.target = -1
            mob.angry = STARED
        return
    if kind.nature != HOSTILE:
        return
    if mob.kind in (SPIDER, CAVE_SPIDER) and lit(state, w, mob) >= DAZZLED:
        return
    if away < FELT or kind.flies == 1 or sees_player(state, rules, w, mob, tall):
        mob.target = -1


@kernel
def lit(state, w, mob):
    """The light level at a mob, 0..15."""
    x = math.floor(mob.x)
    y = math.floor(mob.y + 0.5)
    z = math.floor(mob.z)
    sky = sky_light(state, w, x, y, z) - darkness(state, w)
    return max(sky, block_light(state, w, x, y, z))


@kernel
def nearest_monster(state, rules, w, mob):
    """The number of the nearest hostile mob in sight, -1 if there is none. An iron golem leaves
    creepers alone: EntityIronGolem.initEntityAI."""
    found = -1
    best = NEAR * NEAR
    for number in range(state.players[w].mobs):
        other = state.mobs[w, number]
        if other.kind == 0 or rules.mob[other.kind].nature != HOSTILE:
            continue
        if other.kind == CREEPER and mob.kind == VILLAGER_GOLEM:
            continue
        dx = other.x - mob.x
        dy = other.y - mob.y
        dz = other.z - mob.z
        away = dx * dx + dy * dy + dz * dz
        if away < best and sees(
            state, rules, w, mob.x, mob.y + 1.0, mob.z, other.x, other.y + 0.5, other.z
        ):
            best = away
            found = number
    return found


@kernel
def court(state, rules, w, number):
    """Two fed animals of a kind meet and have a young one."""
    mob = state.mobs[w, number]
    for other in range(state.players[w].mobs):
        mate = state.mobs[w, other]
        if other == number or mate.kind != mob.kind or mate.love == 0:
            continue
        away = abs(mate.x - mob.x) + abs(mate.z - mob.z)
        if away > COURTING or abs(mate.y - mob.y) > COURTING_HEIGHT:
            continue
        mob.mood = COURT
        mob.wait = 2 * ROUND
        mob.goal_x = mate.x
        mob.goal_z = mate.z
        if away < 2.0 * (1.0 + rules.mob[mob.kind].half):
            young = place_mob(state, rules, w, mob.kind, mob.x, mob.y, mob.z)
            mob.love = 0
            mate.love = 0
            mob.age = RESTING
            mate.age = RESTING
            mob.mood = IDLE
            if young >= 0:
                state.mobs[w, young].age = -CHILDHOOD
                state.mobs[w, young].variant = mob.variant
                state.mobs[w, young].stays = 1
                gain_xp(state, w, 1.0 + below(state.players[w], 7))
        return


@kernel
def is_far(player, mob):
    """Whether it is so far from the player that it rests."""
    return (mob.x - player.x) ** 2 + (mob.z - player.z) ** 2 > STILL_FROM * STILL_FROM


@kernel
def wander(state, rules, w, mob):
    """Choose another place to walk to, with ground to stand on; a hurt mob chooses sooner."""
    player = state.players[w]
    hurried = mob.angry > 0 and rules.mob[mob.kind].nature == PASSIVE
    if hurried:
        mob.wait = HURRIED + below(player, HURRIED_SPREAD)
    else:
        mob.wait = IDLING + below(player, IDLING_SPREAD)
    was = mob.mood
    mob.mood = IDLE
    if not hurried and (was == WALK or is_far(player, mob)):
        return
    x = mob.x + WANDER * (2.0 * unit(player) - 1.0)
    z = mob.z + WANDER * (2.0 * unit(player) - 1.0)
    y = math.floor(mob.y)
    if floor_below(state, rules, w, math.floor(x), y + 3, math.floor(z), 7) < 0:
        return
    mob.goal_x = x
    mob.goal_z = z
    mob.mood = WALK
