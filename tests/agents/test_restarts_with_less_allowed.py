"""A node that was killed in the middle of a goal gets the same answers again, and decides as it did
before, though less is allowed by then."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.chat import (
    ASK,
    Answered,
    Ask,
    DecomposeAnswer,
    GoalAnswer,
    GuardAnswer,
    PlanAnswer,
    ProgramAnswer,
    SpecAnswer,
)
from messages.plan import (
    ACHIEVE,
    IMPLEMENT,
    MAKE_GUARD,
    PURSUE,
    AchieveSubtask,
    GuardProposal,
    Implement,
    Limits,
    MakeGuard,
    Method,
    PursueGoal,
    Stage,
    SubAction,
    Subtask,
)
from messages.program import CHECK, Checked, CheckProgram, Problem, Program
from messages.training import TRAIN
from messages.verdict import JUDGE, Verdict
from messages.world import CLOSE, OPEN, RUN_PROGRAM, UNSAID, Condition, RewardTerm
from nodes.fast_agent.fast_agent import FastAgent
from nodes.node import Node
from nodes.planner.planner import Planner
from nodes.slow_agent.slow_agent import SlowAgent
from nodes.testing import MockBus, start
from tests.agent_stack import LOG, TASK
from tests.agents.craft_world import Inventories
from tests.agents.feedback import HARVEST

IN_WORDS = msgspec.structs.replace(TASK, success=UNSAID, prompt="Get a log.")
LIMITS = Limits(iterations=1, samples=100_000)
PLAN = PlanAnswer(subtasks=[Subtask(name="get a log", success=LOG)])
SPEC = SpecAnswer(
    observations=["rays"],
    actions=["attack"],
    rewards=[RewardTerm(kind="success", weight=1.0)],
    horizon=100,
    budget=5_000,
)
NO_SPEC = msgspec.structs.replace(SPEC, horizon=0)
GUARD = GuardAnswer(when="True", source="noop()", max_steps=1_000)
SOURCE = 'ITEM = "log"\nQUANTITY = 1\n'
REFUSED = "refused"  # a source that may not run


class Killed(Exception):
    """The node is killed at this point."""


class Model:
    """Answers as the llm node does, by the question's id, and never another time otherwise."""

    def __init__(self, **answers: msgspec.Struct) -> None:
        self.asked: list[str] = []
        self._answers = {name.replace("_", "-"): answer for name, answer in answers.items()}

    def answer(self, request: Ask) -> Answered:
        name = request.id.rpartition("/")[2]
        self.asked.append(name)
        text = msgspec.json.encode(self._answers[name]).decode()
        return Answered(id=request.id, answer=text, model="test")


def killed(_: Any) -> Any:
    raise Killed


def check(request: CheckProgram) -> Checked:
    wrong = request.program.source == REFUSED
    return Checked(problems=[Problem(line=1, message="it is refused")] if wrong else [])


def life(kind: type[Node], model: Model, run: Path, **parameters: Any) -> MockBus:
    """A process of the node. What comes after its questions kills it."""
    bus, world = MockBus(kind.name), Inventories()
    bus.answer(ASK, model.answer)
    bus.answer(CHECK, check)
    bus.answer(OPEN, world.open)
    bus.answer(CLOSE, world.close)
    bus.answer_action(RUN_PROGRAM, world.run)
    for action in (ACHIEVE, IMPLEMENT, TRAIN):
        bus.answer_action(action, killed)
    start(kind, bus, run, **parameters)
    return bus


def implement(method: Method) -> Implement:
    sub_action = SubAction(name="dig", method=method, success=LOG)
    return Implement(task=TASK, sub_action=sub_action, before=[], history=[])


def test_the_planner_comes_to_the_plan_that_it_had(tmp_path: Path):
    model = Model(plan_0=PlanAnswer(subtasks=[]), plan_1=PLAN)
    for repairs in (1, 0):
        bus = life(Planner, model, tmp_path, repairs=repairs)
        with pytest.raises(Killed):
            bus.run_goal(PURSUE, "goal", PursueGoal(task=TASK, limits=LIMITS))
    assert model.asked == ["plan-0", "plan-1"] * 2


