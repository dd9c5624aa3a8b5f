"""The outer loop's decisions: what it has tried already, which iteration stands, what is kept of
earlier iterations, and how many samples the next one has."""

import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.bus import GoalHandle, RemoteError, ServiceError
from messages.chat import ASK, Answered, Ask, DecomposeAnswer
from messages.plan import (
    MAKE_GUARD,
    GuardLine,
    GuardMade,
    GuardProposal,
    Implement,
    Implemented,
    Iteration,
    Limits,
    Line,
    MakeGuard,
    Samples,
    Stage,
    SubAction,
    Unseen,
)
from messages.program import Program
from messages.training import Policy
from messages.verdict import Verdict
from messages.world import Episode, Guard
from nodes.common.goals.budget import for_practice, least_again
from nodes.slow_agent.iterating import left_over
from nodes.slow_agent.remembering import earlier_success, lines_of, success_elsewhere
from nodes.slow_agent.stopping import chosen, stop_reason
from tests.agent_stack import TASK
from tests.agents.feedback import ALL_WELL, EVALUATED, FIND, HARVEST, WORKED, Outer, episode
from tests.agents.test_agent_checks import tried
from tests.agents.test_further_training import LEARNED, LEARNING, LIMITS, SPEC, iteration

FAILED = Verdict(success=False, success_rate=0.5, reason="seen", episodes=20)


# ---- what was tried already, and what stands


@pytest.mark.parametrize(
    ("changes", "same"),
    [({"budget": 500, "most": 700, "grows_to": 600}, True), ({"stop_at": 0.5}, False)],
)
def test_the_same_spec_is_a_dead_loop_however_many_samples_were_left_for_it(
    changes: dict[str, Any], same: bool
):
    spec = msgspec.structs.replace(SPEC, **changes)
    again = iteration(1, stages=[msgspec.structs.replace(LEARNED, spec=spec)])
    limits = msgspec.structs.replace(LIMITS, iterations=5)
    reason = stop_reason([iteration(0), again], limits, 100, 100)
    assert (reason is not None and reason.startswith("Dead loop")) == same


def test_an_iteration_that_reached_the_rate_before_stands_only_by_its_tryouts():
    """It was the last one then, and a performance fell short with it."""
    reached = tried(0, rate=0.95, tryout=0.8)
    limits = Limits(iterations=5, success_rate=0.9, samples=1000)
    assert chosen([reached, tried(1, rate=0.1, tryout=0.5)], limits) == reached
    better = tried(1, rate=0.1, tryout=0.9)
    assert chosen([reached, better], limits) == better


def test_of_equal_tryouts_the_one_that_came_further_stands():
    further, later = (tried(number, rate=0.1, tryout=0.0) for number in (0, 1))
    (line,) = further.lines
    verdict = msgspec.structs.replace(line.verdict, progress=0.5)
    further = msgspec.structs.replace(
        further, lines=[msgspec.structs.replace(line, verdict=verdict)]
    )
    assert chosen([further, later], LIMITS) == further


# ---- what is kept of earlier iterations


def made(*verdicts: Verdict, guards: list[Guard] | None = None, lost: list[int]) -> Iteration:
    """An iteration of finding and harvesting with these verdicts, evaluated in ten episodes."""
    parts = list(zip((FIND, HARVEST), verdicts, strict=True))
    return Iteration(
        subtask="log",
        number=0,
        lines=[Line(sub_action=part, attempts=1, verdict=verdict) for part, verdict in parts],
        stages=[
            Stage(sub_action=part, program=Program(name="p", source=part.name), guards=guards or [])
            for part, _ in parts
        ],
        success_rate=1.0 - sum(lost) / 10,
        episodes=10,
        samples=Samples(),
        seconds=1.0,
        unseen=Unseen(episodes=10, worked=10 - sum(lost), lost=lost),
    )


def test_a_success_was_luck_only_where_all_sub_actions_had_succeeded():
    """Else what was lost is no wonder, and says nothing about the tryout of this one."""
    lost_first = [8, 0]
    assert earlier_success(FIND, [], [], [made(WORKED, WORKED, lost=lost_first)]) is None
    found = earlier_success(FIND, [], [], [made(WORKED, FAILED, lost=lost_first)])
    assert found is not None
    assert found[0].sub_action == FIND
    # Where both lost as many, it was the later one.
    assert earlier_success(FIND, [], [], [made(WORKED, WORKED, lost=[2, 2])]) is not None


def test_a_stage_is_kept_only_with_the_guards_that_it_was_tried_with():
    guard = Guard(name="flee", when="False", max_steps=9)
    history = [made(WORKED, WORKED, guards=[guard], lost=[0, 0])]
    assert earlier_success(FIND, [], [], history) is None
    assert earlier_success(FIND, [], [guard], history) is not None
    # With others it is to be tried out first.
    elsewhere = success_elsewhere(FIND, history)
    assert elsewhere is not None
    assert elsewhere.guards == [guard]


def test_of_sub_actions_with_the_same_aim_the_one_of_that_name_or_the_last_is_meant():
    first, last = (
        Line(sub_action=SubAction(name=name, method="code", success=HARVEST.success),
             attempts=1, verdict=WORKED)
        for name in ("near", "far")
    )  # fmt: skip
    history = [msgspec.structs.replace(made(WORKED, WORKED, lost=[0, 0]), lines=[first, last])]
    assert lines_of(HARVEST, history) == [last]
    assert lines_of(first.sub_action, history) == [first]


