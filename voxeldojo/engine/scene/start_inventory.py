"""The items that a player begins with: how many of each, and which of them have given slots."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from voxeldojo.names import quoted
from voxeldojo.rules import item_id
from voxeldojo.tasks.world_options import checked_length
from voxeldojo.world_interface import Ints


def equipment_of(inventory: Mapping[str, int], stacks: NDArray[np.int32]) -> Ints:
    """The start inventory as rows of item and count."""
    rows: list[tuple[int, int]] = []
    slots = 0
    for name, count in inventory.items():
        item = item_id(name.removeprefix("minecraft:").replace(" ", "_"))
        if item == 0 or count < 1:
            raise ValueError(f"the start inventory cannot hold {quoted(count)} of {name}")
        slots += -(-count // int(stacks[item]))
        rows.append((item, count))
    if slots > 36:
        raise ValueError(f"the start inventory needs {quoted(slots)} slots, there are 36")
    return np.array(rows, np.int64).reshape(-1, 2)


def arranged(
    equipment: Ints, slots: Mapping[int, str], stacks: NDArray[np.int32]
) -> tuple[list[tuple[int, int, int]], Ints]:
    """The items with given slots, as rows of slot, item and count; and the others, as rows of item
    and count."""
    left: dict[int, int] = {}
    for item, count in equipment.tolist():
        left[item] = left.get(item, 0) + count
    found: list[tuple[int, int, int]] = []
    for slot, name in slots.items():
        item = item_id(checked_length("item", name))
        count = min(left.get(item, 0), int(stacks[item]))
        if count:
            found.append((slot, item, count))
            left[item] -= count
    rest = [(item, count) for item, count in left.items() if count]
    return found, np.array(rest, np.int64).reshape(-1, 2)
