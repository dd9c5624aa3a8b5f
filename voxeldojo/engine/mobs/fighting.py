"""How each kind attacks its target: blows, explosions, shots, spells.

Pauses, speeds and reaches are those of the AI tasks of the named classes of 1.11.2, at normal
difficulty. In this engine a shot flies at the speed that it starts with or soon reaches.
"""

import math

from voxeldojo.engine.body.effects import POISON, give_effect
from voxeldojo.engine.body.hurt import MAGIC, MOB, hurt_from
from voxeldojo.engine.chance import below, unit
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.mobs.kinds import (
    CAVE_SPIDER,
    ENDERMAN,
    GUARDIAN,
    MAGMA_CUBE,
    SLIME,
    VEX,
    VILLAGER_GOLEM,
)
from voxeldojo.engine.mobs.placing import half_of, place_mob, remove_mob, tall_of
from voxeldojo.engine.mobs.senses import sees
from voxeldojo.engine.mobs.shots import (
    ARROW,
    BULLET,
    FIREBALL,
    HARMING,
    SKULL,
    SMALL_FIREBALL,
    SNOWBALL,
    SPIT,
    shoot,
)
from voxeldojo.engine.mobs.table import (
    BEAM,
    BLOW,
    BOW,
    DRAGON,
    FANGS,
    FIRE,
    GHAST,
    NO_ATTACK,
    POTION,
    SNOW,
    SWELL,
)
from voxeldojo.engine.mobs.table import BULLET as BULLETS
from voxeldojo.engine.mobs.table import SKULL as SKULLS
from voxeldojo.engine.mobs.table import SPIT as SPITS
from voxeldojo.engine.mobs.wounds import hurt_mob, knock
from voxeldojo.engine.motion.explosions import explode
from voxeldojo.engine.state import BODY_HEIGHT, HALF_WIDTH

FUSE = 30  # ticks a creeper swells: EntityCreeper.fuseTime
LIT, CALMED = (
    3.0,
    7.0,
)  # metres: EntityAICreeperSwell begins within, ends beyond
POWER = 3.0  # of a creeper's explosion: EntityCreeper.explosionRadius
PAUSE = 20  # ticks between blows: EntityAIAttackMelee
KNOCK = 0.4  # strength of a knock: EntityLivingBase.attackEntityFrom
BELOW, ABOVE = -2.0, 0.5  # metres from its feet and its head between which it strikes
SLIME_ARM = 0.2  # metres beyond its own body that a slime touches
MAGMA_FORCE = 2.0  # points of damage that a magma cube adds to its size
GOLEM_LEAST, GOLEM_SPREAD = 7.0, 15  # damage: EntityIronGolem.attackEntityAsMob, 7 + nextInt(15)
TOSS = 0.4  # metres per tick at which an iron golem throws a mob up
POISONED = 140  # ticks of a cave spider's poison: 7 seconds
GRAVITY_OF_ARROWS = 0.2  # of the way by which they are aimed higher

# Metres from which each begins to shoot.
BOW_REACH = 15.0  # EntityAIAttackRangedBow
THROWING_REACH = 10.0  # EntityAIAttackRanged of witches, llamas and snow golems
FIRE_REACH = 40.0  # of blazes and withers
GHAST_REACH = 64.0  # EntityGhast.AIFireballAttack
# Ticks between two shots.
BOW_PAUSE = 60  # 40 of EntityAIAttackRangedBow, and 20 in which the bow is drawn
VOLLEY, SHOT_OF_VOLLEY, VOLLEY_PAUSE, IGNITING = 4, 6, 100, 60  # EntityBlaze.AIFireballAttack
GHAST_PAUSE = 60  # 20 of drawing breath, 40 of rest
SKULL_PAUSE = 40
WITCH_PAUSE, LLAMA_PAUSE, SNOW_PAUSE = 60, 40, 20  # EntityAIAttackRanged
BULLET_PAUSE, BULLET_SPREAD = 40, 60
# EntityGuardian.getAttackDuration, EntityElderGuardian's, and the ticks until the next one.
BEAM_TIME, ELDER_BEAM_TIME, BEAM_PAUSE = 80, 60, 60
BEAM_MAGIC, ELDER_BEAM_MAGIC = 1.0, 3.0  # the damage that armour does not reduce: AIGuardianAttack
BEAM_LEAST = 3.0  # metres from which a guardian's beam breaks off, but no elder's: AIGuardianAttack
FANGS_PAUSE = 100  # EntityEvoker.AIAttackSpell.getCastingInterval
# Metres per tick, and how much of that a shot may go astray.
ARROW_SPEED, ARROW_ERROR = 1.6, 0.04
FIRE_SPEED, FIRE_ERROR = 0.8, 0.03
BALL_SPEED = 0.9
POTION_SPEED, POTION_ERROR = 0.75, 0.04
SPIT_SPEED, SPIT_ERROR = 1.5, 0.05
SNOW_SPEED, SNOW_ERROR = 1.6, 0.06
BULLET_SPEED = 0.3
# Damage.
ARROW_FORCE = 2.22  # per speed: 2, and 0.11 for each degree of difficulty
FIRE_FORCE = 5.0  # EntitySmallFireball.onImpact
SPIT_FORCE = 1.0
FANGS_FORCE = 6.0  # EntityEvokerFangs
VEXES = 3  # that an evoker calls in every fourth spell


