"""Questions over many goals, answered by the rulebook. No world is needed for plans, decompositions
and programs: their answers follow from the rules alone."""

import random
from collections.abc import Iterator

import msgspec

from messages.chat import (
    DecomposeAnswer,
    DecomposeQuestion,
    PlanAnswer,
    PlanQuestion,
    ProgramAnswer,
    ProgramQuestion,
    Question,
)
from messages.plan import Iteration, Line, Samples, Stage, SubAction, Subtask
from messages.program import Program
from messages.verdict import Verdict
from messages.world import Condition, Task
from nodes.answer_check import answer_problems
from nodes.llm.rulebook import rulebook_backend
from nodes.llm.rulebook.rules import NoRule
from nodes.llm.training.examples import Example, example
from voxeldojo.rules import BIOMES, ITEMS
from worlds import card
from worlds.card import Unreachable

SOURCE = "rulebook"
PLANNING = card("minecraft").planning
LONGEST = 12
"""Subtasks of a plan that is taught: longer ones take more tokens than they teach."""
_STATIONS = ("crafting_table", "furnace")
_QUANTITIES = (1, 1, 2, 2, 3, 4, 5, 6, 8)
"""Of the goal. More than one for most: products are what a small model gets wrong."""
_FELL_SHORT = (
    "it worked in {n} of 20 episodes; {rest} reached the horizon",
    "it worked in {n} of 20 episodes; {rest} ended when the program came to its end",
)
_ASKED = ("Get {n} {thing}.", "Obtain {n} {thing}.", "Have {n} {thing}.", "{n} {thing}, please.")


def goals() -> list[Condition]:
    """Every goal that the rules lead to within ``LONGEST`` subtasks: an item each, and the stations
    that are put down."""
    wanted = [Condition(kind="have", name=item.name) for item in ITEMS]
    wanted += [Condition(kind="nearby", name=station) for station in _STATIONS]
    found: list[Condition] = []
    for each in wanted:
        try:
            length = len(PLANNING.plan_for(each, {}))
        except Unreachable:
            continue
        if 1 <= length <= LONGEST:
            found.append(each)
    return found


def tasks(goal: Condition, chance: random.Random) -> Iterator[Task]:
    """Tasks with this goal without an end: how many of it, in which biome, with which inventory."""
    while True:
        few = 1 if goal.kind == "nearby" else chance.choice(_QUANTITIES)
        success = msgspec.structs.replace(goal, quantity=few)
        yield Task(
            id=f"{goal.kind}_{goal.name}_{few}",
            prompt=_asked(success, chance),
            success=success,
            biome=chance.choice(BIOMES).name,
            inventory=_begun(success, chance),
            horizon=chance.choice((1000, 3000, 5000, 10000)),
        )


def _asked(success: Condition, chance: random.Random) -> str:
    thing = success.name.replace("_", " ")
    if success.kind == "nearby":
        return f"Put a {thing} down and stand beside it."
    return chance.choice(_ASKED).format(n=success.quantity, thing=thing)


def _begun(success: Condition, chance: random.Random) -> dict[str, int]:
    """What one may have after some of the plan, or nothing."""
    if chance.random() < 0.5:
        return {}
    steps = PLANNING.plan_for(success, {})
    done = steps[: chance.randrange(len(steps))]
    try:
        return PLANNING.expected(done, {})
    except Unreachable:
        return {}


def plans(task: Task) -> Iterator[Question]:
    yield PlanQuestion(task=task, inventory=task.inventory)


def decompositions(task: Task, chance: random.Random) -> Iterator[Question]:
    """One subtask of the task's plan, as it is reached, after none to two failed iterations."""
    drawn = _drawn_step(task, chance)
    if drawn is None:
        return
    subtask, start = drawn
    begun = msgspec.structs.replace(task, inventory=start)
    history: list[Iteration] = []
    for number in range(chance.choice((0, 0, 1, 2))):
        question = DecomposeQuestion(task=begun, subtask=subtask, history=history)
        answer = rulebook_backend.decompose(question)
        history = [*history, _failed(subtask, answer.sub_actions, number, chance)]
    yield DecomposeQuestion(task=begun, subtask=subtask, history=history)


