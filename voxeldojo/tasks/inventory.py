"""Items to start with, as MineDojo's InventoryItem names them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from voxeldojo.names import quoted

SLOTS = {"mainhand": 0, "feet": 36, "legs": 37, "chest": 38, "head": 39, "offhand": 40}
LAST_SLOT = 40


class InventoryItem(NamedTuple):
    """``slot``: 0..40 or mainhand, offhand, head, chest, legs, feet. 0 is the main hand, 1..8 the
    hotbar, 9..35 the inventory. ``variant`` None is 0, ``quantity`` None is 1."""

    slot: int | str
    name: str
    variant: int | None = None
    quantity: int | None = None


class Placed(NamedTuple):
    """An item and its slot (0..40)."""

    slot: int
    name: str
    variant: int
    quantity: int


def inventory_items(value: Any) -> list[InventoryItem]:
    """A list of items (tuples or InventoryItem), or MineDojo's dict of slot -> {name, ...}.

    Raises:
        TypeError: the value is neither; the sentence names the accepted form.
    """
    if isinstance(value, Mapping):
        return [_of_dict(slot, entry) for slot, entry in value.items()]
    if isinstance(value, list | tuple):
        return [_of_tuple(entry) for entry in value]
    raise TypeError("give a list of InventoryItem(slot, name, variant, quantity)")


def placed(item: InventoryItem) -> Placed:
    """The item with its slot as a number and its variant and quantity filled in."""
    slot = SLOTS[item.slot] if isinstance(item.slot, str) else int(item.slot)
    return Placed(slot, item.name, item.variant or 0, item.quantity or 1)


def slots_in(text: str) -> dict[int, str]:
    """Parse ``mainhand=iron_sword, 1=torch``: the slots (0..40), each with its item.

    Raises:
        ValueError: the text is not of this form, or names an unknown slot.
    """
    found: dict[int, str] = {}
    for part in text.split(","):
        if not part.strip():
            continue
        where, _, name = (word.strip() for word in part.partition("="))
        decimal = where.isdecimal() and len(where) < 5  # int() refuses thousands of digits
        number = SLOTS.get(where, int(where) if decimal else LAST_SLOT + 1)
        if not name or number > LAST_SLOT:
            raise ValueError(
                f"{quoted(part.strip())} is not SLOT=ITEM; "
                f"slots are 0 to {LAST_SLOT}, {', '.join(SLOTS)}"
            )
        if number in found:
            raise ValueError(f"the slot {where} is named twice")
        found[number] = name
    return found


def slots_text(items: list[Placed]) -> str:
    """Items in the form that `slots_in` parses."""
    names = {number: name for name, number in SLOTS.items()}
    return ", ".join(f"{names.get(item.slot, item.slot)}={item.name}" for item in items)


def _of_dict(slot: Any, entry: Any) -> InventoryItem:
    fields = set(InventoryItem._fields) - {"slot"}  # which is the key
    if not isinstance(entry, Mapping) or not {"name"} <= set(entry) <= fields:
        raise TypeError(
            f"slot {quoted(slot)} needs {{name, variant, quantity}}, not {quoted(entry)}"
        )
    return InventoryItem(slot, **entry)


def _of_tuple(entry: Any) -> InventoryItem:
    # MineDojo's own InventoryItem is another class of the same shape.
    if not isinstance(entry, tuple | list) or not 2 <= len(entry) <= 4:
        raise TypeError(f"{quoted(entry)} is not an InventoryItem(slot, name, variant, quantity)")
    return InventoryItem(*entry)
