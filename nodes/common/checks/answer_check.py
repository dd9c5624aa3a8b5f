"""What is wrong with an answer that is valid by its schema, as far as the question alone shows it.

The agent that asked does more with it: the planner completes a plan that stops before the goal, the
fast agent puts names right that a spec gives otherwise. And it may refuse what passes here: a copy
of the prompt's example, a spec without an action that its sub-action takes.
"""

import re
from typing import Literal

import msgspec

from messages.chat import (
    DecomposeAnswer,
    DecomposeQuestion,
    GoalAnswer,
    GoalQuestion,
    GuardAnswer,
    GuardQuestion,
    PlanAnswer,
    PlanQuestion,
    ProgramAnswer,
    ProgramQuestion,
    Question,
    SkillNote,
    SpecAnswer,
    SpecQuestion,
)
from messages.program import CheckProgram, Problem, Program
from nodes.common.checks.decomposition_check import problems_with
from nodes.common.checks.plan_check import plan_problems
from nodes.common.checks.spec_check import clonable, spec_problems, without_idle_parts
from nodes.common.goals.goal_ids import slug
from worlds import card

MOST_SAMPLES = 3_000_000
"""The largest budget of a training, unless the fast agent has another one."""


def answer_problems(question: Question, answer: str, most_samples: int = MOST_SAMPLES) -> list[str]:
    """Every problem at once, in sentences; those of programs apart, which the env server checks.
    ``answer`` is JSON that is valid by the schema; ``most_samples`` is the fast agent's."""
    read = msgspec.json.decode
    if isinstance(question, GoalQuestion):
        return goal_problems(question, read(answer, type=GoalAnswer))
    if isinstance(question, PlanQuestion):
        return plan_problems(question.task, read(answer, type=PlanAnswer).subtasks)
    if isinstance(question, DecomposeQuestion):
        return problems_with(question, read(answer, type=DecomposeAnswer))
    if isinstance(question, SpecQuestion):
        return spec_problems(
            without_idle_parts(read(answer, type=SpecAnswer)),
            question.observations,
            question.actions,
            question.macros_allowed,
            most_samples,
            question.task.game,
            clonable(question),
        )
    return []


def goal_problems(question: GoalQuestion, answer: GoalAnswer) -> list[str]:
    game = card(question.task.game)
    if problem := game.conditions.problem(answer.success):
        return [f"The condition can't be seen to hold: {problem}."]
    understood = msgspec.structs.replace(question.task, success=answer.success)
    return [
        f"The condition can't be the goal's: {problem.removeprefix('success: ')}."
        for problem in game.task_problems(understood)
    ]


def programs_of(question: Question, answer: str) -> tuple[list[CheckProgram], list[str]]:
    """The programs of an answer, to be checked; and sentences about those that cannot be checked
    alone, as they call skills."""
    programs, skills = _programs(question, answer)
    checks: list[CheckProgram] = []
    unknown: list[str] = []
    for each in programs:
        called = [s.name for s in skills if re.search(rf"\b{s.name}\b", each.program.source)]
        if called:
            unknown.append(f"{each.program.name!r} calls {called[0]!r} of the skill library.")
        else:
            checks.append(each)
    return checks, unknown


def problem_lines(check: CheckProgram, problems: list[Problem]) -> list[str]:
    """The problems of one program as sentences."""
    return [f"{check.program.name!r}, line {each.line}: {each.message}" for each in problems]


def _programs(question: Question, answer: str) -> tuple[list[CheckProgram], list[SkillNote]]:
    read = msgspec.json.decode
    if isinstance(question, ProgramQuestion):
        source = read(answer, type=ProgramAnswer).source
        return [_check(question.sub_action.name, source)], question.skills
    if isinstance(question, GuardQuestion):
        guard = read(answer, type=GuardAnswer)
        checks = [_check(f"{question.proposal.name}-when", guard.when, kind="when")]
        if question.proposal.method == "code":
            checks.append(_check(question.proposal.name, guard.source))
        return checks, []
    if isinstance(question, SpecQuestion):
        spec = read(answer, type=SpecAnswer)
        # A macro without a source is a program that was tried before, by its name.
        checks = [_check(draft.name, draft.source) for draft in spec.macros if draft.source]
        checks += [
            _check("reward", term.source, kind="reward")
            for term in spec.rewards
            if term.kind == "code"
        ]
        return checks, question.skills
    return [], []


def _check(
    name: str, source: str, kind: Literal["action", "reward", "when"] = "action"
) -> CheckProgram:
    return CheckProgram(program=Program(name=slug(name) or "program", source=source), kind=kind)
