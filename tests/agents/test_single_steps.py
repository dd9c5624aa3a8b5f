"""Policies that took in single steps what takes many of them, and never succeeded."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.bus import GoalHandle, ServiceError
from messages.chat import ASK, Answered, Ask, MacroDraft, SpecAnswer, SpecQuestion
from messages.plan import IMPLEMENT, Implement, Line, SubAction, Tried
from messages.program import CHECK, Checked, Program
from messages.training import TRAIN, Learning, Trained, TrainingSpec
from messages.verdict import Verdict
from messages.world import Condition, Interface, RewardTerm, SeedRange, Task
from nodes.fast_agent.fast_agent import FastAgent
from nodes.testing import MockBus, start

LOG = Condition(kind="have", name="log")
TASK = Task(id="log", prompt="Harvest a log.", success=LOG)
DIG = SubAction(name="dig", method="rl", success=LOG)
REWARDS = [RewardTerm(kind="success", weight=1.0)]
SPEC = SpecAnswer(
    observations=["rays"], actions=["forward", "attack"], rewards=REWARDS, horizon=9, budget=9
)


def macro(source: str) -> MacroDraft:
    return MacroDraft(name="own", source=source)


def tried(curve: list[tuple[int, float]], source: str = "") -> Tried:
    """A policy that was trained, with such a macro if there is a source."""
    learning = Learning(samples=100_000, curve=curve, stopped="given up")
    interface = Interface(
        observations=["rays"],
        actions=["attack"],
        macros=[Program(name="own", source=source)] if source else [],
        rewards=REWARDS,
        success=LOG,
        horizon=9,
    )
    seeds = SeedRange(first=0, count=9)
    spec = TrainingSpec(name="dig", task=TASK, interface=interface, seeds=seeds, budget=9)
    verdict = Verdict(success=False, success_rate=0.0, reason="")
    line = Line(sub_action=DIG, attempts=1, verdict=verdict, learning=learning)
    return Tried(iteration=0, line=line, spec=spec)


class Asked:
    """A fast agent whose model gives the same spec again and again."""

    def __init__(self, run: Path, answer: SpecAnswer, before: list[Tried]) -> None:
        self.problems: list[list[str]] = []
        self.trained: list[TrainingSpec] = []
        self._answer = msgspec.json.encode(answer).decode()
        bus = MockBus("fast_agent")
        bus.answer(ASK, self._answered)
        bus.answer(CHECK, lambda request: Checked(problems=[]))
        bus.answer_action(TRAIN, self._train)
        start(FastAgent, bus, run)
        request = Implement(task=TASK, sub_action=DIG, before=[], history=[], tried=before)
        bus.run_goal(IMPLEMENT, "demo/dig", request)

    def _answered(self, request: Ask) -> Answered:
        assert isinstance(request.question, SpecQuestion)
        self.problems.append(request.question.problems)
        return Answered(id=request.id, answer=self._answer, model="test")

    def _train(self, goal: GoalHandle[Any, Any]) -> Trained:
        self.trained.append(goal.request.spec)
        raise ServiceError("That is enough.", code="invalid")


def test_a_spec_that_leaves_them_out_again_is_refused_and_then_given_them(tmp_path: Path):
    asked = Asked(tmp_path, SPEC, [tried([(0, 0.0), (100_000, 0.0)])])
    assert "add a macro that repeats it 15 times" in asked.problems[1][0]
    assert "`attack`" in asked.problems[1][0]
    (spec,) = asked.trained
    assert spec.interface.actions == SPEC.actions
    (added,) = spec.interface.macros
    assert (added.name, added.max_steps) == ("attack_15", 15)
    assert "range(15)" in added.source


@pytest.mark.parametrize(
    ("answer", "before"),
    [
        (SPEC, []),  # the first policy of its sub-action
        (SPEC, [tried([(0, 0.0), (50_000, 0.01), (100_000, 0.0)])]),
        (SPEC, [tried([(0, 0.0)], source="attack()")]),
        (msgspec.structs.replace(SPEC, macros=[macro("attack()")]), [tried([(0, 0.0)])]),
        (msgspec.structs.replace(SPEC, actions=["forward_attack"]), [tried([(0, 0.0)])]),
    ],
)
def test_others_are_taken_as_they_are(tmp_path: Path, answer: SpecAnswer, before: list[Tried]):
    asked = Asked(tmp_path, answer, before)
    assert asked.problems == [[]]
    assert [each.name for each in asked.trained[0].interface.macros] == [
        each.name for each in answer.macros
    ]


def test_a_macro_that_does_something_else_is_not_enough(tmp_path: Path):
    answer = msgspec.structs.replace(SPEC, macros=[macro("turn(90)")])
    asked = Asked(tmp_path, answer, [tried([(0, 0.0)])])
    names = [each.name for each in asked.trained[0].interface.macros]
    assert names == ["own", "attack_15"]
