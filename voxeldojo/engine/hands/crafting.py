"""Crafting and smelting, as MineDojo does it: at once, with a crafting table or furnace nearby."""

import math

from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.grid import CRAFTING_TABLE, FURNACE, LIT_FURNACE, block_at
from voxeldojo.engine.hands.items import (
    BAG,
    add_items,
    count_items,
    lay_drop,
)
from voxeldojo.engine.hands.slots import take
from voxeldojo.engine.rulebook import INGREDIENTS
from voxeldojo.engine.state import EYES, PLACED
from voxeldojo.rules import craft_index, item_id

TOOL_RANGE = 5.0  # metres from the head
SMELT_TICKS = 200  # of fuel for one item: TileEntityFurnace
PLANKS_ARGUMENT = craft_index("planks")  # planks get the variant of their log
LOG2_ITEM = item_id("log2")


@entry_kernel
def nearby_tools(state, w):
    """Whether a crafting table (bit 0) and a furnace (bit 1) that were placed in this episode are
    within range and in sight."""
    player = state.players[w]
    found = 0
    for number in range(min(player.placed, PLACED)):
        tool = state.placed[w, number]
        if tool.dimension != player.dimension:
            continue
        block = block_at(state, w, tool.x, tool.y, tool.z)
        if block == CRAFTING_TABLE:
            bit = 1
        elif block in (FURNACE, LIT_FURNACE):
            bit = 2
        else:
            continue
        dx = tool.x + 0.5 - player.x
        dy = tool.y + 0.5 - (player.y + EYES)
        dz = tool.z + 0.5 - player.z
        flat = math.hypot(dx, dz)
        if math.hypot(flat, dy) > TOOL_RANGE:
            continue
        yaw = math.degrees(math.atan2(-dx, dz)) - player.yaw
        yaw = abs((yaw + 180.0) % 360.0 - 180.0)
        pitch = abs(math.degrees(math.atan2(-dy, flat)) - player.pitch)
        if yaw <= state.settings[w].half_yaw and pitch <= state.settings[w].half_pitch:
            found |= bit
    return found


@entry_kernel
def affordable(state, rules, w, recipe):
    for column in range(INGREDIENTS):
        count = rules.needs[recipe, column, 1]
        if count == 0:
            return True
        if count_items(state, w, rules.needs[recipe, column, 0]) < count:
            return False
    return True


@entry_kernel
def usable(rules, argument, tools):
    """Whether the station that the argument needs is at hand."""
    station = rules.station[argument]
    return station == 0 or (station == 1 and tools & 1 == 1) or (station == 2 and tools & 2 == 2)


@kernel
def consume(state, w, item, count):
    """Take items from the first slots that have them. Returns the first one's variant."""
    variant = -1
    for number in range(BAG):
        slot = state.slots[w, number]
        if count > 0 and slot.item == item:
            if variant < 0:
                variant = slot.variant
            taken = min(count, slot.count)
            take(slot, taken)
            count -= taken
    return max(variant, 0)


@kernel
def burn_fuel(state, rules, w, kept):
    """Burn fuel from the inventory until the fire lasts another 200 ticks, but not ``kept``, the
    item to be smelted. False: there is not enough fuel."""
    player = state.players[w]
    while player.burn < SMELT_TICKS:
        found = -1
        for number in range(BAG):
            item = state.slots[w, number].item
            if item != 0 and item != kept and rules.item[item].fuel > 0:
                found = number
                break
        if found < 0:
            return False
        slot = state.slots[w, found]
        container = rules.item[slot.item].container
        player.burn += rules.item[slot.item].fuel
        take(slot, 1)
        if container:
            add_items(state, rules, w, container, 1, 0, 0)
    player.burn -= SMELT_TICKS
    return True


@kernel
def craft(state, rules, w, argument, tools):
    """Craft or smelt by the first recipe whose ingredients are there; else nothing happens."""
    if not usable(rules, argument, tools):
        return
    player = state.players[w]
    for recipe in range(rules.first[argument], rules.first[argument + 1]):
        if not affordable(state, rules, w, recipe):
            continue
        if rules.station[argument] == 2 and not burn_fuel(
            state, rules, w, rules.needs[recipe, 0, 0]
        ):
            continue
        variant = 0
        for column in range(INGREDIENTS):
            count = rules.needs[recipe, column, 1]
            if count == 0:
                break
            item = rules.needs[recipe, column, 0]
            kind = consume(state, w, item, count)
            if argument == PLANKS_ARGUMENT:
                variant = kind + (4 if item == LOG2_ITEM else 0)
            container = rules.item[item].container
            if container:
                add_items(state, rules, w, container, count, 0, 0)
        item = rules.crafted[argument]
        left = add_items(state, rules, w, item, rules.yields[recipe], variant, 0)
        if left > 0:
            lay_drop(
                state,
                w,
                player.x,
                player.y + EYES - 0.3,
                player.z,
                0.0,
                0.1,
                0.0,
                item,
                left,
                variant,
                0,
                40,
            )
        return
