"""Writes the observations of a batch of worlds into arrays."""

import math

from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.grid import block_at, meta_at
from voxeldojo.engine.hands.crafting import nearby_tools, usable
from voxeldojo.engine.rulebook import INGREDIENTS
from voxeldojo.engine.state import HEIGHT

BAG = 36


@kernel
def read_inventory(state, w, items, counts):
    for number in range(BAG):
        slot = state.slots[w, number]
        items[w, number] = slot.item
        counts[w, number] = slot.count


@kernel
def read_voxels(state, rules, w, row, names):
    """Names of the blocks around the feet, x, y, z ascending, into a row."""
    radius = names.shape[1] // 2
    player = state.players[w]
    x = math.floor(player.x) - radius
    y = math.floor(player.y) - radius
    z = math.floor(player.z) - radius
    area = state.blocks.shape[1]
    inside = (
        x >= player.west
        and z >= player.north
        and x + 2 * radius < player.west + area
        and z + 2 * radius < player.north + area
        and y >= 0
        and y + 2 * radius < HEIGHT
    )
    for i in range(names.shape[1]):
        for k in range(names.shape[3]):
            if inside:
                column = state.blocks[w, (x + i) & (area - 1), (z + k) & (area - 1)]
                for j in range(names.shape[2]):
                    names[row, i, j, k] = rules.block_name[column[y + j]]
            else:
                for j in range(names.shape[2]):
                    block = block_at(state, w, x + i, y + j, z + k)
                    names[row, i, j, k] = rules.block_name[block]


@kernel
def read_box(state, w, x, y, z, blocks, metas):
    """Block ids and metadata of a box of one world, its lowest corner given."""
    for i in range(blocks.shape[0]):
        for j in range(blocks.shape[1]):
            for k in range(blocks.shape[2]):
                blocks[i, j, k] = block_at(state, w, x + i, y + j, z + k)
                metas[i, j, k] = meta_at(state, w, x + i, y + j, z + k)


@kernel
def read_place(state, w, positions, angles):
    player = state.players[w]
    positions[w, 0] = player.x
    positions[w, 1] = player.y
    positions[w, 2] = player.z
    angles[0, w] = player.yaw
    angles[1, w] = player.pitch


@kernel
def read_life(state, w, lives):
    player = state.players[w]
    lives[0, w] = player.life
    lives[1, w] = player.food


@kernel
def carries_something_new(state, w, tools, basis):
    """Whether the inputs of the masks (items and counts of the slots, nearby tools) changed since
    the last call; ``basis`` is updated."""
    changed = basis[w, BAG] != tools
    basis[w, BAG] = tools
    for number in range(BAG):
        slot = state.slots[w, number]
        carried = (slot.item << 16) + slot.count
        changed |= basis[w, number] != carried
        basis[w, number] = carried
    return changed


@kernel
def read_masks(state, rules, w, basis, held, action_type, craft_smelt, slots):
    """MineDojo's masks; ``slots`` are equip, place and destroy. They are computed again only if the
    inventory or the nearby tools changed. ``basis``: see above. ``held``: (items,) scratch."""
    tools = nearby_tools(state, w)
    if not carries_something_new(state, w, tools, basis):
        return
    held[:] = 0
    full = True
    any_equip = False
    any_place = False
    any_destroy = False
    for number in range(BAG):
        slot = state.slots[w, number]
        there = slot.item != 0
        held[slot.item] += slot.count
        full = full and there
        slots[0, w, number] = there and (number > 0 or rules.item[slot.item].slot != 0)
        slots[1, w, number] = there and rules.item[slot.item].block > 0
        slots[2, w, number] = there
        any_equip = any_equip or slots[0, w, number]
        any_place = any_place or slots[1, w, number]
        any_destroy = any_destroy or there
    any_craft = False
    for argument in range(craft_smelt.shape[1]):
        can = (
            any_destroy
            and usable(rules, argument, tools)
            and covered(rules, rules.first[argument], held)
        )
        craft_smelt[w, argument] = can
        any_craft = any_craft or can
    action_type[w, 0] = True
    action_type[w, 1] = True
    action_type[w, 2] = state.slots[w, 0].item != 0
    action_type[w, 3] = True
    action_type[w, 4] = any_craft and not full
    action_type[w, 5] = any_equip
    action_type[w, 6] = any_place
    action_type[w, 7] = any_destroy


@kernel
def covered(rules, recipe, held):
    """Whether quantities by item are enough for a recipe."""
    for column in range(INGREDIENTS):
        count = rules.needs[recipe, column, 1]
        if count == 0:
            return True
        if held[rules.needs[recipe, column, 0]] < count:
            return False
    return True


@entry_kernel
def observe_all(
    state,
    rules,
    wanted,
    items,
    counts,
    names,
    positions,
    angles,
    lives,
    basis,
    held,
    action_type,
    craft_smelt,
    slots,
):
    """Write the fields whose bits are set in ``wanted``, for every world: `OBSERVED` has their
    order."""
    for w in range(state.players.shape[0]):
        if wanted & 1:
            read_inventory(state, w, items, counts)
        if wanted & 2:
            read_voxels(state, rules, w, w, names)
        if wanted & 4:
            read_place(state, w, positions, angles)
        if wanted & 8:
            read_life(state, w, lives)
        if wanted & 16:
            read_masks(state, rules, w, basis, held, action_type, craft_smelt, slots)
