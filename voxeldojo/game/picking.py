"""The pick key: it takes the item into the hand that would place the block in sight."""

from voxeldojo.engine.hands.hotbar import HOTBAR, place_of
from voxeldojo.engine.rays import under_crosshair
from voxeldojo.engine.state import REACH
from voxeldojo.game.single_world import SingleWorld
from voxeldojo.rules import BLOCKS, ITEMS, item_id

BAG = 36
# Blocks that are placed by an item with another name.
BY_OTHERS = {
    "carrots": "carrot",
    "potatoes": "potato",
    "beetroots": "beetroot_seeds",
    "wheat": "wheat_seeds",
    "pumpkin_stem": "pumpkin_seeds",
    "melon_stem": "melon_seeds",
    "redstone_wire": "redstone",
    "tripwire": "string",
    "lit_furnace": "furnace",
    "lit_redstone_ore": "redstone_ore",
    "lit_redstone_lamp": "redstone_lamp",
    "unlit_redstone_torch": "redstone_torch",
    "standing_sign": "sign",
    "wall_sign": "sign",
    "standing_banner": "banner",
    "wall_banner": "banner",
    "unpowered_repeater": "repeater",
    "powered_repeater": "repeater",
    "unpowered_comparator": "comparator",
    "powered_comparator": "comparator",
    "daylight_detector_inverted": "daylight_detector",
    "double_stone_slab": "stone_slab",
    "double_stone_slab2": "stone_slab2",
    "double_wooden_slab": "wooden_slab",
    "purpur_double_slab": "purpur_slab",
}
NAMES = frozenset(item.name for item in ITEMS)
BLOCK_NAMES = {block.id: block.name for block in BLOCKS}


def slot_to_pick(game: SingleWorld) -> int:
    """The player's first slot with the item of the block in sight; -1 if there is none."""
    state, rules = game.world.state, game.world.rules
    block, x, y, z, *_ = (int(value) for value in under_crosshair(state, rules, 0, REACH)[:4])
    name = BLOCK_NAMES.get(block, "air")
    name = BY_OTHERS.get(name, name)
    found = game.block_at(x, y, z)
    if name == "air" or name not in NAMES or found is None:
        return -1
    item, variant = item_id(name), found[1] & int(rules.block[block]["variants"])
    selected = int(game.player["selected"])
    for slot in range(BAG):
        held = state.slots[0, place_of(selected, slot)]
        if held["item"] == item and held["variant"] == variant:
            return slot
    return -1


def slot_to_fill(game: SingleWorld) -> int:
    """The slot of the hot bar for an item that is picked from the inventory: the first free one
    from the hand on, else the hand."""
    selected = int(game.player["selected"])
    for slot in ((selected + n) % HOTBAR for n in range(HOTBAR)):
        if game.world.state.slots[0, place_of(selected, slot)]["item"] == 0:
            return slot
    return selected
