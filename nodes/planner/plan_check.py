"""What is wrong with a plan, in sentences that the language model can act on."""

from collections.abc import Collection

from messages.plan import Subtask
from messages.world import Condition, Task
from models.conditions import MOST_ITEMS
from models.plans import plan_shortfalls


def plan_problems(task: Task, subtasks: list[Subtask], items: Collection[str]) -> list[str]:
    """Every problem at once; none means that the plan may be pursued.

    A plan is carried out on paper, by the recipes: what a subtask uses up, its tool, its station
    and its fuel have to be there when its turn comes. ``items``: the item names that the world
    knows; empty when that is not known.
    """
    if not subtasks:
        return ["The plan is empty: it needs at least one subtask."]
    problems: list[str] = []
    seen: dict[tuple[str, str], int] = {}
    for number, subtask in enumerate(subtasks, 1):
        condition = subtask.success
        where = f"Subtask {number} ({subtask.name!r})"
        if not subtask.name.strip():
            problems.append(f"Subtask {number} has no name.")
        if not 1 <= condition.quantity <= MOST_ITEMS:
            problems.append(
                f"{where} asks for a quantity of {condition.quantity}; it must be at least 1, and "
                f"{MOST_ITEMS} at most."
            )
        if condition.kind == "have" and items and condition.name not in items:
            problems.append(f"{where} asks for {condition.name!r}, which is no item of this world.")
        key = (condition.kind, condition.name)
        if key in seen:
            # What is asked for twice goes round in a circle, or walks the same way twice.
            problems.append(
                f"{where} asks for {condition.name!r} as subtask {seen[key]} does: "
                "put both quantities into the first."
            )
        seen.setdefault(key, number)
    known = [s for s in subtasks if s.success.kind != "have" or s.success.name in items]
    countable = all(1 <= s.success.quantity <= MOST_ITEMS for s in subtasks)
    if countable and (not items or len(known) == len(subtasks)):
        problems += plan_shortfalls(subtasks, task.inventory)
    if not _reaches(task.success, subtasks[-1].success):
        goal = task.success
        problems.append(
            f"The last subtask does not reach the goal: it must be "
            f"{goal.kind} {goal.name} x {goal.quantity}."
        )
    return problems


def _reaches(goal: Condition, last: Condition) -> bool:
    return (last.kind, last.name) == (goal.kind, goal.name) and last.quantity >= goal.quantity
