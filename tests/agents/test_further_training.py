"""Where the outer loop stops short of the rate with samples left, the policy that stands is trained
further, in one more iteration without a question."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.plan import (
    IMPLEMENT,
    PURSUE,
    Further,
    GoalReport,
    Implement,
    Iteration,
    Limits,
    Line,
    Samples,
    Stage,
    SubAction,
)
from messages.program import Program
from messages.system import SetParameters, set_parameters
from messages.training import Act, Acted, Learning, Policy, Trained, TrainingSpec
from messages.verdict import Verdict
from messages.world import Interface, RewardTerm, SeedRange
from nodes.fast_agent.learning.further_training import for_the_aim
from nodes.slow_agent.stopping import further, stop_reason
from tests.agent_stack import LOG, STEPS, TASK, Stack, ToyWorld, rulebook_world, stack
from tests.agents.test_learning_from_code import SPEC as ANY_SPEC
from tests.agents.test_learning_from_code import Stack as FastAgentStack
from tests.bus_processes import PATIENCE

MISLED = [(500, 0.0), (1000, 0.05)], [(500, 0.1), (1000, 2.0)]
"""A curve and returns of rewards that pay for something else than success."""


AIM = ("success", "step", "gain")


class HalfLearned(ToyWorld):
    """A policy with macros digs the log in half of the environments; one that was trained from
    another one digs it in all."""

    def train(self, goal: Any) -> Trained:
        trained = super().train(goal)
        self.when_trained(goal)
        curve, returns = MISLED
        return msgspec.structs.replace(trained, curve=curve, returns=returns)

    def when_trained(self, goal: Any) -> None:
        """For tests to replace."""

    def act(self, goal: Any) -> Acted:
        request: Act = goal.request
        acted = super().act(goal)
        if self.trained[request.policy.id].spec.start is None:
            states = self.sessions[request.session]
            states[: len(states) // 2] = ["facing"] * (len(states) // 2)
        return acted


@pytest.fixture
def agents(run_folder: Path) -> Iterator[Stack]:
    """A stack for each test: a run that has a policy of this kind begins from it."""
    with stack(run_folder, world=make_world) as agents:
        yield agents


def make_world(run: Path) -> ToyWorld:
    return HalfLearned(run, rulebook_world)


def check(report: GoalReport) -> None:
    assert report.success, report.reason
    assert "after iteration 4" in report.stopped["harvest 1 log"]
    *asked, last = report.iterations
    assert [each.further for each in asked] == [False] * 4
    assert last.further
    assert last.number == 4
    # Two of three episodes of an evaluation before, and all now.
    assert (asked[-1].success_rate, last.success_rate) == (pytest.approx(2 / 3), 1)
    assert last.stages[:-1] == asked[-1].stages[:-1]
    assert last.lines[:-1] == asked[-1].lines[:-1]
    before, after = asked[-1].stages[-1], last.stages[-1]
    assert before.spec is not None
    assert after.spec is not None
    assert after.spec.start == before.policy
    assert after.policy != before.policy
    # Its rewards paid for something else.
    earlier, later = before.spec.interface.rewards, after.spec.interface.rewards
    assert [term.kind for term in earlier] == [term.kind for term in later]
    assert any(term.weight for term in earlier if term.kind not in AIM)
    assert not any(term.weight for term in later if term.kind not in AIM)
    # Its training with a prefix, its tryout and its evaluation are counted, and nothing else.
    assert last.samples == Samples(training=1100, trial=4 * STEPS, evaluation=6 * STEPS)
    assert report.chosen == {"harvest 1 log": 4}


def test_the_policy_that_stands_is_trained_further(agents: Stack):
    report = agents.bus.run_goal(PURSUE, "further", agents.goal(), timeout=PATIENCE)
    check(report)
    told = [id for id in agents.world.trained if id.startswith("further/")]
    assert len(told) == 3


@pytest.mark.parametrize("name", ["slow_agent", "fast_agent"])
def test_an_agent_that_is_killed_in_it_goes_on_with_it(agents: Stack, name: str):
    happened = threading.Event()

    def kill_once(goal: Any) -> None:
        if goal.request.spec.start is not None and not happened.is_set():
            happened.set()
            agents.agents[name].kill()
            agents.agents[name].start()

    agents.world.when_trained = kill_once  # type: ignore[attr-defined]
    goal = f"killed {name}"
    check(agents.bus.run_goal(PURSUE, goal, agents.goal(), timeout=PATIENCE))
    assert happened.is_set()


def test_a_restart_goes_on_with_it_though_more_iterations_are_allowed_by_then(agents: Stack):
    happened = threading.Event()

    def allow_more_and_kill(goal: Any) -> None:
        if goal.request.spec.start is not None and not happened.is_set():
            happened.set()
            wanted = SetParameters(values={"iterations": 9})
            agents.bus.call(set_parameters("slow_agent"), wanted, timeout=PATIENCE)
            agents.agents["slow_agent"].kill()
            agents.agents["slow_agent"].start()

    agents.world.when_trained = allow_more_and_kill  # type: ignore[attr-defined]
    check(agents.bus.run_goal(PURSUE, "more", agents.goal(), timeout=PATIENCE))
    assert happened.is_set()


def test_it_can_be_turned_off(run_folder: Path):
    nodes = {"slow_agent": {"further": False}}
    with stack(run_folder, world=make_world, nodes=nodes) as agents:
        report = agents.bus.run_goal(PURSUE, "goal", agents.goal(), timeout=PATIENCE)
    assert not report.success
    assert len(report.iterations) == 4
    assert not any(each.further for each in report.iterations)
    assert report.stopped["harvest 1 log"] == "The iterations are spent: 4."


DIG = SubAction(name="dig", method="rl", success=LOG)
SPEC = TrainingSpec(
    name="dig",
    task=TASK,
    interface=Interface(observations=[], actions=[], success=LOG, horizon=100),
    seeds=SeedRange(first=0, count=10),
    budget=1000,
)
LEARNING = Learning(samples=1000, curve=[(1000, 0.4)], stopped="the budget is spent")
LEARNED = Stage(sub_action=DIG, spec=SPEC, policy=Policy(id="a", checkpoint="a"))
LIMITS = Limits(iterations=2, success_rate=0.9, samples=10_000)


def iteration(number: int, tryout: float = 0.5, judged: int = 20, **changed: Any) -> Iteration:
    verdict = Verdict(success=False, success_rate=tryout, reason="seen", episodes=judged)
    values: dict[str, Any] = {
        "lines": [Line(sub_action=DIG, attempts=1, verdict=verdict, learning=LEARNING)],
        "stages": [LEARNED],
        "success_rate": tryout,
        "episodes": 30,
        "samples": Samples(training=1000),
    }
    return Iteration(subtask="log", number=number, seconds=1.0, **(values | changed))


def test_what_is_trained_further_is_the_policy_of_the_iteration_that_stands():
    other = msgspec.structs.replace(LEARNED, policy=Policy(id="b", checkpoint="b"))
    history = [iteration(0, 0.6, stages=[other]), iteration(1, 0.5)]
    assert further(history, LIMITS, 100) == Further(stage=other, learning=LEARNING)


def test_nothing_is_trained_further_that_cannot_be_or_need_not_be():
    by_code = msgspec.structs.replace(LEARNED, spec=None, policy=None)
    assert further([], LIMITS, 100) is None
    assert further([iteration(0, 0.95)], LIMITS, 100) is None  # it is reached
    assert further([iteration(0, 0.0)], LIMITS, 100) is None  # nothing to learn from
    assert further([iteration(0, judged=0)], LIMITS, 100) is None  # without a critic
    assert further([iteration(0, stages=[by_code])], LIMITS, 100) is None
    assert further([iteration(0), iteration(1, further=True)], LIMITS, 100) is None  # once
    assert further([iteration(0)], LIMITS, 9_001) is None  # too few samples for an evaluation
    # What was practised before is no part of this loop, and its samples are counted already.
    old = [iteration(0, further=True)]
    assert further(old, LIMITS, 100, known=1) is None
    assert further([*old, iteration(1)], LIMITS, 9_000, known=1) is not None


def test_such_an_iteration_is_none_of_those_that_the_limits_count():
    history = [iteration(0), iteration(1, further=True)]
    assert stop_reason(history, LIMITS, 100, 100, known=2) is None
    history.append(iteration(2))
    assert stop_reason(history, LIMITS, 100, 100, known=2) == "The iterations are spent: 2."


def test_an_iteration_begins_as_long_as_the_samples_for_it_are_left():
    known = [iteration(0)]  # it took 1,000 of 10,000
    assert stop_reason(known, LIMITS, 100, 9_000) is None
    assert "9,000 of the 10,000 samples" in (stop_reason(known, LIMITS, 100, 9_001) or "")
    # Those of iterations before a performance were counted there: these limits are what is left.
    assert stop_reason(known, LIMITS, 100, 10_000, known=1) is None


@pytest.mark.parametrize(("samples", "budget"), [(400, 1_000), (5_000, 5_000)])
def test_it_trains_from_its_weights_for_as_many_samples_as_it_has_had_at_least(
    tmp_path: Path, samples: int, budget: int
):
    alone = FastAgentStack(tmp_path, ANY_SPEC)
    spec = msgspec.structs.replace(SPEC, clone=[Program(name="dig", source="")])
    more = Further(
        stage=msgspec.structs.replace(LEARNED, spec=spec),
        learning=msgspec.structs.replace(LEARNING, samples=samples),
    )
    request = Implement(task=TASK, sub_action=DIG, before=[], history=[], further=more)
    alone.bus.run_goal(IMPLEMENT, "demo/dig", request)
    (trained,) = alone.trained
    assert (trained.budget, trained.start, trained.clone) == (budget, LEARNED.policy, [])
    assert alone.specs == []  # nothing is asked


def test_rewards_that_pay_for_something_else_are_left_out_and_success_always_pays():
    near = RewardTerm(kind="near", weight=0.1, name="wood")
    stick = RewardTerm(kind="gain", weight=1.0, name="stick")
    kept = [
        RewardTerm(kind="gain", weight=1.0, name="log"),
        RewardTerm(kind="step", weight=-0.01),
        RewardTerm(kind="success", weight=5.0),
    ]
    unpaid = [msgspec.structs.replace(each, weight=0.0) for each in (near, stick)]
    assert for_the_aim([near, stick, *kept], LOG) == [*unpaid, *kept]
    pays = RewardTerm(kind="success", weight=1.0)
    assert for_the_aim([near], LOG) == [unpaid[0], pays]
    # A spec may name success and not pay for it.
    named = RewardTerm(kind="success", weight=0.0)
    assert for_the_aim([near, named], LOG) == [unpaid[0], named, pays]