@kernel
def whereabouts(state, rules, w, mob):
    """(x, y, z, half its width, its height) of a mob's target; height 0: it no longer exists."""
    if mob.target < 0:
        player = state.players[w]
        tall = BODY_HEIGHT if player.life > 0.0 else 0.0
        return player.x, player.y, player.z, HALF_WIDTH, tall
    prey = state.mobs[w, mob.target - 1]
    if prey.kind == 0:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    return prey.x, prey.y, prey.z, half_of(rules, prey), tall_of(rules, prey)


@kernel
def harm(state, rules, w, number, amount, cause, dx, dz):
    """Damage a mob's target, and knock it back along (dx, dz)."""
    mob = state.mobs[w, number]
    if mob.target < 0:
        if hurt_from(state, rules, w, amount, cause, mob.kind, mob.x, mob.z):
            knock(state.players[w], dx, dz, KNOCK)
            return True
        return False
    prey = state.mobs[w, mob.target - 1]
    if hurt_mob(state, rules, w, mob.target - 1, amount, cause, False) and prey.kind != 0:
        knock(prey, dx, dz, KNOCK)
        if rules.mob[prey.kind].nature != 0 and prey.target == 0:
            prey.target = number + 1
        return True
    return False


@kernel
def let_fly(state, w, number, kind, x, y, z, dx, dy, dz, speed, error, damage):
    """Shoot from (x, y, z) along (dx, dy, dz), with a random error."""
    player = state.players[w]
    scale = speed / max(0.01, math.sqrt(dx * dx + dy * dy + dz * dz))
    error *= speed
    shoot(
        state,
        w,
        kind,
        x,
        y,
        z,
        scale * dx + error * (unit(player) + unit(player) - 1.0),
        scale * dy + error * (unit(player) + unit(player) - 1.0),
        scale * dz + error * (unit(player) + unit(player) - 1.0),
        damage,
        number,
    )


@kernel
def fight(state, rules, w, number, x, y, z, half, tall):
    """One tick of a mob with a target at (x, y, z). Returns the factor of its speed towards it, 0
    if it stands."""
    mob = state.mobs[w, number]
    kind = rules.mob[mob.kind]
    attack = kind.attack
    dx = x - mob.x
    dy = y - mob.y
    dz = z - mob.z
    away = math.sqrt(dx * dx + dy * dy + dz * dz)
    if attack in (NO_ATTACK, DRAGON):
        return 0.0
    if attack == BLOW:
        return close_in(state, rules, w, number, dx, dy, dz, away, half)
    own = tall_of(rules, mob)
    eyes = mob.y + 0.85 * own
    clear = sees(state, rules, w, mob.x, eyes, mob.z, x, y + 0.7 * tall, z)
    if attack == SWELL:
        return swell(state, rules, w, number, away, clear)
    return shoot_at(state, rules, w, number, dx, y + 0.5 * tall - eyes, dz, away, eyes, clear)


@kernel
def close_in(state, rules, w, number, dx, dy, dz, away, half):
    """Attack by blows from nearby."""
    mob = state.mobs[w, number]
    kind = rules.mob[mob.kind]
    if mob.kind in (SLIME, MAGMA_CUBE):
        reach = half_of(rules, mob) + half + SLIME_ARM
        amount = float(mob.variant) if mob.kind == SLIME else mob.variant + MAGMA_FORCE
        if mob.kind == SLIME and mob.variant == 1:
            amount = 0.0  # the smallest do no harm
    else:
        # EntityAIAttackMelee.getAttackReachSqr.
        reach = math.sqrt((4.0 * kind.half) ** 2 + 2.0 * half)
        amount = kind.damage
    level = BELOW < dy < tall_of(rules, mob) + ABOVE
    if away < reach and mob.pause == 0 and level and amount > 0.0:
        mob.pause = PAUSE
        if mob.kind == VILLAGER_GOLEM:
            amount = GOLEM_LEAST + below(state.players[w], GOLEM_SPREAD)
        if harm(state, rules, w, number, amount, MOB, dx, dz):
            if mob.kind == CAVE_SPIDER and mob.target < 0:
                give_effect(state, w, POISON, POISONED, 0)
            elif mob.kind == VILLAGER_GOLEM and mob.target > 0:
                state.mobs[w, mob.target - 1].vy = TOSS
    if away < half + kind.half:
        return 0.0
    return 1.5 if mob.kind == ENDERMAN else 1.0


@kernel
def swell(state, rules, w, number, away, clear):
    """A creeper: it stops near its target, and explodes after 30 ticks there."""
    mob = state.mobs[w, number]
    if clear and (away < LIT or (mob.counter > 0 and away < CALMED)):
        mob.counter += 1
        if mob.counter >= FUSE:
            x = mob.x
            y = mob.y
            z = mob.z
            by = mob.kind
            remove_mob(state, w, number)
            explode(state, rules, w, x, y, z, POWER, False, by)
        return 0.0
    mob.counter = max(0, mob.counter - 1)
    return 1.0