def _drawn_step(task: Task, chance: random.Random) -> tuple[Subtask, dict[str, int]] | None:
    """One subtask of the task's plan, and the inventory that it begins with; None where the rules
    do not lead so far."""
    steps = PLANNING.plan_for(task.success, task.inventory)
    if not steps:
        return None
    at = chance.randrange(len(steps))
    try:
        return steps[at], PLANNING.expected(steps[:at], task.inventory, steps[at:])
    except Unreachable:
        return None


def _failed(
    subtask: Subtask, sub_actions: list[SubAction], number: int, chance: random.Random
) -> Iteration:
    """An iteration whose last sub-action, or one before it, fell short."""
    at = len(sub_actions) - 1 if chance.random() < 0.7 else chance.randrange(len(sub_actions))
    worked = chance.randrange(0, 14)
    reason = chance.choice(_FELL_SHORT).format(n=worked, rest=20 - worked)
    lines = [
        Line(
            sub_action=each,
            attempts=1,
            verdict=Verdict(
                success=index < at,
                success_rate=1.0 if index < at else worked / 20,
                reason="it worked in 20 of 20 episodes" if index < at else reason,
                episodes=20,
            ),
        )
        for index, each in enumerate(sub_actions[: at + 1])
    ]
    return Iteration(
        subtask=subtask.name,
        number=number,
        lines=lines,
        stages=[],
        success_rate=chance.randrange(0, max(1, worked)) / 20,
        episodes=30,
        samples=Samples(),
        seconds=0.0,
    )


def programs(task: Task, chance: random.Random) -> Iterator[Question]:
    """A program for a coded sub-action of the task, which is here a subtask of its own."""
    drawn = _drawn_step(task, chance)
    if drawn is None:
        return
    subtask, start = drawn
    alone = msgspec.structs.replace(task, inventory=start, success=subtask.success)
    decomposition = rulebook_backend.decompose(DecomposeQuestion(task=alone, subtask=subtask))
    before: list[Stage] = []
    for sub_action in decomposition.sub_actions:
        if sub_action.method != "code":
            return
        question = ProgramQuestion(task=alone, sub_action=sub_action, before=before)
        yield question
        source = rulebook_backend.program(question).source
        name = sub_action.name.replace(" ", "_")
        before = [*before, Stage(sub_action=sub_action, program=Program(name=name, source=source))]


def taught(kind: str, goal: Condition, chance: random.Random, count: int) -> list[Example]:
    """At most ``count`` distinct examples of a kind (the type of the question) about a goal."""
    found: dict[str, Example] = {}
    asked = tasks(goal, chance)
    for _ in range(6 * count):
        task = next(asked)
        try:
            questions = {
                "PlanQuestion": lambda t=task: plans(t),
                "DecomposeQuestion": lambda t=task: decompositions(t, chance),
                "ProgramQuestion": lambda t=task: programs(t, chance),
            }[kind]()
            made = [_answered(question, goal) for question in questions]
        except (NoRule, Unreachable):
            continue
        for each in made:
            if each is not None:
                found.setdefault(each.user, each)
        if len(found) >= count:
            break
    return list(found.values())[:count]


def _answered(question: Question, goal: Condition) -> Example | None:
    """None where the rulebook's answer would be refused: a limit of its own, not to be taught."""
    answer: PlanAnswer | DecomposeAnswer | ProgramAnswer
    if isinstance(question, PlanQuestion):
        answer = rulebook_backend.plan(question)
    elif isinstance(question, DecomposeQuestion):
        answer = rulebook_backend.decompose(question)
    else:
        assert isinstance(question, ProgramQuestion)
        answer = rulebook_backend.program(question)
    text = msgspec.json.encode(answer).decode()
    if answer_problems(question, text):
        return None
    return example(question, text, goal.name, SOURCE)
