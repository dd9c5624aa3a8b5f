"""What the tests of performances begin with: a goal of three subtasks, and a program for each."""

from messages.plan import (
    Stage,
    SubAction,
    Subtask,
)
from messages.program import Program
from messages.world import (
    Condition,
    Task,
)

STICK = Condition(kind="have", name="stick")
TASK = Task(id="stick", prompt="Craft a stick.", success=STICK, horizon=1000)


def stages_for(subtask: Subtask) -> list[Stage]:
    """A program that brings it."""
    item, quantity = subtask.success.name, subtask.success.quantity
    source = f'ITEM = "{item}"\nQUANTITY = {quantity}\n'
    return [
        Stage(
            sub_action=SubAction(name=f"get {item}", method="code", success=subtask.success),
            program=Program(name="get", source=source),
        )
    ]
