"""What is seen of a batch of worlds, written into arrays."""

import math

from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.grid import block_at, meta_at
from nodes.env_server.worlds.embedded.hands.crafting import affordable, nearby_tools, usable

BAG = 36


@kernel
def read_inventory(state, items, counts):
    for w in range(items.shape[0]):
        for number in range(BAG):
            slot = state.slots[w, number]
            items[w, number] = slot.item
            counts[w, number] = slot.count


@kernel
def read_voxels(state, rules, names):
    radius = names.shape[1] // 2
    for w in range(names.shape[0]):
        player = state.players[w]
        x = math.floor(player.x) - radius
        y = math.floor(player.y) - radius
        z = math.floor(player.z) - radius
        for i in range(names.shape[1]):
            for j in range(names.shape[2]):
                for k in range(names.shape[3]):
                    block = block_at(state, w, x + i, y + j, z + k)
                    names[w, i, j, k] = rules.block[block].name


@kernel
def read_box(state, w, x, y, z, blocks, metas):
    """Block ids and metadata of a box of one world, its lowest corner given."""
    for i in range(blocks.shape[0]):
        for j in range(blocks.shape[1]):
            for k in range(blocks.shape[2]):
                blocks[i, j, k] = block_at(state, w, x + i, y + j, z + k)
                metas[i, j, k] = meta_at(state, w, x + i, y + j, z + k)


@kernel
def read_places(state, positions, yaws, pitches, lives, foods):
    for w in range(yaws.shape[0]):
        player = state.players[w]
        positions[w, 0] = player.x
        positions[w, 1] = player.y
        positions[w, 2] = player.z
        yaws[w] = player.yaw
        pitches[w] = player.pitch
        lives[w] = player.life
        foods[w] = player.food


@kernel
def read_masks(state, rules, worn, action_type, craft_smelt, equip, place, destroy):
    """MineDojo's masks. ``worn``: items that equip puts elsewhere than into the main hand."""
    for w in range(action_type.shape[0]):
        tools = nearby_tools(state, w)
        full = True
        any_equip = False
        any_place = False
        any_destroy = False
        for number in range(BAG):
            item = state.slots[w, number].item
            there = item != 0
            full = full and there
            destroy[w, number] = there
            place[w, number] = there and rules.item[item].block > 0
            equip[w, number] = there and (number > 0 or worn[item])
            any_equip = any_equip or equip[w, number]
            any_place = any_place or place[w, number]
            any_destroy = any_destroy or there
        any_craft = False
        for argument in range(craft_smelt.shape[1]):
            can = (
                any_destroy
                and usable(state, rules, w, argument, tools)
                and affordable(state, rules, w, rules.first[argument])
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
