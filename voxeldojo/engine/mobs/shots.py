"""Everything that is shot or thrown: its flight, and its effect where it hits.

Figures are those of EntityArrow, EntityThrowable and the other classes that are named.
"""

import math

from voxeldojo.engine.body.hurt import FALL, FIRE, MAGIC, SHOT, hurt, hurt_from
from voxeldojo.engine.chance import below, unit
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.grid import block_at, held
from voxeldojo.engine.hands.items import add_items, lay_drop
from voxeldojo.engine.mobs.aim import mob_on_ray
from voxeldojo.engine.mobs.kinds import BLAZE, CHICKEN, ENDERMITE, GHAST
from voxeldojo.engine.mobs.placing import place_mob
from voxeldojo.engine.mobs.wounds import hurt_mob, knock
from voxeldojo.engine.motion.end_of_dragon import GATEWAY
from voxeldojo.engine.motion.explosions import BY_PLAYER, explode
from voxeldojo.engine.rays import enter_slab
from voxeldojo.engine.state import BODY_HEIGHT, HALF_WIDTH, SHOTS
from voxeldojo.rules import item_id

ARROW, SMALL_FIREBALL, FIREBALL, SNOWBALL, EGG, PEARL, EYE = 1, 2, 3, 4, 5, 6, 7
HARMING, SPIT, BULLET, SKULL = 8, 9, 10, 11
FLIGHT = 1200  # ticks after which a shot vanishes: EntityArrow lies for a minute
UNHARMED = 10  # ticks in which a shot does not hit its own shooter
AGE_OF_EYE, WHOLE = 80, 0.8  # ticks for which an eye of ender floats, and its chance to survive
RETURNED = 1000.0  # damage to a ghast by its own fireball: EntityGhast.attackEntityFrom
ALIGHT = 100  # ticks of burning after a blaze's fireball: 5 seconds
KNOCK = 0.4  # strength of a knock: EntityLivingBase.attackEntityFrom
SNOW_ON_BLAZE = 3.0  # EntitySnowball.onImpact: no other mob is harmed
BURST = 1.0  # power of the explosion of a fireball and a wither's skull
SPLASH, SPLASH_REACH = 6.0, 4.0  # a potion of harming: damage, metres beyond which it has none
PEARL_FORCE, ENDERMITES = 5.0, 0.05  # EntityEnderPearl.onImpact: damage, chance of an endermite
# Per tick, by EntityArrow and EntityThrowable: what is left of the speed in air and in water, and
# the metres by which gravity speeds it downwards.
AIR, ARROW_IN_WATER, THING_IN_WATER = 0.99, 0.6, 0.8
ARROW_WEIGHT, SPIT_WEIGHT, THING_WEIGHT = 0.05, 0.06, 0.03
HALF_STEP = 0.25  # metres between two samples for blocks on a shot's way
BORDER = 0.3  # metres around the player within which a shot hits: EntityArrow.findEntityOnPath
ARROW_ITEM = item_id("arrow")
EYE_ITEM = item_id("ender_eye")


@entry_kernel
def shoot(state, w, kind, x, y, z, vx, vy, vz, damage, owner):
    """Start a shot at (x, y, z), velocity in metres per tick. An arrow's ``damage`` is per unit of
    speed. If there is no room it replaces the oldest. ``owner``: a mob's number, -1 the player.
    Returns its number."""
    player = state.players[w]
    chosen = 0
    for number in range(SHOTS):
        if state.shots[w, number].kind == 0:
            chosen = number
            break
        if state.shots[w, number].age > state.shots[w, chosen].age:
            chosen = number
    shot = state.shots[w, chosen]
    shot.x = x
    shot.y = y
    shot.z = z
    shot.vx = vx
    shot.vy = vy
    shot.vz = vz
    shot.damage = damage
    shot.kind = kind
    shot.owner = owner
    shot.by = state.mobs[w, owner].kind if owner >= 0 else 0
    shot.age = 0
    shot.ground = 0
    player.shots = max(player.shots, chosen + 1)
    return chosen


@kernel
def end_shot(state, w, number):
    state.shots[w, number].kind = 0
    player = state.players[w]
    while player.shots > 0 and state.shots[w, player.shots - 1].kind == 0:
        player.shots -= 1


@kernel
def tick_shots(state, rules, w):
    """One tick of all shots."""
    for number in range(state.players[w].shots):
        if state.shots[w, number].kind != 0:
            fly(state, rules, w, number)


