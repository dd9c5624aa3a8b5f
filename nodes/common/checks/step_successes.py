"""The successes of the steps of a plan or of a decomposition. The end of it can be no other than
what it is for."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from messages.plan import SubAction, Subtask
from messages.world import JUDGED, Condition
from worlds.card import Conditions

Step = TypeVar("Step", Subtask, SubAction)


def unseen(success: Condition, goal: Condition, conditions: Conditions) -> str:
    """Why the success of a step on the way to ``goal`` can't be seen, as the end of a sentence;
    empty if it can."""
    if problem := conditions.problem(success):
        return problem
    if success.kind == JUDGED and success != goal:
        return f"pictures are judged for the goal alone, and {success.name} is not what it is about"
    return ""


def must_end(success: Condition) -> str:
    """What the last step's success has to be, as it is to be written."""
    return f"its `success` must be `{msgspec.json.encode(success).decode()}`."


def ending_in(success: Condition, steps: Sequence[Step]) -> list[Step]:
    """The steps, the last one with this success; none where there are none."""
    if not steps:
        return []
    return [*steps[:-1], msgspec.structs.replace(steps[-1], success=success)]


def up_to(
    success: Condition, steps: Sequence[Step], implies: Callable[[Condition, Condition], bool]
) -> list[Step]:
    """The steps up to the first one after which this success holds; all where none reaches it."""
    for number, step in enumerate(steps, 1):
        if implies(step.success, success):
            return list(steps[:number])
    return list(steps)
