"""What is wrong with a plan, in sentences that the language model can act on."""

from collections.abc import Mapping, Sequence

from messages.plan import Subtask
from messages.world import Aim, Condition, Task
from nodes.common.checks.step_successes import ending_in, must_end, unseen, up_to
from worlds import card
from worlds.card import Unreachable


def plan_problems(task: Task, subtasks: list[Subtask]) -> list[str]:
    """Every problem at once; none means that the plan may be pursued.

    A plan is carried out on paper, by the recipes: what a subtask uses up, its tool, its station
    and its fuel have to be there when its turn comes. What follows the goal is not looked at.
    """
    game = card(task.game)
    subtasks = up_to_goal(task, subtasks)
    if not subtasks:
        return ["The plan is empty: it needs at least one subtask."]
    problems: list[str] = []
    named: dict[str, int] = {}
    asked: dict[Aim, int] = {}
    sound = True
    for number, subtask in enumerate(subtasks, 1):
        condition, name = subtask.success, subtask.name.strip()
        where = f"Subtask {number} ({subtask.name!r})"
        if not name:
            problems.append(f"Subtask {number} has no name.")
        elif named.setdefault(name, number) != number:
            problems.append(f"{where} is called as subtask {named[name]} is: names must be unique.")
        if wrong := unseen(condition, task.success, game.conditions):
            sound = False
            problems.append(f"{where} can't be seen to be done: {wrong}.")
        if asked.setdefault(condition.aim, number) != number:
            # A condition that comes twice is a circle, or the same way walked twice.
            problems.append(
                f"{where} wants {condition.name!r} as subtask {asked[condition.aim]} does: "
                "put both quantities into the first."
            )
    if sound:
        problems += shortfalls(task, subtasks, game.planning.begun(task))
    if not game.conditions.implies(subtasks[-1].success, task.success):
        problems.append(f"The last subtask does not reach the goal: {must_end(task.success)}")
    return problems


def shortfalls(task: Task, subtasks: Sequence[Subtask], inventory: Mapping[str, int]) -> list[str]:
    """A sentence for each subtask that could not be done when its turn comes. That the rules know
    no way to what the goal itself names is no mistake of a plan: the way is yet to be found."""
    planning, goal = card(task.game).planning, task.success
    if subtasks and subtasks[-1].success.aim == goal.aim:
        try:
            planning.plan_for(goal, {})
        except Unreachable:
            subtasks = subtasks[:-1]
    return planning.shortfalls(subtasks, inventory)


def up_to_goal(task: Task, subtasks: Sequence[Subtask]) -> list[Subtask]:
    """The subtasks without those that follow one whose success is the goal's: they would never
    begin, as a performance ends at the goal."""
    return up_to(task.success, subtasks, card(task.game).conditions.implies)


def with_goal(task: Task, subtasks: Sequence[Subtask]) -> list[Subtask]:
    """The subtasks, with the goal as the last one where that is all that they lack: small models
    leave out what they were asked for. The last one has to get something for it, else it is the
    goal itself, wrongly stated."""
    game = card(task.game)
    if not subtasks or subtasks[-1].success.kind != "have":
        return list(subtasks)
    if any(game.conditions.implies(each.success, task.success) for each in subtasks):
        return list(subtasks)
    try:
        name = game.planning.plan_for(task.success, game.planning.begun(task))[-1].name
    except (Unreachable, IndexError):
        name = task.prompt
    completed = [*subtasks, Subtask(name=name, success=task.success, why="the goal")]
    return list(subtasks) if plan_problems(task, completed) else completed


def fixed(task: Task, subtasks: Sequence[Subtask]) -> list[Subtask]:
    """The subtasks without what goes on after the task's success and without those that repeat an
    earlier one. The last one has the task's success: it is added, or else the last one's own is
    replaced by it."""
    first: dict[Condition, Subtask] = {}
    for subtask in up_to_goal(task, subtasks):
        first.setdefault(subtask.success, subtask)
    return ending_in(task.success, with_goal(task, list(first.values())))