# ---- time


def test_an_iteration_takes_the_seconds_of_its_question_too(tmp_path: Path):
    class Slow(Outer):
        def _answer(self, request: Ask) -> Answered:
            time.sleep(0.2)
            return super()._answer(request)

    first, second = Slow(tmp_path, [[FIND, HARVEST]] * 2, EVALUATED, EVALUATED).achieve().iterations
    assert min(first.seconds, second.seconds) >= 0.2


# ---- samples


class Learned(Outer):
    """What is implemented is a policy that works in half of its tryout."""

    def _implement(self, goal: GoalHandle[Implement, Any]) -> Implemented:
        by_code = super()._implement(goal)
        policy = Policy(id=f"p{len(self.implemented)}", checkpoint="p")
        stage = Stage(sub_action=goal.request.sub_action, spec=SPEC, policy=policy)
        line = msgspec.structs.replace(by_code.line, verdict=FAILED, learning=LEARNING)
        return msgspec.structs.replace(by_code, stage=stage, line=line)


@pytest.mark.parametrize(("short", "times"), [(0, 2), (1, 1)])
def test_a_policy_is_trained_further_only_with_what_is_not_reserved(
    tmp_path: Path, short: int, times: int
):
    """The iteration before takes 10 steps for its tryout and 100 for its evaluation."""
    outer = Learned(tmp_path, [[HARVEST]], EVALUATED, EVALUATED)
    reserve = 7_000
    samples = 110 + least_again(TASK, {}) + reserve - short
    outer.achieve(limits=Limits(iterations=1, samples=samples), reserve=reserve)
    assert len(outer.implemented) == times
    if times == 2:
        request = outer.implemented[1][1]
        assert request.further is not None
        assert request.samples == for_practice(least_again(TASK, {}), TASK, {})


def test_samples_of_iterations_before_a_performance_are_no_part_of_what_is_left(tmp_path: Path):
    shares = []
    before = msgspec.structs.replace(
        made(WORKED, WORKED, lost=[9, 0]), samples=Samples(training=40_000)
    )
    for number, history in enumerate(([], [before])):
        outer = Outer(tmp_path / str(number), [[FIND, HARVEST]], ALL_WELL)
        outer.achieve(history=history, limits=Limits(iterations=5, samples=100_000))
        shares.append([request.samples for _, request in outer.implemented])
    assert shares[0] == shares[1]


class Guarded(Outer):
    """Each decomposition has a guard that is to be learned."""

    def _answer(self, request: Ask) -> Answered:
        answered = super()._answer(request)
        answer = msgspec.json.decode(answered.answer, type=DecomposeAnswer)
        guard = GuardProposal(name="flee", when="a zombie is near", method="rl")
        answer = msgspec.structs.replace(answer, guards=[guard])
        return msgspec.structs.replace(answered, answer=msgspec.json.encode(answer).decode())


def test_a_guard_that_is_to_be_learned_has_a_share_of_the_samples(tmp_path: Path):
    outer = Guarded(tmp_path, [[FIND, HARVEST]], ALL_WELL)
    asked: list[MakeGuard] = []

    def make_guard(goal: GoalHandle[MakeGuard, Any]) -> GuardMade:
        asked.append(goal.request)
        line = GuardLine(proposal=goal.request.proposal, made=False, attempts=1, reason="none")
        return GuardMade(guard=None, line=line)

    outer.bus.answer_action(MAKE_GUARD, make_guard)
    outer.achieve(limits=Limits(iterations=1, samples=100_000))
    practice = for_practice(100_000, TASK, {})
    # Each tryout takes 10 steps, and what one leaves the next ones share.
    shares = [request.samples for _, request in outer.implemented]
    assert shares == [practice // 3, (practice - 10) // 2]
    assert [request.samples for request in asked] == [practice - 20]


# ---- what a subtask leaves to the next ones


def ended(success: bool, **inventory: int) -> Episode:
    plain = episode(0, "success" if success else "horizon")
    after = msgspec.structs.replace(plain.after, inventory=inventory)
    return msgspec.structs.replace(plain, after=after)


def test_what_a_subtask_leaves_is_the_lower_median_of_the_successful_episodes():
    well = [ended(True, log=1), ended(True, log=5, sapling=2), ended(True, log=3), ended(True)]
    assert left_over([*well, ended(False, log=9), ended(False, log=9)]) == {"log": 1}
    assert left_over(well[:3]) == {"log": 3}  # most of them had no sapling
    assert left_over([ended(False, log=9)]) == {}


@pytest.mark.parametrize("code", ["no_answer", "no_model"])
def test_a_subtask_ends_with_its_iterations_unless_no_model_was_reached(tmp_path: Path, code: str):
    outer = Outer(tmp_path, [[FIND, HARVEST]], EVALUATED)
    answer = outer._answer  # pyright: ignore[reportPrivateUsage]

    def answer_once(request: Ask) -> Answered:
        if outer.asked:
            raise ServiceError("Nothing comes to mind.", code=code)
        return answer(request)

    outer.bus.answer(ASK, answer_once)
    if code == "no_answer":
        report = outer.achieve()
        assert len(report.iterations) == 1
        assert "There is no decomposition: " in report.reason
    else:
        with pytest.raises(RemoteError, match="Nothing comes to mind") as error:
            outer.achieve()
        assert (error.value.code, error.value.retryable) == ("no_model", True)
