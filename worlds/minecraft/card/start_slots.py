"""What is in hand where a later subtask is practised: nothing.

While a goal is performed, what is held when a subtask begins is a matter of the one before, as of
where a crafted item came to lie. In slots from the first one on the subtask's own tool would be in
hand in every episode, and what was practised might never take it there.
"""

from collections.abc import Mapping

import msgspec

from messages.world import Task
from worlds.minecraft.card.conditions import SLOTS, STACKS


def slots_of(inventory: Mapping[str, int]) -> int:
    """How many slots it takes."""
    return sum(_stacks(item, count) for item, count in inventory.items())


def empty_handed(task: Task) -> Task:
    """The task with all that it begins with behind the hand, in its order, where there is room. A
    task that says itself where its items lie is left as it is."""
    if "initial_slots" in task.world or not 0 < slots_of(task.inventory) < SLOTS:
        return task
    slots = _behind_the_hand(task.inventory)
    return msgspec.structs.replace(task, world={**task.world, "initial_slots": slots})


def is_empty_handed(task: Task) -> bool:
    """Whether nothing is in hand at first, as `empty_handed` makes it."""
    slots = task.world.get("initial_slots")
    return bool(task.inventory) and slots == _behind_the_hand(task.inventory)


def _behind_the_hand(inventory: Mapping[str, int]) -> str:
    stacks = [item for item, count in inventory.items() for _ in range(_stacks(item, count))]
    return ", ".join(f"{slot}={item}" for slot, item in enumerate(stacks, start=1))


def _stacks(item: str, count: int) -> int:
    return -(-count // STACKS[item])
