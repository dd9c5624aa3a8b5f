"""What is in hand where a later subtask is practised: nothing.

While a goal is performed, what is held when a subtask begins is a matter of the one before, as of
where a crafted item came to lie. In slots from the first one on the subtask's own tool would be in
hand in every episode, and what was practised might never take it there.
"""

from collections.abc import Mapping, Sequence

import msgspec

from messages.world import Task
from worlds.minecraft.card.conditions import SLOTS, STACKS


def stacks(item: str, count: int) -> int:
    """How many slots so many of an item take."""
    return -(-count // STACKS[item])


def empty_handed(task: Task) -> Task:
    """The task with all that it begins with behind the hand, in its order, where there is room. A
    task that says itself where its items lie is left as it is."""
    in_slots = _in_slots(task.inventory)
    if "initial_slots" in task.world or not 0 < len(in_slots) < SLOTS:
        return task
    return msgspec.structs.replace(
        task, world={**task.world, "initial_slots": _behind_the_hand(in_slots)}
    )


def is_empty_handed(task: Task) -> bool:
    """Whether nothing is in hand at first, as `empty_handed` makes it."""
    slots = task.world.get("initial_slots")
    return bool(slots) and slots == _behind_the_hand(_in_slots(task.inventory))


def _in_slots(inventory: Mapping[str, int]) -> list[str]:
    """The item of each stack, in the inventory's order."""
    return [item for item, count in inventory.items() for _ in range(stacks(item, count))]


def _behind_the_hand(in_slots: Sequence[str]) -> str:
    return ", ".join(f"{slot}={item}" for slot, item in enumerate(in_slots, start=1))