@kernel
def fly(state, rules, w, number):
    shot = state.shots[w, number]
    shot.age += 1
    if shot.age > FLIGHT or not held(state, w, math.floor(shot.x), math.floor(shot.z)):
        end_shot(state, w, number)
        return
    if shot.ground == 1:
        lie(state, rules, w, number)
        return
    if shot.kind == EYE:
        float_eye(state, w, number)
        return
    if shot.kind == BULLET:
        home_in(state, w, shot)
    speed = math.sqrt(shot.vx * shot.vx + shot.vy * shot.vy + shot.vz * shot.vz)
    if speed > 1e-6:
        dx = shot.vx / speed
        dy = shot.vy / speed
        dz = shot.vz / speed
        way = free_way(state, rules, w, shot.x, shot.y, shot.z, dx, dy, dz, speed)
        mob, near = mob_on_ray(state, rules, w, shot.x, shot.y, shot.z, dx, dy, dz, way)
        if mob == shot.owner and shot.age < UNHARMED:
            mob = -1
            near = way
        touched = player_on_way(state, w, shot, dx, dy, dz, near)
        if touched >= 0.0:
            advance(shot, dx, dy, dz, touched)
            hit_player(state, rules, w, number)
            return
        if mob >= 0:
            advance(shot, dx, dy, dz, near)
            hit_mob(state, rules, w, number, mob)
            return
        advance(shot, dx, dy, dz, way)
        if way < speed:
            hit_block(state, rules, w, number, dx, dy, dz)
            return
    slow_down(state, w, shot)


@kernel
def advance(shot, dx, dy, dz, way):
    shot.x += way * dx
    shot.y += way * dy
    shot.z += way * dz


@kernel
def slow_down(state, w, shot):
    """Gravity and drag of a tick."""
    kind = shot.kind
    if kind in (SMALL_FIREBALL, FIREBALL, SKULL):
        return  # its rockets keep its speed up
    drag = AIR
    if 8 <= block_at(state, w, math.floor(shot.x), math.floor(shot.y), math.floor(shot.z)) <= 9:
        drag = ARROW_IN_WATER if kind == ARROW else THING_IN_WATER
    shot.vx *= drag
    shot.vy *= drag
    shot.vz *= drag
    if kind in (ARROW, HARMING):
        shot.vy -= ARROW_WEIGHT
    elif kind == SPIT:
        shot.vy -= SPIT_WEIGHT
    elif kind != BULLET:
        shot.vy -= THING_WEIGHT


@kernel
def free_way(state, rules, w, x, y, z, dx, dy, dz, way):
    """The metres that a shot flies before it hits a block."""
    gone = 0.0
    while gone < way:
        step = min(way, gone + HALF_STEP)
        by = math.floor(y + step * dy)
        block = block_at(state, w, math.floor(x + step * dx), by, math.floor(z + step * dz))
        if block == GATEWAY:
            return step
        height = rules.block[block].height
        if height > 0.0 and y + step * dy < by + height:
            return gone
        gone = step
    return way


@kernel
def player_on_way(state, w, shot, dx, dy, dz, way):
    """Distance to the player's body along the way, -1 if it is missed."""
    player = state.players[w]
    if player.life <= 0.0 or (shot.owner < 0 and shot.age < UNHARMED):
        return -1.0
    if shot.owner < 0 and shot.kind != ARROW:
        return -1.0
    border = BORDER
    ax, bx = enter_slab(shot.x, dx, player.x - HALF_WIDTH - border, player.x + HALF_WIDTH + border)
    ay, by = enter_slab(shot.y, dy, player.y - border, player.y + BODY_HEIGHT + border)
    az, bz = enter_slab(shot.z, dz, player.z - HALF_WIDTH - border, player.z + HALF_WIDTH + border)
    near = max(0.0, ax, ay, az)
    return near if near <= min(bx, by, bz) and near <= way else -1.0


@kernel
def force_of(shot):
    """Damage where it hits."""
    if shot.kind == ARROW:
        speed = math.sqrt(shot.vx * shot.vx + shot.vy * shot.vy + shot.vz * shot.vz)
        return math.ceil(speed * shot.damage)
    return shot.damage


@kernel
def hit_player(state, rules, w, number):
    shot = state.shots[w, number]
    player = state.players[w]
    kind = shot.kind
    cause = MAGIC if kind == HARMING else SHOT
    if kind == HARMING or kind in (FIREBALL, SKULL):
        burst(state, rules, w, number)
    if kind not in (HARMING, SNOWBALL, EGG):
        force = float(force_of(shot))
        harmed = hurt_from(
            state, rules, w, force, cause, shot.by, shot.x - 9.0 * shot.vx, shot.z - 9.0 * shot.vz
        )
        if harmed:
            knock(player, shot.vx, shot.vz, KNOCK)
            if kind == SMALL_FIREBALL:
                player.fire = max(player.fire, ALIGHT)
    end_shot(state, w, number)


@kernel
def hit_mob(state, rules, w, number, mob_number):
    shot = state.shots[w, number]
    mob = state.mobs[w, mob_number]
    by_player = shot.owner < 0
    kind = shot.kind
    if kind == FIREBALL and by_player and mob.kind == GHAST:
        hurt_mob(state, rules, w, mob_number, RETURNED, SHOT, True)
    if kind in (FIREBALL, SKULL, HARMING):
        burst(state, rules, w, number)
    elif kind == PEARL:
        arrive(state, rules, w, number)
    amount = float(force_of(shot))
    if kind == SNOWBALL:
        amount = SNOW_ON_BLAZE if mob.kind == BLAZE else 0.0
    elif kind in (EGG, PEARL, HARMING):
        amount = 0.0
    cause = FIRE if kind == SMALL_FIREBALL else SHOT
    vx = shot.vx
    vz = shot.vz
    end_shot(state, w, number)
    harmed = hurt_mob(state, rules, w, mob_number, amount, cause, by_player)
    if harmed or (kind in (SNOWBALL, EGG) and mob.kind != 0):
        knock(mob, vx, vz, KNOCK)
    if kind == EGG:
        hatch(state, rules, w, shot.x, shot.y, shot.z)


