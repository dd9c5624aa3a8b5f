"""Items in the inventory, and item entities on the ground, with the figures of EntityItem."""

import math

from voxeldojo.engine.body.physics import EPSILON, clear_side, clear_y
from voxeldojo.engine.chance import below, unit
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.grid import FIRE_BLOCK, LAVA_BLOCK, block_at
from voxeldojo.engine.hands.hotbar import place_of
from voxeldojo.engine.hands.slots import take, wear_slot
from voxeldojo.engine.motion.table import TWO_HALVES
from voxeldojo.engine.rays import direction
from voxeldojo.engine.state import BODY_HEIGHT, DROPS, EYES
from voxeldojo.rules import item_id

BAG = 36  # slots that picked-up items go to
DROP_HALF = 0.125  # metres, half the side of an item entity
LIFETIME = 6000  # ticks until an item entity vanishes
PICKUP_WAIT = 10  # ticks until a dropped item can be picked up
THROW_WAIT = 40  # the same for an item that the player threw
PICKUP_SIDE = 0.3 + 1.0 + DROP_HALF
PICKUP_DOWN = 0.5 + 2 * DROP_HALF
PICKUP_UP = BODY_HEIGHT + 0.5
GRAVEL, LEAVES, LEAVES_2, COCOA, DOUBLE_PLANT = 13, 18, 161, 127, 175
OAK, JUNGLE, DARK_OAK = 0, 3, 1  # metadata of the leaves; dark oak's of the second ones
FIRST_OF_LEAVES_2 = 4  # variant of the sapling of the second leaves' first kind, acacia
LARGE_FERN = 3  # metadata of a double plant
RIPE_COCOA = 8  # metadata from which on a pod has three beans: age 2
SAPLING, APPLE = item_id("sapling"), item_id("apple")


@entry_kernel
def add_items(state, rules, w, item, count, variant, wear):
    """Put items into the inventory as far as there is room: first onto stacks of the same, then
    into the first free slots. Returns how many are left over."""
    stack = rules.item[item].stack
    if stack > 1:
        for number in range(BAG):
            slot = state.slots[w, number]
            if slot.item == item and slot.variant == variant and slot.count < stack:
                moved = min(count, stack - slot.count)
                slot.count += moved
                count -= moved
                if count == 0:
                    return 0
    for number in range(BAG):
        slot = state.slots[w, place_of(state.players[w].selected, number)]
        if slot.item == 0:
            moved = min(count, stack)
            slot.item = item
            slot.count = moved
            slot.variant = variant
            slot.wear = wear
            count -= moved
            if count == 0:
                return 0
    return count


@kernel
def count_items(state, w, item):
    total = 0
    for number in range(BAG):
        if state.slots[w, number].item == item:
            total += state.slots[w, number].count
    return total


@kernel
def find_slot(state, w, item):
    """The first slot with such an item, -1 if there is none."""
    for number in range(BAG):
        if state.slots[w, number].item == item:
            return number
    return -1


@kernel
def wear_out(state, rules, w, amount):
    """Wear the tool in the main hand; it is removed when it is used up."""
    slot = state.slots[w, 0]
    item = rules.item[slot.item]
    if item.durability > 0 and item.tool > 0:
        wear_slot(rules, slot, amount)


@kernel
def free_drop(state, w):
    """The row for one more item entity: a free one, or the oldest one's."""
    oldest = 0
    for number in range(DROPS):
        if state.drops[w, number].count == 0:
            return number
        if state.drops[w, number].age > state.drops[w, oldest].age:
            oldest = number
    return oldest


@entry_kernel
def lay_drop(state, w, x, y, z, vx, vy, vz, item, count, variant, wear, wait):
    number = free_drop(state, w)
    player = state.players[w]
    player.drops = max(player.drops, number + 1)
    drop = state.drops[w, number]
    drop.x = x
    drop.y = y
    drop.z = z
    drop.vx = vx
    drop.vy = vy
    drop.vz = vz
    drop.item = item
    drop.count = count
    drop.variant = variant
    drop.wear = wear
    drop.age = 0
    drop.wait = wait
    drop.ground = 0


@kernel
def chance_of(loot, block, meta):
    """The chance of a row of loot, which of leaves depends on the tree: apples grow on oaks and
    dark oaks, and saplings of the jungle are rarer (BlockOldLeaf, BlockNewLeaf)."""
    tree = meta & 3
    if loot.item == APPLE:
        oak = (block == LEAVES and tree == OAK) or (block == LEAVES_2 and tree == DARK_OAK)
        return loot.chance if oak else 0.0
    if block == LEAVES and tree == JUNGLE and loot.item == SAPLING:
        return 0.5 * loot.chance
    return loot.chance


