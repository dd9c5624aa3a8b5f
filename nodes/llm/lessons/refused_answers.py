"""Plans and decompositions with one mistake that small models make, and why the agent refuses them.
The question after such an answer is taught with the right one."""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from messages.chat import DecomposeAnswer, DecomposeQuestion, PlanAnswer, PlanQuestion
from nodes.common.checks.answer_check import answer_problems
from nodes.common.checks.step_successes import Step, ending_in

Asked = TypeVar("Asked", PlanQuestion, DecomposeQuestion)


def refused_plan(
    question: PlanQuestion, answer: PlanAnswer, chance: random.Random
) -> PlanQuestion | None:
    """The question as it is asked again after a plan with a mistake; None if the changed plan is
    still valid."""
    wrong = _with_a_mistake(answer.subtasks, chance)
    return _asked_again(question, PlanAnswer(subtasks=wrong), wrong)


def refused_decomposition(
    question: DecomposeQuestion, answer: DecomposeAnswer, chance: random.Random
) -> DecomposeQuestion | None:
    """The question as it is asked again after a decomposition with a mistake; None where that would
    do."""
    names = [question.task.success.name, *question.task.inventory]
    if chance.random() < 0.5:  # what small models do the most: the end of another step
        wrong = _another_thing(answer.sub_actions, names, chance)
    else:
        wrong = _another_end(answer.sub_actions, chance)
    return _asked_again(question, DecomposeAnswer(sub_actions=wrong), wrong)


def _asked_again(
    question: Asked, answer: PlanAnswer | DecomposeAnswer, steps: Sequence[Step]
) -> Asked | None:
    if not steps:  # the schema has none without a step
        return None
    problems = answer_problems(question, msgspec.json.encode(answer).decode())
    return msgspec.structs.replace(question, refused=steps, problems=problems) if problems else None


def _with_a_mistake(steps: Sequence[Step], chance: random.Random) -> list[Step]:
    mistakes: list[Callable[[Sequence[Step], random.Random], list[Step]]] = [
        _one_left_out,
        _one_repeated,
        _one_with_another_quantity,
        _another_end,
    ]
    return chance.choice(mistakes)(steps, chance)


def _one_left_out(steps: Sequence[Step], chance: random.Random) -> list[Step]:
    at = chance.randrange(len(steps))
    return [*steps[:at], *steps[at + 1 :]]


def _one_repeated(steps: Sequence[Step], chance: random.Random) -> list[Step]:
    """With the same success under another name."""
    at = chance.randrange(len(steps))
    again = msgspec.structs.replace(steps[at], name=f"use {steps[at].success.name}")
    return [*steps[: at + 1], again, *steps[at + 1 :]]


def _one_with_another_quantity(steps: Sequence[Step], chance: random.Random) -> list[Step]:
    return _changed(steps, chance.randrange(len(steps)), chance)


def _another_thing(
    steps: Sequence[Step], names: Sequence[str], chance: random.Random
) -> list[Step]:
    """With an end about something else that the question names."""
    end = steps[-1].success
    others = [name for name in names if name != end.name]
    if not others:
        return list(steps)
    return ending_in(msgspec.structs.replace(end, name=chance.choice(others)), steps)


def _another_end(steps: Sequence[Step], chance: random.Random) -> list[Step]:
    return _changed(steps, len(steps) - 1, chance)


def _changed(steps: Sequence[Step], at: int, chance: random.Random) -> list[Step]:
    success = steps[at].success
    quantity = chance.choice([n for n in (1, 2, 3, 4) if n != success.quantity])
    success = msgspec.structs.replace(success, quantity=quantity)
    step = msgspec.structs.replace(steps[at], success=success)
    return [*steps[:at], step, *steps[at + 1 :]]