@kernel
def hit_block(state, rules, w, number, dx, dy, dz):
    shot = state.shots[w, number]
    if shot.kind == ARROW:
        shot.ground = 1
        shot.vx = 0.1 * dx
        shot.vy = 0.1 * dy
        shot.vz = 0.1 * dz
        return
    if shot.kind in (FIREBALL, SKULL, HARMING):
        burst(state, rules, w, number)
    elif shot.kind == PEARL:
        arrive(state, rules, w, number)
    elif shot.kind == EGG:
        hatch(state, rules, w, shot.x, shot.y, shot.z)
    end_shot(state, w, number)


@kernel
def burst(state, rules, w, number):
    """A fireball explodes; a potion of harming takes effect."""
    shot = state.shots[w, number]
    if shot.kind != HARMING:
        by = shot.by if shot.by > 0 else BY_PLAYER
        explode(state, rules, w, shot.x, shot.y, shot.z, BURST, shot.kind == FIREBALL, by)
        return
    player = state.players[w]
    dx = player.x - shot.x
    dy = player.y + 0.9 - shot.y
    dz = player.z - shot.z
    away = math.sqrt(dx * dx + dy * dy + dz * dz)
    if away < SPLASH_REACH:
        hurt(state, rules, w, SPLASH * (1.0 - away / SPLASH_REACH), MAGIC, shot.by)


@kernel
def arrive(state, rules, w, number):
    """An ender pearl teleports the player that threw it to where it fell, and does damage."""
    shot = state.shots[w, number]
    player = state.players[w]
    if shot.owner >= 0 or player.life <= 0.0:
        return
    player.x = shot.x
    player.y = shot.y
    player.z = shot.z
    player.vx = 0.0
    player.vy = 0.0
    player.vz = 0.0
    player.fall = 0.0
    player.ground = 0
    hurt(state, rules, w, PEARL_FORCE, FALL, 0)
    if unit(player) < ENDERMITES:
        place_mob(state, rules, w, ENDERMITE, shot.x, shot.y, shot.z)


@kernel
def hatch(state, rules, w, x, y, z):
    """One egg in eight has a chick in it, one in 256 four: EntityEgg.onImpact."""
    player = state.players[w]
    if below(player, 8) != 0:
        return
    for _ in range(4 if below(player, 32) == 0 else 1):
        number = place_mob(state, rules, w, CHICKEN, x, y, z)
        if number >= 0:
            state.mobs[w, number].age = -24000


@kernel
def float_eye(state, w, number):
    """An eye of ender floats, then drops as an item four times in five: EntityEnderEye."""
    shot = state.shots[w, number]
    player = state.players[w]
    shot.x += shot.vx
    shot.y += shot.vy
    shot.z += shot.vz
    if shot.age < AGE_OF_EYE:
        return
    if unit(player) < WHOLE:
        lay_drop(state, w, shot.x, shot.y, shot.z, 0.0, 0.0, 0.0, EYE_ITEM, 1, 0, 0, 10)
    end_shot(state, w, number)


@kernel
def home_in(state, w, shot):
    """A shulker's bullet turns towards the player."""
    player = state.players[w]
    dx = player.x - shot.x
    dy = player.y + 0.9 - shot.y
    dz = player.z - shot.z
    length = max(0.1, math.sqrt(dx * dx + dy * dy + dz * dz))
    shot.vx = 0.8 * shot.vx + 0.06 * dx / length
    shot.vy = 0.8 * shot.vy + 0.06 * dy / length
    shot.vz = 0.8 * shot.vz + 0.06 * dz / length


@kernel
def lie(state, rules, w, number):
    """An arrow in a block: the player can pick up its own; if the block is removed it falls."""
    shot = state.shots[w, number]
    player = state.players[w]
    near = (
        abs(shot.x - player.x) < 1.8
        and abs(shot.z - player.z) < 1.8
        and -1.0 < shot.y - player.y < 2.8
    )
    if near and shot.owner < 0 and player.life > 0.0:
        if add_items(state, rules, w, ARROW_ITEM, 1, 0, 0) == 0:
            end_shot(state, w, number)
        return
    if shot.age % 16 == 0:
        x = math.floor(shot.x + 3.0 * shot.vx)
        y = math.floor(shot.y + 3.0 * shot.vy)
        z = math.floor(shot.z + 3.0 * shot.vz)
        if rules.block[block_at(state, w, x, y, z)].height <= 0.0:
            shot.ground = 0
