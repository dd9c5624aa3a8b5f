"""The use key: it acts on the block under the crosshair, or uses the item in the hand."""

import math

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.body.effects import clear_effects, give_effect
from voxeldojo.engine.body.sleeping import lie_down
from voxeldojo.engine.chance import below, unit
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import (
    AIR,
    FIRE_BLOCK,
    LAVA_BLOCK,
    WATER_BLOCK,
    block_at,
    meta_at,
)
from voxeldojo.engine.hands.deeds import (
    ALWAYS,
    BOTTLE,
    BOWLED,
    DEED,
    DRAW,
    EFFECT_CHANCES,
    EFFECT_ROWS,
    EYE_IN,
    FERTILISE,
    FILL,
    FISH,
    LIGHT,
    MILK,
    PLANT,
    POUR,
    RAISE,
    THROW,
    TILL,
    WHAT,
)
from voxeldojo.engine.hands.fishing import reel_in
from voxeldojo.engine.hands.items import add_items, find_slot, lay_drop
from voxeldojo.engine.hands.placing import beside, equip, place_block, place_item
from voxeldojo.engine.hands.slots import take, wear_slot
from voxeldojo.engine.mobs.shots import ARROW, EYE, shoot
from voxeldojo.engine.motion.burning import prime
from voxeldojo.engine.motion.explosions import explode
from voxeldojo.engine.motion.growth import fertilise
from voxeldojo.engine.motion.portals import fill_eyes
from voxeldojo.engine.rays import direction, under_crosshair
from voxeldojo.engine.state import EYES, NETHER, OVERWORLD, REACH
from voxeldojo.rules import item_id

BED, LEVER, CAKE, FARMLAND, FRAME = 26, 69, 92, 60, 120
GRASS, DIRT, GRASS_PATH = 2, 3, 208
COARSE, PODZOL = 1, 2  # metadata of dirt
DOORS = (64, 193, 194, 195, 196, 197)
HINGES = (96, 107, 183, 184, 185, 186, 187)  # a trapdoor and gates
WINDOWS = (23, 25, 54, 58, 61, 62, 84, 116, 117, 130, 138, 145, 146, 154, 158)
BUCKET, WATER_BUCKET, LAVA_BUCKET = (
    item_id("bucket"),
    item_id("water_bucket"),
    item_id("lava_bucket"),
)
POTION, ARROW_ITEM, FIRE_CHARGE = item_id("potion"), item_id("arrow"), item_id("fire_charge")
BONE_MEAL = 15  # variant of dye
TNT, FUSE = 46, 80  # ticks: EntityTNTPrimed
STEP = 0.05  # metres between two samples for water along the line of sight
FULL_DRAW = 20.0  # ticks: ItemBow.getArrowVelocity
OFFHAND = 40
CAST = 16.0  # metres that a fishing line reaches


@kernel
def use_item(state, rules, w):
    """One tick with the use key."""
    state.players[w].using = 1
    slot = state.slots[w, 0]
    item = slot.item
    hit, x, y, z, face, distance = under_crosshair(state, rules, w, REACH)
    if hit != AIR and activate(state, rules, w, hit, x, y, z):
        return
    if item == 0 or DEED[item] == 0:
        if item != 0:
            use_plain(state, rules, w, slot)
        if rules.item[state.slots[w, OFFHAND].item].shield == 1 and (
            item == 0 or (rules.item[item].food == 0.0 and rules.item[item].block == 0)
        ):
            state.players[w].blocking += 1
        return
    deed = DEED[item]
    if deed == PLANT:
        if not place_block(state, rules, w, 0, WHAT[item]) and rules.item[item].food > 0.0:
            eat(state, rules, w, slot)
    elif deed in (FILL, POUR, BOTTLE):
        use_vessel(state, rules, w, slot, deed, distance, hit, x, y, z, face)
    elif deed == MILK:
        clear_effects(state, w)
        swap(state, rules, w, slot, BUCKET)
    elif deed == TILL:
        till(state, rules, w, slot, hit, x, y, z, face)
    elif deed == LIGHT:
        light_fire(state, rules, w, slot, hit, x, y, z, face)
    elif deed == DRAW:
        if state.players[w].drawn > 0 or find_slot(state, w, ARROW_ITEM) >= 0:
            state.players[w].drawn += 1
    elif deed == RAISE:
        state.players[w].blocking += 1
    elif deed == THROW:
        fling(state, w, WHAT[item], 1.5)
        take(slot, 1)
    elif deed == FERTILISE:
        if hit != AIR and slot.variant == BONE_MEAL and fertilise(state, rules, w, x, y, z):
            take(slot, 1)
    elif deed == EYE_IN:
        use_eye(state, rules, w, slot, hit, x, y, z)
    elif deed == FISH:
        use_rod(state, rules, w, distance)


