"""What is wrong with a decomposition, in sentences that the language model can act on."""

from collections import Counter
from collections.abc import Collection

from messages.plan import Method, SubAction, Subtask
from models.conditions import condition_problem


def decomposition_problems(
    subtask: Subtask,
    sub_actions: list[SubAction],
    methods: Collection[Method] = ("code", "rl"),
    most: int | None = None,
) -> list[str]:
    """Every problem at once; none means that the sub-actions may be implemented. ``methods``: those
    that are open to this run; ``most``: how many sub-actions there may be."""
    if not sub_actions:
        return ["The decomposition is empty: it needs at least one sub-action."]
    problems: list[str] = []
    counts = Counter(sub_action.name.strip() for sub_action in sub_actions)
    for name, count in counts.items():
        if not name:
            problems.append("A sub-action has no name.")
        elif count > 1:
            problems.append(f"{count} sub-actions are called {name!r}: names must be unique.")
    if most is not None and len(sub_actions) > most:
        problems.append(f"There are {len(sub_actions)} sub-actions; this run takes {most} at most.")
    for sub_action in sub_actions:
        if sub_action.method not in methods:
            problems.append(
                f"{sub_action.name!r} is to be done by {sub_action.method}; in this run there is "
                f"{' and '.join(methods)} only."
            )
        if wrong := condition_problem(sub_action.success):
            problems.append(f"The success of {sub_action.name!r} can't be seen: {wrong}.")
    last, goal = sub_actions[-1], subtask.success
    if (last.success.kind, last.success.name) != (goal.kind, goal.name):
        problems.append(
            f"The last sub-action ({last.name!r}) does not end in the subtask's success: "
            f"it must be {goal.kind} {goal.name} x {goal.quantity}."
        )
    return problems