@kernel
def shoot_at(state, rules, w, number, dx, dy, dz, away, eyes, clear):
    """Attack by shots from afar. The vector is from the eyes to the target's middle."""
    mob = state.mobs[w, number]
    attack = rules.mob[mob.kind].attack
    damage = rules.mob[mob.kind].damage
    reach = BOW_REACH
    if attack in (POTION, SPITS, SNOW):
        reach = THROWING_REACH
    elif attack in (FIRE, SKULLS):
        reach = FIRE_REACH
    elif attack == GHAST:
        reach = GHAST_REACH
    if not clear or away > reach:
        mob.counter = 0
        return 1.0
    if mob.pause > 0:
        return 0.0
    flat = math.sqrt(dx * dx + dz * dz)
    x = mob.x
    z = mob.z
    if attack == BOW:
        mob.pause = BOW_PAUSE
        dy += GRAVITY_OF_ARROWS * flat
        let_fly(
            state, w, number, ARROW, x, eyes, z, dx, dy, dz, ARROW_SPEED, ARROW_ERROR, ARROW_FORCE
        )
    elif attack == FIRE:
        mob.counter += 1
        mob.pause = SHOT_OF_VOLLEY if mob.counter % VOLLEY != 0 else VOLLEY_PAUSE
        if mob.counter % VOLLEY == 1:
            mob.pause = IGNITING  # it catches fire before a volley
        else:
            let_fly(
                state, w, number, SMALL_FIREBALL, x, eyes, z, dx, dy, dz,
                FIRE_SPEED, FIRE_ERROR, FIRE_FORCE,
            )  # fmt: skip
    elif attack == GHAST:
        mob.pause = GHAST_PAUSE
        let_fly(state, w, number, FIREBALL, x, eyes, z, dx, dy, dz, BALL_SPEED, 0.0, damage)
    elif attack == SKULLS:
        mob.pause = SKULL_PAUSE
        let_fly(state, w, number, SKULL, x, eyes, z, dx, dy, dz, BALL_SPEED, 0.0, damage)
    elif attack == POTION:
        mob.pause = WITCH_PAUSE
        dy += GRAVITY_OF_ARROWS * flat
        let_fly(state, w, number, HARMING, x, eyes, z, dx, dy, dz, POTION_SPEED, POTION_ERROR, 0.0)
    elif attack == SPITS:
        mob.pause = LLAMA_PAUSE
        dy += GRAVITY_OF_ARROWS * flat
        let_fly(state, w, number, SPIT, x, eyes, z, dx, dy, dz, SPIT_SPEED, SPIT_ERROR, SPIT_FORCE)
    elif attack == SNOW:
        mob.pause = SNOW_PAUSE
        dy += GRAVITY_OF_ARROWS * flat
        let_fly(state, w, number, SNOWBALL, x, eyes, z, dx, dy, dz, SNOW_SPEED, SNOW_ERROR, 0.0)
    elif attack == BULLETS:
        mob.pause = BULLET_PAUSE + below(state.players[w], BULLET_SPREAD)
        let_fly(state, w, number, BULLET, x, eyes, z, 0.0, 1.0, 0.0, BULLET_SPEED, 0.0, damage)
    elif attack == BEAM:
        if mob.kind == GUARDIAN and away < BEAM_LEAST:
            mob.counter = 0
            return 0.0
        beam(state, rules, w, number, damage)
    elif attack == FANGS:
        conjure(state, rules, w, number)
    return 0.0


@kernel
def beam(state, rules, w, number, damage):
    """A tick of a guardian's beam: at its end some magic, then a blow, of which the harm of the
    magic is taken off and which armour reduces."""
    mob = state.mobs[w, number]
    elder = mob.kind != GUARDIAN
    mob.counter += 1
    if mob.counter < (ELDER_BEAM_TIME if elder else BEAM_TIME):
        return
    mob.counter = 0
    mob.pause = BEAM_PAUSE
    harm(state, rules, w, number, ELDER_BEAM_MAGIC if elder else BEAM_MAGIC, MAGIC, 0.0, 0.0)
    harm(state, rules, w, number, damage, MOB, 0.0, 0.0)


@kernel
def conjure(state, rules, w, number):
    """An evoker: fangs from the ground, and in every fourth spell three vexes."""
    mob = state.mobs[w, number]
    mob.counter += 1
    if mob.counter % 4 == 0:
        mob.pause = FANGS_PAUSE
        for _ in range(VEXES):
            vex = place_mob(state, rules, w, VEX, mob.x, mob.y + 1.0, mob.z)
            if vex >= 0:
                state.mobs[w, vex].target = mob.target
        return
    mob.pause = FANGS_PAUSE
    harm(state, rules, w, number, FANGS_FORCE, MAGIC, 0.0, 0.0)
