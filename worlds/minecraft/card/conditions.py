"""Minecraft's conditions. What is wrong with one, or with a name, that a language model wrote is
said in sentences that it can act on."""

from collections.abc import Mapping

from messages.world import Condition, Episode
from voxeldojo.names import near
from voxeldojo.rules import block_names, item_names
from voxeldojo.rules.mobs import entity_names, mob_names
from worlds.card import Conditions
from worlds.common.counting import gained
from worlds.minecraft.card.naming import not_a_block, not_an_item, not_seen

MOST_ITEMS = 36 * 64
"""What an inventory holds of one item."""
STATIONS = ("crafting_table", "furnace")
_ITEMS, _BLOCKS = frozenset(item_names), frozenset(block_names)
_MOBS = frozenset(entity_names[1:]) | frozenset(mob_names[1:])


class MinecraftConditions(Conditions):
    kinds: Mapping[str, str] = {
        "have": "at least ``quantity`` more of item ``name`` in the inventory than when the "
        "episode began, for a stage of a goal that is performed than when its subtask began "
        "(registry name, ``log``)",
        "near": "a block called ``name`` within the 3x3x3 voxels around the feet or within reach "
        "of the crosshair (localised name, ``wood``)",
        "facing": "the block, or mob, under the crosshair, within reach, is called ``name``",
        "nearby": "a ``crafting_table`` or ``furnace`` that was put down stands near enough to "
        "work at (MineDojo's nearby tools)",
    }

    def problem_of_kind(self, condition: Condition) -> str:
        if not 1 <= condition.quantity <= MOST_ITEMS:
            return f"a quantity is 1 to {MOST_ITEMS}, not {condition.quantity}"
        if condition.kind == "have":
            return item_problem(condition.name)
        if condition.kind == "nearby":
            known = condition.name in STATIONS
            return "" if known else f"what can be nearby is {' or '.join(STATIONS)}"
        return seen_problem(condition.name, mobs=condition.kind == "facing")

    def words(self, condition: Condition) -> str:
        if condition.kind == "nearby":
            return f"a `{condition.name}` put down near enough to work at"
        if condition.kind == "have":
            return f"at least {condition.quantity} more of `{condition.name}` in the inventory"
        if condition.kind == "near":  # only blocks can be
            return f"a block called `{condition.name}` right beside the player or within reach"
        what = "mob" if _is_mob(condition.name) else "block"
        return f"the crosshair on a {what} called `{condition.name}` within reach"

    def short(self, condition: Condition) -> str:
        return {
            "have": f"{condition.quantity} more {condition.name} in the inventory",
            "near": f"next to {condition.name}",
            "nearby": f"a {condition.name} to work at nearby",
            "facing": f"facing {condition.name} within reach",
        }[condition.kind]

    def holds(self, condition: Condition, episode: Episode) -> bool:
        after = episode.after
        if condition.kind == "have":
            return gained(condition, episode) >= condition.quantity
        if condition.kind == "near":
            return after.around.get(condition.name, 0) > 0 or after.facing == condition.name
        if condition.kind == "nearby":
            return condition.name in after.stations
        return after.facing == condition.name


def item_problem(name: str) -> str:
    """Of an item's registry name."""
    if name in _ITEMS:
        return ""
    return not_an_item(name) or f"there is no item {name!r}{near(name, item_names)}"


def seen_problem(name: str, mobs: bool = True) -> str:
    """Of the localised name of a block, or with ``mobs`` of a mob."""
    if name in _BLOCKS or (mobs and name in _MOBS):
        return ""
    if other := not_seen(name) if mobs else not_a_block(name):
        return other
    known = [*block_names, *(_MOBS if mobs else ())]
    return f"there is no block {'or mob ' if mobs else ''}called {name!r}{near(name, known)}"


def _is_mob(name: str) -> bool:
    """Whether what is seen is a mob; a block of the same name would come first."""
    return name in _MOBS and name not in _BLOCKS


CONDITIONS = MinecraftConditions()
