"""What a plan's subtasks begin with, as the planner expects it."""

from collections.abc import Mapping, Sequence

from messages.plan import Subtask
from worlds.minecraft.card.planning import PLANNING, expected


def starts(subtasks: Sequence[Subtask], inventory: Mapping[str, int]) -> list[dict[str, int]]:
    """What is expected in the inventory when each subtask begins, by the rules alone."""
    return [expected(PLANNING.gains(subtasks[:index]), inventory) for index in range(len(subtasks))]
