"""What is done with the item in a slot: placing it as a block, equipping it, using it."""

import math

from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.grid import (
    AIR,
    BARRIER,
    CRAFTING_TABLE,
    FURNACE,
    block_at,
    remember_tool,
)
from nodes.env_server.worlds.embedded.hands.items import find_slot, take
from nodes.env_server.worlds.embedded.rays import under_crosshair
from nodes.env_server.worlds.embedded.state import BODY_HEIGHT, HALF_WIDTH, HEIGHT, REACH
from nodes.env_server.worlds.embedded.updates import set_block


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
    """Place the item of a slot at the face under the crosshair. As in MineDojo the item is asked
    for by name: it is taken from the first slot that has it. False: nothing was placed."""
    item = state.slots[w, number].item
    block = rules.item[item].block
    if block == 0:
        return False
    number = find_slot(state, w, item)
    player = state.players[w]
    hit, x, y, z, face, _distance = under_crosshair(state, rules, w, REACH)
    if hit in (AIR, BARRIER):
        return False
    if rules.block[hit].replaceable == 0:
        if face == 0:
            y -= 1
        elif face == 1:
            y += 1
        elif face == 2:
            z -= 1
        elif face == 3:
            z += 1
        elif face == 4:
            x -= 1
        else:
            x += 1
    if y < 0 or y >= HEIGHT:
        return False
    if rules.block[block_at(state, w, x, y, z)].replaceable == 0:
        return False
    if rules.block[block].height > 0.0 and in_players_way(player, x, y, z):
        return False
    below = rules.block[block_at(state, w, x, y - 1, z)]
    if rules.block[block].support == 1 and below.height < 1.0:
        return False
    slot = state.slots[w, number]
    set_block(state, rules, w, x, y, z, block, slot.variant & rules.block[block].variants)
    if block in (CRAFTING_TABLE, FURNACE):
        remember_tool(state, w, x, y, z, block)
    take(slot, 1)
    return True


@kernel
def equip(state, rules, w, number):
    """Swap the item of a slot, asked for by name, with what is where it is worn or held."""
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


@kernel
def use_item(state, rules, w):
    """The use key: blocks are placed, food is eaten (in one tick, as in MineDojo)."""
    slot = state.slots[w, 0]
    if slot.item == 0:
        return
    item = rules.item[slot.item]
    player = state.players[w]
    if item.block > 0:
        # Not on a crafting table or a furnace: there the key would open it.
        hit = under_crosshair(state, rules, w, REACH)[0]
        if hit not in (CRAFTING_TABLE, FURNACE):
            place_item(state, rules, w, 0)
    elif item.food > 0.0 and player.food < 20.0:
        player.food = min(20.0, player.food + math.floor(item.food))
        player.saturation = min(player.food, player.saturation + item.saturation)
        take(slot, 1)
