"""A pickaxe for a player that is under the ground: bare hands take 150 ticks for a block of stone,
a stone pickaxe takes 12."""

import math
from collections.abc import Mapping

import numpy as np

from voxeldojo.demonstrations.obtaining import CRAFTED, Obtaining
from voxeldojo.demonstrations.player import BAG, ITEM_BLOCKS, Player
from voxeldojo.rules import item_id

PICKAXES = ("wooden_pickaxe", "golden_pickaxe", "stone_pickaxe", "iron_pickaxe", "diamond_pickaxe")
MADE = ("stone_pickaxe", "wooden_pickaxe")  # at once, the better one first
ENOUGH = 120  # blocks, for a way up of forty
COVER = 4  # blocks below the height of the ground


def keep_a_pickaxe(obtaining: Obtaining) -> None:
    """Makes one under the ground, if what is left of those that are held is not enough for the way
    up, and what else is held is enough for one."""
    player = obtaining.player
    if not is_underground(player) or uses_left(player) >= ENOUGH:
        return
    held = {name: count for name in ITEM_BLOCKS if (count := player.have(name))}
    for name in MADE:
        if affords(name, {**held, name: 0}):
            obtaining.obtain(name, player.have(name) + 1)
            return


def uses_left(player: Player) -> int:
    """Blocks that can be dug with the pickaxes that are held."""
    slots = player.world.state.slots[0][:BAG]
    lasts = player.world.rules.item["durability"]
    found = np.isin(slots["item"], [item_id(name) for name in PICKAXES]) & (slots["count"] > 0)
    return int((lasts[slots["item"]] - slots["wear"])[found].sum())


def is_underground(player: Player) -> bool:
    x, y, z = player.feet
    ground = player.world.state.ground
    last = ground.shape[1] - 1
    return y < int(ground[0, x & last, z & last]) - COVER


def affords(name: str, held: Mapping[str, int]) -> bool:
    """Whether an item can be crafted out of what is held, step by step and the table included."""
    return _take(name, 1, dict(held), frozenset())


def _take(name: str, count: int, left: dict[str, int], for_what: frozenset[str]) -> bool:
    """Takes ``count`` of an item out of ``left``, crafting what is missing. ``for_what``: what is
    being crafted, which does not help to craft itself."""
    missing = count - left.get(name, 0)
    if missing > 0:
        craft = CRAFTED.get(name)
        if craft is None or craft.station == "furnace" or name in for_what:
            return False
        for_what |= {name}
        recipe = craft.recipes[0]
        times = math.ceil(missing / recipe.count)
        if craft.station == "table":
            if not _take("crafting_table", 1, left, for_what):
                return False
            left["crafting_table"] += 1  # it is taken along again
        for need, each in recipe.ingredients.items():
            if not _take(need, each * times, left, for_what):
                return False
        left[name] = left.get(name, 0) + recipe.count * times
    left[name] -= count
    return True
