"""Which of the programs that were tried for a subtask a policy is shown."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest

from messages.plan import IMPLEMENT, Implement, SubAction
from messages.program import Program
from messages.verdict import Verdict
from messages.world import Condition, Episode
from nodes.common.skills.skill_library import Library
from nodes.common.storage.node_memory import Memory
from nodes.fast_agent.implementing import Implementing
from nodes.fast_agent.tried_programs import MOST, TriedPrograms, best_of
from tests.agents.feedback import episode
from tests.agents.stored_skills import TEN, WALK, learned
from tests.agents.test_learning_from_code import (
    FACING,
    FROM_PROGRAMS,
    LOG,
    TASK,
    Stack,
    by_code,
    program,
)


def goal(id: str, aim: Condition) -> Implementing:
    sub_action = SubAction(name="do it", method="code", success=aim)
    request = Implement(task=TASK, sub_action=sub_action, before=[], history=[])
    return cast(Implementing, SimpleNamespace(id=id, request=request))


def remember(tried: TriedPrograms, source: str, aim: Condition, rate: float) -> None:
    verdict = Verdict(success=False, success_rate=rate, reason="seen")
    tried.remember(goal("trying", aim), Program(name="do", source=source), verdict, [])


def test_the_first_tryout_of_a_program_counts(tmp_path: Path):
    tried = TriedPrograms(Memory(tmp_path / "memory.sqlite"))
    for rate in (0.3, 0.9, 0.1):
        remember(tried, "same", LOG, rate)
    remember(tried, "same", FACING, 0.6)  # for another aim it is another one
    found = tried.of(goal("learning", LOG))
    assert [(each.rate, each.sub_action.success) for each in found] == [(0.6, FACING), (0.3, LOG)]


def test_the_best_program_of_the_policys_aim_is_shown_among_better_ones(
    tmp_path: Path,
):
    tried = TriedPrograms(Memory(tmp_path / "memory.sqlite"))
    remember(tried, "rival", LOG, 0.2)
    remember(tried, "worse", LOG, 0.1)
    for number in range(MOST + 2):
        remember(tried, f"other {number}", FACING, 0.5 + number / 100)
    found = tried.of(goal("learning", LOG))
    assert [each.program.source for each in found] == [
        *(f"other {number}" for number in range(MOST + 1, 2, -1)),
        "rival",
    ]
    rival = best_of(found, LOG)
    assert rival is not None
    assert rival.rate == 0.2


def test_a_program_that_never_worked_is_nothing_to_beat(tmp_path: Path):
    tried = TriedPrograms(Memory(tmp_path / "memory.sqlite"))
    remember(tried, "never", LOG, 0.0)
    remember(tried, "other", FACING, 0.9)
    assert best_of(tried.of(goal("learning", LOG)), LOG) is None


def ended(steps: int, facing: str) -> Episode:
    """``success`` is about the task: a log, which no program for its first part brings."""
    seen = episode(0, "running" if steps < 1000 else "horizon")
    view = msgspec.structs.replace(seen.after, facing=facing)
    return msgspec.structs.replace(seen, steps=steps, success=False, before=view, after=view)


FOUND = [ended(steps, "wood") for steps in (30, 180, 60, 90, 0)]
LOST = [ended(1000, "air")] * 3


@pytest.mark.parametrize(
    ("episodes", "steps"),
    [
        ([*FOUND, *LOST], 360),
        ([*FOUND, *FOUND[:1] * 5, *LOST], 180),  # one in ten took longer
        ([*FOUND[2:], *FOUND[:1], ended(40, "wood"), *LOST], 180),
        ([ended(5, "wood")] * 20, 100),  # not so short that chance decides
        ([ended(700, "wood")] * 20, 1000),  # never longer than it may run
        ([*FOUND[1:], *LOST], 1000),  # of four nothing can be told
        (LOST, 1000),
    ],
)
def test_before_a_policy_a_program_runs_twice_as_long_as_it_took_to_succeed(
    tmp_path: Path, episodes: list[Episode], steps: int
):
    tried = TriedPrograms(Memory(tmp_path / "memory.sqlite"))
    find = Program(name="find", source="find()", max_steps=1000)
    verdict = Verdict(success=False, success_rate=0.6, reason="seen")
    tried.remember(goal("trying", FACING), find, verdict, episodes)
    assert tried.as_prefix(goal("learning", LOG), find).max_steps == steps
    skill = Program(name="skill", source="other()", max_steps=1000)
    assert tried.as_prefix(goal("learning", LOG), skill) == skill


def test_a_training_runs_the_program_before_it_that_long(tmp_path: Path):
    stack = Stack(tmp_path, FROM_PROGRAMS)
    stage = stack.implement("get log", "code", 1).stage  # a log in each episode, after ten steps
    assert stage is not None
    assert stage.program is not None
    sub_action = SubAction(name="look", method="rl", success=FACING)
    request = Implement(task=TASK, sub_action=sub_action, before=[stage], history=[])
    stack.bus.run_goal(IMPLEMENT, "demo/1/look", request)
    (spec,) = stack.trained
    assert [each.max_steps for each in spec.prefix] == [100]
    assert stage.program.max_steps == 1000  # where it is played


def test_a_skill_by_the_name_of_a_tried_program_is_not_offered_beside_it(tmp_path: Path):
    """Both count on from the sub-action's name. A macro of that name is the program."""
    library, near = Library(tmp_path / "skills"), Condition(kind="near", name="wood")
    for number in range(2):
        kept = learned(f"{WALK}# {number}\n", condition=near)
        library.add(f"{number}", "get log", kept, None, TEN)
    library.close()
    stack = Stack(tmp_path / "run", FROM_PROGRAMS, skills="../skills")
    by_code(stack)
    stack.implement("get log", "rl", 1)
    (question,) = stack.specs
    assert {"get_log_1", "get_log_2"} <= {program.name for program in question.programs}
    assert {skill.name for skill in question.skills} == {"get_log", "skill_4_looks"}
    (spec,) = stack.trained
    assert spec.interface.macros[0].source == program(1)