@kernel
def release(state, rules, w):
    """The use key is up: a drawn bow shoots, a shield is lowered."""
    player = state.players[w]
    player.blocking = 0
    drawn = player.drawn
    player.drawn = 0
    arrows = find_slot(state, w, ARROW_ITEM)
    slot = state.slots[w, 0]
    if drawn == 0 or arrows < 0 or DEED[slot.item] != DRAW:
        return
    pull = drawn / FULL_DRAW
    pull = min(1.0, (pull * pull + 2.0 * pull) / 3.0)
    if pull < 0.1:
        return
    damage = 2.0
    if pull == 1.0:
        damage += below(player, 5) / 3.0
    shot = fling(state, w, ARROW, 3.0 * pull)
    state.shots[w, shot].damage = damage
    take(state.slots[w, arrows], 1)
    wear_slot(rules, slot, 1)


@kernel
def fling(state, w, kind, speed):
    """Throw or shoot along the line of sight; ``speed`` in metres per tick."""
    player = state.players[w]
    dx, dy, dz = direction(player.yaw, player.pitch)
    return shoot(
        state,
        w,
        kind,
        player.x,
        player.y + EYES - 0.1,
        player.z,
        dx * speed + player.vx,
        dy * speed,
        dz * speed + player.vz,
        0.0,
        -1,
    )


@kernel
def activate(state, rules, w, hit, x, y, z):
    """Use a door, lever, bed, cake or the like. True: the key has had its effect."""
    if hit in WINDOWS:
        return True
    if hit in DOORS:
        if meta_at(state, w, x, y, z) & 8:
            y -= 1
        meta = meta_at(state, w, x, y, z)
        set_block(state, rules, w, x, y, z, hit, meta ^ 4)
        return True
    if hit in HINGES:
        meta = meta_at(state, w, x, y, z)
        set_block(state, rules, w, x, y, z, hit, meta ^ 4)
        return True
    if hit == LEVER:
        meta = meta_at(state, w, x, y, z)
        set_block(state, rules, w, x, y, z, hit, meta ^ 8)
        return True
    if hit == BED:
        if state.players[w].dimension == OVERWORLD:
            lie_down(state, w, x, y, z)
        else:
            set_block(state, rules, w, x, y, z, AIR, 0)
            explode(state, rules, w, x + 0.5, y + 0.5, z + 0.5, 5.0, True, 0)
        return True
    if hit == CAKE and state.players[w].food < 20.0:
        player = state.players[w]
        player.food = min(20.0, player.food + 2.0)
        player.saturation = min(player.food, player.saturation + 0.4)
        meta = meta_at(state, w, x, y, z)
        if meta >= 6:
            set_block(state, rules, w, x, y, z, AIR, 0)
        else:
            set_block(state, rules, w, x, y, z, CAKE, meta + 1)
        return True
    return False


@kernel
def use_plain(state, rules, w, slot):
    """Place a block, eat food (in one tick, as in MineDojo) or put on armour."""
    item = rules.item[slot.item]
    if item.block > 0:
        place_item(state, rules, w, 0)
    elif item.food > 0.0:
        eat(state, rules, w, slot)
    elif item.slot >= 36 and item.slot < OFFHAND and state.slots[w, item.slot].item == 0:
        equip(state, rules, w, 0)


@kernel
def eat(state, rules, w, slot):
    player = state.players[w]
    eaten = slot.item
    item = rules.item[eaten]
    if player.food >= 20.0 and not ALWAYS[eaten]:
        return
    player.food = min(20.0, player.food + math.floor(item.food))
    player.saturation = min(player.food, player.saturation + item.saturation)
    for row in range(EFFECT_ROWS.shape[0]):
        kind = EFFECT_ROWS[row, 1]
        fits = EFFECT_ROWS[row, 0] == eaten and (kind < 0 or kind == slot.variant)
        if fits and unit(player) < EFFECT_CHANCES[row]:
            give_effect(state, w, EFFECT_ROWS[row, 2], EFFECT_ROWS[row, 3], EFFECT_ROWS[row, 4])
    take(slot, 1)
    if BOWLED[eaten] != 0:
        add_items(state, rules, w, BOWLED[eaten], 1, 0, 0)


