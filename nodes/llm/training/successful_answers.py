"""Which answers of a run led to its success: the plan that was carried out, and of each subtask the
decomposition, the programs, the training specs and the guards of the iteration that was chosen.

A plan or decomposition that was put right before it was carried out is given as it was carried out:
the end that was left out, or a step that was put right, had not led to success.

An iteration may take over a stage of an earlier one. Then the answer is that of the iteration that
made it. What a skill of the library does was not asked for in the run, and has no answer there.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import msgspec

from messages.chat import (
    DecomposeAnswer,
    DecomposeQuestion,
    GuardAnswer,
    GuardQuestion,
    PlanAnswer,
    PlanQuestion,
    ProgramAnswer,
    ProgramQuestion,
    Question,
    SpecAnswer,
    SpecQuestion,
)
from messages.plan import GoalReport, Iteration, Stage, Subtask, to_play
from messages.world import Guard, Interface
from nodes.common.checks.decomposition_check import up_to_success
from nodes.common.checks.plan_check import up_to_goal
from nodes.common.checks.spec_check import without_idle_parts
from nodes.common.goals.goal_ids import slug

Answer = TypeVar("Answer", bound=msgspec.Struct)

_WITHIN = re.compile(r"(?P<subtask>.*?)/iteration-(?P<number>\d+)/")


@dataclass(frozen=True)
class Asked:
    """A question with its answer (JSON) and the model that gave it."""

    id: str
    question: Question
    answer: str
    model: str


def leading_to_success(report: GoalReport, asked: list[Asked]) -> list[Asked]:
    """Those of ``asked`` that led to the success of the goal, in the order in which they were
    asked. ``asked``: of this goal alone, and valid."""
    kept = {each.id for each in asked if _is_carried_out(each, report.subtasks)}
    for subtask in report.subtasks:
        iterations = [each for each in report.iterations if each.subtask == subtask.name]
        number = report.chosen.get(subtask.name)
        chosen = next((each for each in iterations if each.number == number), None)
        if chosen is not None:
            kept |= {each.id for each in _of_iteration(chosen, _of_subtask(subtask, asked))}
    return [_as_carried_out(each) for each in asked if each.id in kept]


def _as_carried_out(each: Asked) -> Asked:
    question = each.question
    if isinstance(question, PlanQuestion):
        answer = _read(each, PlanAnswer)
        carried_out = msgspec.structs.replace(answer, subtasks=_planned(question, answer))
    elif isinstance(question, DecomposeQuestion):
        answer = _read(each, DecomposeAnswer)
        carried_out = up_to_success(question, answer)
    else:
        return each
    if carried_out == answer:
        return each  # as the model wrote it
    return replace(each, answer=msgspec.json.encode(carried_out).decode())


def _planned(question: PlanQuestion, answer: PlanAnswer) -> list[Subtask]:
    return up_to_goal(question.task, answer.subtasks)


def _is_carried_out(each: Asked, subtasks: list[Subtask]) -> bool:
    """Whether it is the plan, or the end of it that was planned again."""
    if not isinstance(each.question, PlanQuestion):
        return False
    planned = _planned(each.question, _read(each, PlanAnswer))
    end = subtasks[len(subtasks) - len(planned) :] if len(planned) <= len(subtasks) else []
    return bool(planned) and [s.success for s in planned] == [s.success for s in end]


def _of_subtask(subtask: Subtask, asked: list[Asked]) -> dict[int, list[Asked]]:
    """What was asked in each iteration of a subtask, by its number. A subtask that was practised
    further has several ids; its iterations are numbered on."""
    ids = {
        found["subtask"]
        for each in asked
        if isinstance(each.question, DecomposeQuestion)
        and each.question.subtask.name == subtask.name
        and (found := _WITHIN.match(each.id))
    }
    by_number: dict[int, list[Asked]] = {}
    for each in asked:
        found = _WITHIN.match(each.id)
        if found and found["subtask"] in ids:
            by_number.setdefault(int(found["number"]), []).append(each)
    return by_number


def _of_iteration(chosen: Iteration, by_number: dict[int, list[Asked]]) -> Iterator[Asked]:
    steps = [line.sub_action for line in chosen.lines]
    # From the chosen iteration back: the first that has the answer is the one that made it.
    before = [
        each
        for number in sorted(by_number)
        if number <= chosen.number
        for each in by_number[number]
    ]
    yield from _latest(
        # Nothing was asked where a policy was trained further.
        before if chosen.further else by_number.get(chosen.number, []),
        lambda each: (
            isinstance(each.question, DecomposeQuestion)
            and up_to_success(each.question, _read(each, DecomposeAnswer)).sub_actions == steps
        ),
    )
    for stage in to_play(chosen.stages):
        yield from _latest(before, lambda each, stage=stage: _made(each, stage))
        for guard in stage.guards:
            yield from _latest(before, lambda each, guard=guard: _wrote_guard(each, guard))
            yield from _latest(before, lambda each, guard=guard: _trained_guard(each, guard))


def _latest(asked: Iterable[Asked], fits: Callable[[Asked], bool]) -> list[Asked]:
    return [each for each in asked if fits(each)][-1:]


def _made(each: Asked, stage: Stage) -> bool:
    question = each.question
    if not isinstance(question, ProgramQuestion | SpecQuestion):
        return False
    if question.sub_action.success != stage.sub_action.success:
        return False
    if isinstance(question, ProgramQuestion):
        source = _read(each, ProgramAnswer).source
        return stage.program is not None and _holds(stage.program.source, source)
    if stage.policy is None or stage.spec is None or question.guard is not None:
        return False
    answer, interface = _read(each, SpecAnswer), stage.spec.interface
    return answer.horizon == interface.horizon and _is_of(answer, interface)


def _wrote_guard(each: Asked, guard: Guard) -> bool:
    question = each.question
    if not isinstance(question, GuardQuestion) or slug(question.proposal.name) != guard.name:
        return False
    answer = _read(each, GuardAnswer)
    same = guard.program is None or guard.program.source == answer.source
    return same and answer.when == guard.when


def _trained_guard(each: Asked, guard: Guard) -> bool:
    question = each.question
    if not isinstance(question, SpecQuestion) or question.guard is None:
        return False
    named = slug(question.guard.name) == guard.name and question.when == guard.when
    return (
        named and guard.interface is not None and _is_of(_read(each, SpecAnswer), guard.interface)
    )


def _is_of(answer: SpecAnswer, interface: Interface) -> bool:
    """Whether a policy was trained by this answer. One that was trained further without some of
    its rewards is none: they had not led to success."""
    answer = without_idle_parts(answer)
    macros = [macro.name for macro in interface.macros]
    return (
        answer.observations == interface.observations
        and answer.actions == interface.actions
        and answer.rewards == interface.rewards
        and answer.targets == interface.targets
        and (answer.memory, answer.memory_size) == (interface.memory, interface.memory_size)
        and [draft.name for draft in answer.macros] == macros
        and all(
            # Without a source it is a program that was tried before, by its name.
            not draft.source.strip() or _holds(macro.source, draft.source)
            for draft, macro in zip(answer.macros, interface.macros, strict=True)
        )
    )


def _holds(program: str, source: str) -> bool:
    """Whether a program is this one, with the skills behind it that it calls."""
    return program == source or program.startswith(source.rstrip("\n") + "\n\n\n")


def _read(each: Asked, kind: type[Answer]) -> Answer:
    return msgspec.json.decode(each.answer, type=kind)
