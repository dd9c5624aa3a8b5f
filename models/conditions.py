"""What is wrong with a condition, or a name, that a language model wrote: in sentences that it
can act on."""

from messages.world import Condition
from models.names import near
from models.rules import block_names, item_names
from models.rules.mobs import entity_names, mob_names

MOST_ITEMS = 36 * 64
"""What an inventory holds of one item."""
STATIONS = ("crafting_table", "furnace")
_ITEMS, _BLOCKS = frozenset(item_names), frozenset(block_names)
_MOBS = frozenset(entity_names[1:]) | frozenset(mob_names[1:])


def condition_problem(condition: Condition) -> str:
    """Empty if there is none."""
    if not 1 <= condition.quantity <= MOST_ITEMS:
        return f"a quantity is 1 to {MOST_ITEMS}, not {condition.quantity}"
    if condition.kind == "have":
        return item_problem(condition.name)
    if condition.kind == "nearby":
        known = condition.name in STATIONS
        return "" if known else f"what can be nearby is {' or '.join(STATIONS)}"
    return seen_problem(condition.name, mobs=condition.kind == "facing")


def is_mob(name: str) -> bool:
    """Whether what is seen is a mob; a block of the same name would come first."""
    return name in _MOBS and name not in _BLOCKS


def item_problem(name: str) -> str:
    """Of an item's registry name."""
    return "" if name in _ITEMS else f"there is no item {name!r}{near(name, item_names)}"


def seen_problem(name: str, mobs: bool = True) -> str:
    """Of the localised name of a block, or with ``mobs`` of a mob."""
    if name in _BLOCKS or (mobs and name in _MOBS):
        return ""
    known = [*block_names, *(_MOBS if mobs else ())]
    return f"there is no block {'or mob ' if mobs else ''}called {name!r}{near(name, known)}"