@kernel
def swap(state, rules, w, slot, item):
    """Replace one item of the hand by another."""
    take(slot, 1)
    if slot.item == 0:
        slot.item = item
        slot.count = 1
        slot.variant = 0
        slot.wear = 0
    elif add_items(state, rules, w, item, 1, 0, 0) > 0:
        player = state.players[w]
        lay_drop(state, w, player.x, player.y + 1.0, player.z, 0.0, 0.1, 0.0, item, 1, 0, 0, 10)


@kernel
def fluid_in_sight(state, w, reach):
    """The first source of a fluid on the line of sight: (WATER_BLOCK, LAVA_BLOCK or 0, x, y, z)."""
    player = state.players[w]
    dx, dy, dz = direction(player.yaw, player.pitch)
    for step in range(int(reach / STEP) + 1):
        way = step * STEP
        x = math.floor(player.x + way * dx)
        y = math.floor(player.y + EYES + way * dy)
        z = math.floor(player.z + way * dz)
        block = block_at(state, w, x, y, z)
        if block >= WATER_BLOCK - 1 and block <= LAVA_BLOCK and meta_at(state, w, x, y, z) == 0:
            return WATER_BLOCK if block <= WATER_BLOCK else LAVA_BLOCK, x, y, z
    return 0, 0, 0, 0


@kernel
def use_vessel(state, rules, w, slot, deed, distance, hit, x, y, z, face):
    """Fill or empty a bucket or bottle."""
    if deed == POUR:
        if hit == AIR:
            return
        if rules.block[hit].replaceable == 0:
            x, y, z = beside(x, y, z, face)
        block = block_at(state, w, x, y, z)
        if rules.block[block].height > 0.0 or rules.block[block].solid == 1:
            return
        poured = WHAT[slot.item]
        if poured == WATER_BLOCK and state.players[w].dimension == NETHER:
            poured = AIR  # it boils away
        if poured != AIR:
            set_block(state, rules, w, x, y, z, poured, 0)
        swap(state, rules, w, slot, BUCKET)
        return
    fluid, fx, fy, fz = fluid_in_sight(state, w, distance)
    if fluid == 0:
        return
    if deed == FILL:
        set_block(state, rules, w, fx, fy, fz, AIR, 0)
        swap(state, rules, w, slot, WATER_BUCKET if fluid == WATER_BLOCK else LAVA_BUCKET)
    elif fluid == WATER_BLOCK:
        swap(state, rules, w, slot, POTION)


@kernel
def till(state, rules, w, slot, hit, x, y, z, face):
    """A hoe makes farmland of grass and dirt under air, and dirt of coarse dirt."""
    tillable = hit in (GRASS, DIRT, GRASS_PATH)
    if not tillable or face == 0 or block_at(state, w, x, y + 1, z) != AIR:
        return
    meta = meta_at(state, w, x, y, z)
    if hit == DIRT and meta == COARSE:
        set_block(state, rules, w, x, y, z, DIRT, 0)
    elif hit == DIRT and meta == PODZOL:
        return
    else:
        set_block(state, rules, w, x, y, z, FARMLAND, 0)
    wear_slot(rules, slot, 1)


@kernel
def light_fire(state, rules, w, slot, hit, x, y, z, face):
    if hit == AIR:
        return
    if hit == TNT:
        prime(state, rules, w, x, y, z, FUSE)
    else:
        x, y, z = beside(x, y, z, face)
        if block_at(state, w, x, y, z) == AIR:
            set_block(state, rules, w, x, y, z, FIRE_BLOCK, 0)
    if slot.item == FIRE_CHARGE:
        take(slot, 1)
    else:
        wear_slot(rules, slot, 1)


@kernel
def use_eye(state, rules, w, slot, hit, x, y, z):
    """Put an eye of ender into the frame of an end portal, or else throw it."""
    if hit == FRAME:
        meta = meta_at(state, w, x, y, z)
        if meta & 4 == 0:
            set_block(state, rules, w, x, y, z, FRAME, meta | 4)
            fill_eyes(state, rules, w, x, y, z)
            take(slot, 1)
        return
    fling(state, w, EYE, 1.0)
    take(slot, 1)


@kernel
def use_rod(state, rules, w, distance):
    """Cast the line into water in sight, or take it in."""
    player = state.players[w]
    if player.fishing != 0:
        if reel_in(state, rules, w):
            wear_slot(rules, state.slots[w, 0], 1)
        return
    reach = distance if distance < REACH else CAST
    if fluid_in_sight(state, w, reach)[0] == WATER_BLOCK:
        player.fishing = 100 + below(player, 501)
