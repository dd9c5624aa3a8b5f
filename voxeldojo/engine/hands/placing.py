"""Placing the item of a slot as a block, and equipping it."""

import math

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import (
    AIR,
    BARRIER,
    CRAFTING_TABLE,
    FURNACE,
    block_at,
    meta_at,
    remember_tool,
)
from voxeldojo.engine.hands.items import find_slot
from voxeldojo.engine.hands.orienting import (
    HALF,
    HINGED,
    TURNED,
    can_stand,
    quarter,
    turned,
)
from voxeldojo.engine.hands.slots import take
from voxeldojo.engine.mobs.built import come_alive
from voxeldojo.engine.rays import under_crosshair
from voxeldojo.engine.state import (
    BODY_HEIGHT,
    EYES,
    HALF_WIDTH,
    HEIGHT,
    REACH,
)

BED, STANDING_SIGN, WALL_SIGN = 26, 63, 68


@kernel
def in_players_way(player, x, y, z):
    return (
        x < player.x + HALF_WIDTH
        and x + 1 > player.x - HALF_WIDTH
        and z < player.z + HALF_WIDTH
        and z + 1 > player.z - HALF_WIDTH
        and y < player.y + BODY_HEIGHT
        and y + 1 > player.y
    )


@kernel
def place_item(state, rules, w, number):
    """Place the item of a slot at the face under the crosshair. As in MineDojo the item is looked
    up by its name, so it is taken from the first slot that has it. False: nothing was placed."""
    item = state.slots[w, number].item
    block = rules.item[item].block
    if block == 0:
        return False
    return place_block(state, rules, w, find_slot(state, w, item), block)


@kernel
def place_block(state, rules, w, number, block):
    """Place a block at the face under the crosshair, oriented as in the game, and take one item out
    of a slot. False: it cannot be there."""
    player = state.players[w]
    hit, x, y, z, face, distance = under_crosshair(state, rules, w, REACH)
    if hit in (AIR, BARRIER):
        return False
    slot = state.slots[w, number]
    kind = slot.variant & rules.block[block].variants
    height = (player.y + EYES - distance * math.sin(math.radians(player.pitch))) % 1.0
    if TURNED[block] == HALF and hit == block and face == 1 and meta_at(state, w, x, y, z) == kind:
        set_block(state, rules, w, x, y, z, block - 1, kind)  # two slabs are one block
        take(slot, 1)
        return True
    if rules.block[hit].replaceable == 0:
        x, y, z = beside(x, y, z, face)
    else:
        face = 1
    if y < 0 or y >= HEIGHT or rules.block[block_at(state, w, x, y, z)].replaceable == 0:
        return False
    if rules.block[block].height > 0.0 and in_players_way(player, x, y, z):
        return False
    if not can_stand(state, rules, w, block, x, y, z):
        return False
    turn = turned(player, block, face, height)
    if turn < 0:
        return False
    if TURNED[block] == HINGED:
        if rules.block[block_at(state, w, x, y + 1, z)].replaceable == 0:
            return False
        set_block(state, rules, w, x, y + 1, z, block, 8)
    elif block == BED:
        look = quarter(player)
        hx = x + (-1 if look == 1 else (1 if look == 3 else 0))
        hz = z + (1 if look == 0 else (-1 if look == 2 else 0))
        if block_at(state, w, hx, y, hz) != AIR or not can_stand(state, rules, w, block, hx, y, hz):
            return False
        set_block(state, rules, w, hx, y, hz, block, turn | 8)
    if block == STANDING_SIGN:
        if face >= 2:
            block = WALL_SIGN
            turn = face
        else:
            turn = math.floor((player.yaw + 180.0) * 16.0 / 360.0 + 0.5) & 15
    set_block(state, rules, w, x, y, z, block, kind | turn)
    if block in (CRAFTING_TABLE, FURNACE):
        remember_tool(state, w, x, y, z, block)
    variant = slot.variant
    take(slot, 1)
    come_alive(state, rules, w, x, y, z, block, variant)
    return True


@kernel
def beside(x, y, z, face):
    """The cell at a face of another cell."""
    if face < 2:
        return x, y + (1 if face == 1 else -1), z
    if face < 4:
        return x, y, z + (1 if face == 3 else -1)
    return x + (1 if face == 5 else -1), y, z


@kernel
def equip(state, rules, w, number):
    """Swap the item of a slot, looked up by its name, with the item where it is worn or held."""
    item = state.slots[w, number].item
    source = state.slots[w, find_slot(state, w, item)]
    target = state.slots[w, rules.item[item].slot]
    held = (source.item, source.count, source.variant, source.wear)
    source.item = target.item
    source.count = target.count
    source.variant = target.variant
    source.wear = target.wear
    target.item = held[0]
    target.count = held[1]
    target.variant = held[2]
    target.wear = held[3]