def test_the_planner_comes_to_the_condition_that_it_had(tmp_path: Path):
    wrong = GoalAnswer(success=Condition(kind="have", name="unobtainium"))
    model = Model(goal_0=wrong, goal_1=GoalAnswer(success=LOG), plan_0=PLAN)
    for repairs in (1, 0):
        bus = life(Planner, model, tmp_path, repairs=repairs)
        with pytest.raises(Killed):
            bus.run_goal(PURSUE, "goal", PursueGoal(task=IN_WORDS, limits=LIMITS))
    assert model.asked == ["goal-0", "goal-1", "plan-0"] * 2


def test_the_slow_agent_comes_to_the_decomposition_that_it_had(tmp_path: Path):
    empty, right = DecomposeAnswer(sub_actions=[]), DecomposeAnswer(sub_actions=[HARVEST])
    model = Model(decompose_0=empty, decompose_1=right)
    request = AchieveSubtask(task=TASK, subtask=PLAN.subtasks[0], limits=LIMITS)
    for repairs in (1, 0):
        bus = life(SlowAgent, model, tmp_path, repairs=repairs)
        with pytest.raises(Killed):
            bus.run_goal(ACHIEVE, "goal/0-log", request)
    assert model.asked == ["decompose-0", "decompose-1"] * 2


def test_the_fast_agent_comes_to_the_spec_that_it_trained_on(tmp_path: Path):
    model = Model(spec_0=NO_SPEC, spec_1=SPEC)
    for allowed in ({"repairs": 1}, {"repairs": 0, "most_samples": 100}):
        bus = life(FastAgent, model, tmp_path, **allowed)
        with pytest.raises(Killed):
            bus.run_goal(IMPLEMENT, "goal/dig", implement("rl"))
    assert model.asked == ["spec-0", "spec-1"] * 2


def test_the_fast_agent_comes_to_the_guard_and_its_spec_that_it_trained_on(tmp_path: Path):
    refused = msgspec.structs.replace(GUARD, when=REFUSED)
    model = Model(guard_0=refused, guard_1=GUARD, spec_0=NO_SPEC, spec_1=SPEC)
    stage = Stage(sub_action=HARVEST, program=Program(name="dig", source="attack()", max_steps=9))
    request = MakeGuard(
        task=TASK,
        proposal=GuardProposal(name="flee", when="it is dark", method="rl"),
        sub_actions=[HARVEST],
        stages=[stage],
        samples=1_200,  # of which a longer comparison would leave less than a turn of the guard
    )
    fewer = {"repairs": 0, "most_samples": 100, "guard_episodes": 1_000}
    for allowed in ({"repairs": 1, "guard_episodes": 1}, fewer):
        bus = life(FastAgent, model, tmp_path, **allowed)
        with pytest.raises(Killed):
            bus.run_goal(MAKE_GUARD, "goal/guard-flee", request)
    assert model.asked == ["guard-0", "guard-1", "spec-0", "spec-1"] * 2


@pytest.mark.parametrize("allowed", [{"repairs": 0}, {"required_rate": 0.1}])
def test_the_fast_agent_goes_on_with_the_program_that_it_tried(
    tmp_path: Path, allowed: dict[str, Any]
):
    """What the verdict on the first program was is not asked again either."""
    model = Model(
        program_0=ProgramAnswer(source=SOURCE), program_1=ProgramAnswer(source=f"{SOURCE}# 1")
    )
    judged: list[str] = []
    for parameters in ({"repairs": 1, "required_rate": 0.9}, {"repairs": 1, **allowed}):
        bus = life(FastAgent, model, tmp_path, **parameters)

        def judge(evidence: Any) -> Verdict:
            judged.append(evidence.id.rpartition("/")[2])
            if judged[-1] != "judge-0":
                raise Killed
            return Verdict(success=evidence.required_rate < 0.5, success_rate=0.5, reason="Seen.")

        bus.answer(JUDGE, judge)
        with pytest.raises(Killed):
            bus.run_goal(IMPLEMENT, "goal/dig", implement("code"))
    assert model.asked == ["program-0", "program-1"] * 2
    assert judged == ["judge-0", "judge-1", "judge-1"]


def test_the_fast_agent_goes_on_after_the_program_that_was_refused(tmp_path: Path):
    model = Model(program_0=ProgramAnswer(source=REFUSED), program_1=ProgramAnswer(source=SOURCE))
    for refusals in (1, 0):
        bus = life(FastAgent, model, tmp_path, refusals=refusals)
        bus.answer(JUDGE, killed)
        with pytest.raises(Killed):
            bus.run_goal(IMPLEMENT, "goal/dig", implement("code"))
    assert model.asked == ["program-0", "program-1"] * 2