@kernel
def drop_loot(state, rules, w, x, y, z, block, meta, tool):
    """Drop the loot of a block that was broken with ``tool``."""
    player = state.players[w]
    if not rules.harvests[tool, block] or (TWO_HALVES[block] and meta & 8):
        return
    if block == DOUBLE_PLANT and meta & 7 == LARGE_FERN:
        return
    entry = rules.block[block]
    left = unit(player) if block == GRAVEL else 0.0
    for row in range(entry.drop, entry.drop + entry.drops):
        loot = rules.drops[row]
        if block == GRAVEL:  # exactly one of its rows
            mine = 0.0 <= left < loot.chance
            left -= loot.chance
            if not mine:
                continue
        elif loot.chance < 1.0 and unit(player) >= chance_of(loot, block, meta):
            continue
        count = loot.fewest
        if loot.most > loot.fewest:
            count += below(player, loot.most - loot.fewest + 1)
        if block == COCOA and meta < RIPE_COCOA:
            count = 1
        variant = loot.variant
        if variant < 0:
            variant = meta & entry.variants
            if block == LEAVES_2 and loot.item == SAPLING:
                variant += FIRST_OF_LEAVES_2
        for _ in range(count):
            lay_drop(
                state,
                w,
                x + 0.25 + 0.5 * unit(player),
                y + 0.25 + 0.5 * unit(player),
                z + 0.25 + 0.5 * unit(player),
                0.2 * unit(player) - 0.1,
                0.2,
                0.2 * unit(player) - 0.1,
                loot.item,
                1,
                variant,
                0,
                PICKUP_WAIT,
            )


@kernel
def throw(state, w):
    """Drop one item of the main hand, forwards."""
    slot = state.slots[w, 0]
    if slot.item == 0:
        return
    player = state.players[w]
    dx, dy, dz = direction(player.yaw, player.pitch)
    lay_drop(
        state,
        w,
        player.x,
        player.y + EYES - 0.3,
        player.z,
        0.3 * dx,
        0.3 * dy + 0.1,
        0.3 * dz,
        slot.item,
        1,
        slot.variant,
        slot.wear,
        THROW_WAIT,
    )
    take(slot, 1)


@kernel
def move_drops(state, rules, w):
    """One tick of all item entities, and the picking up."""
    player = state.players[w]
    while player.drops > 0 and state.drops[w, player.drops - 1].count == 0:
        player.drops -= 1
    for number in range(player.drops):
        drop = state.drops[w, number]
        if drop.count == 0:
            continue
        drop.age += 1
        if drop.age > LIFETIME:
            drop.count = 0
            continue
        resting = drop.ground == 1 and abs(drop.vx) + abs(drop.vz) < 1e-3
        # An item at rest is only checked now and then, in case its ground was dug away.
        if not resting or drop.age % 8 == 0:
            fall_drop(state, rules, w, drop)
        if drop.wait > 0:
            drop.wait -= 1
        elif (
            abs(drop.x - player.x) < PICKUP_SIDE
            and abs(drop.z - player.z) < PICKUP_SIDE
            and -PICKUP_DOWN < drop.y - player.y < PICKUP_UP
            and player.life > 0.0
        ):
            drop.count = add_items(state, rules, w, drop.item, drop.count, drop.variant, drop.wear)


@kernel
def fall_drop(state, rules, w, drop):
    """A tick of its flight. Lava and fire destroy it at once; the game takes some ticks for its
    five points of health."""
    drop.vy -= 0.04
    dy = clear_y(state, rules, w, drop.x, drop.y, drop.z, DROP_HALF, 0.25, drop.vy)
    drop.ground = 1 if drop.vy < 0.0 and dy > drop.vy + EPSILON else 0
    if dy != drop.vy:
        drop.vy = 0.0
    drop.y += dy
    dx = clear_side(state, rules, w, drop.x, drop.z, drop.y, DROP_HALF, 0.25, drop.vx, True)
    if dx != drop.vx:
        drop.vx = 0.0
    drop.x += dx
    dz = clear_side(state, rules, w, drop.z, drop.x, drop.y, DROP_HALF, 0.25, drop.vz, False)
    if dz != drop.vz:
        drop.vz = 0.0
    drop.z += dz
    slip = 0.6 * 0.98 if drop.ground == 1 else 0.98
    drop.vx *= slip
    drop.vz *= slip
    drop.vy *= 0.98
    here = block_at(state, w, math.floor(drop.x), math.floor(drop.y + 0.1), math.floor(drop.z))
    burns = here in (LAVA_BLOCK - 1, LAVA_BLOCK, FIRE_BLOCK)
    if burns or math.isnan(drop.y) or drop.y < -32.0:
        drop.count = 0
