"""A goal of several subtasks: practised from where the plan begins them, then performed."""

import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.bus import GoalHandle
from messages.chat import ASK, Answered, Ask, PlanAnswer, PlanQuestion
from messages.plan import (
    ACHIEVE,
    PERFORM,
    PURSUE,
    AchieveSubtask,
    GoalReport,
    Iteration,
    Limits,
    Perform,
    Performed,
    PerformedEpisode,
    PursueGoal,
    Samples,
    Subtask,
    SubtaskReport,
)
from messages.world import (
    Condition,
    Task,
)
from nodes.config import ConfigError
from nodes.fast_agent.fast_agent import FastAgent
from nodes.planner.planner import Planner
from nodes.testing import MockBus, start
from tests.agent_stack import RunGoal, stack
from tests.agents.craft_world import STEPS, CraftWorld
from tests.agents.performances import STICK, TASK, stages_for
from tests.bus_processes import PATIENCE
from worlds.minecraft.card.planning import PLANNING


def iteration(subtask: Subtask, rate: float) -> Iteration:
    return Iteration(
        subtask=subtask.name,
        number=0,
        lines=[],
        stages=stages_for(subtask),
        success_rate=rate,
        episodes=30,
        samples=Samples(training=1000),
        seconds=1.0,
    )


class Below:
    """The slow agent, the fast agent and the language model, as the planner meets them."""

    def __init__(self, rates: dict[str, float] | None = None) -> None:
        self.rates = rates or {}
        self.left: dict[str, dict[str, int]] = {}  # what a subtask really leaves
        self.asked: list[PlanQuestion] = []
        self.plans: list[list[Subtask]] = []  # before the right one
        self.achieved: list[AchieveSubtask] = []
        self.performed: list[Perform] = []

    def bus(self) -> MockBus:
        bus = MockBus("planner")
        bus.answer(ASK, self.answer)
        bus.answer_action(ACHIEVE, self.achieve)
        bus.answer_action(PERFORM, self.perform)
        return bus

    def answer(self, request: Ask) -> Answered:
        assert isinstance(request.question, PlanQuestion)
        self.asked.append(request.question)
        task = request.question.task
        plan = self.plans.pop(0) if self.plans else PLANNING.plan_for(task.success, task.inventory)
        answer = msgspec.json.encode(PlanAnswer(subtasks=plan)).decode()
        return Answered(id=request.id, answer=answer, model="test")

    def achieve(self, goal: GoalHandle[AchieveSubtask, Iteration]) -> SubtaskReport:
        self.achieved.append(goal.request)
        subtask = goal.request.subtask
        rate = self.rates.get(subtask.success.name, 1.0)
        turn = msgspec.structs.replace(
            iteration(subtask, rate), left=self.left.get(subtask.success.name, {})
        )
        return SubtaskReport(iterations=[turn], success=rate >= 0.9, reason="seen", chosen=0)

    def perform(self, goal: GoalHandle[Perform, Any]) -> Performed:
        self.performed.append(goal.request)
        episode = PerformedEpisode(environment=0, seed=0, success=True, steps=5, ended="success")
        return Performed(success_rate=1.0, episodes=[episode], milestones={}, steps=5)


def pursue(bus: MockBus, task: Task, **limits: Any) -> GoalReport:
    return bus.run_goal(PURSUE, "demo", PursueGoal(task=task, limits=Limits(**limits)))


def test_subtasks_begin_with_the_planned_items_and_a_share_of_the_samples(tmp_path: Path):
    below = Below()
    bus = below.bus()
    start(Planner, bus, tmp_path)
    report = pursue(bus, TASK, samples=100_000)
    assert report.success
    assert report.performance is not None
    assert [(each.subtask.success.name, each.start) for each in below.achieved] == [
        ("log", {}),
        ("planks", {"log": 1}),
        ("stick", {"planks": 4}),
    ]
    # Samples are the whole goal's. What 30 episodes may take is kept back for the performance; of
    # the rest each has its share of what is left, so that none starves those after it.
    assert [each.limits.samples for each in below.achieved] == [23_333, 34_500, 68_000]
    # A validation leaves that alone.
    assert [each.validation for each in below.performed] == [0, None]
    assert [each.samples for each in below.performed] == [67_000, 96_995]
    assert [each.subtask.success.name for each in below.performed[0].subtasks] == [
        "log",
        "planks",
        "stick",
    ]


@pytest.mark.parametrize(
    ("before_the_end", "success"),
    [(["log", "planks"], True), (["log", "log", "planks"], True), (["log"], False)],
    ids=["the rest is right", "one comes twice", "the rest is wrong, too"],
)
def test_a_plan_of_which_a_repetition_or_the_end_stays_wrong_goes_on_without_it(
    tmp_path: Path, before_the_end: list[str], success: bool
):
    """After the last repair, and only where it can then be carried out."""
    below = Below()
    steps = [
        Subtask(name=f"get {name}", success=Condition(kind="have", name=name))
        for name in before_the_end
    ]
    end = Subtask(name="hold a stick", success=Condition(kind="facing", name="wood"))
    below.plans = [[*steps, end] for _ in range(2)]
    bus = below.bus()
    start(Planner, bus, tmp_path, repairs=1)
    report = pursue(bus, TASK)
    assert len(below.asked) == 2
    assert report.success == success
    if success:
        assert [each.subtask.success.name for each in below.achieved] == ["log", "planks", "stick"]
    else:
        assert not below.achieved


def test_the_rest_is_planned_again_from_what_a_subtask_really_left(tmp_path: Path):
    """The table was left standing: the next subtask that works at one is not begun without."""
    below = Below()
    below.left = {"planks": {"planks": 12}, "wooden_pickaxe": {"wooden_pickaxe": 1, "planks": 4}}
    bus = below.bus()
    start(Planner, bus, tmp_path)
    task = Task(id="s", prompt="", success=Condition(kind="have", name="stone_pickaxe"))
    report = pursue(bus, task)
    assert len(below.asked) == 2  # planks were left as expected: nothing was asked then
    assert below.asked[1].inventory == {"wooden_pickaxe": 1, "planks": 4}
    assert any("needs a crafting_table" in said for said in below.asked[1].problems)
    # What was practised already is not practised again, but it is in what comes to be expected.
    names = [each.subtask.success.name for each in below.achieved]
    assert len(set(names)) == len(names)
    assert names[-2:] == ["cobblestone", "stone_pickaxe"]
    assert below.achieved[-1].start["crafting_table"] == 1
    assert below.achieved[-1].start["cobblestone"] == 3
    assert [each.name for each in report.subtasks] == [each.subtask.name for each in below.achieved]
    assert report.success


def test_a_wrong_plan_goes_back_with_the_reasons(tmp_path: Path):
    below = Below()
    stick = Subtask(name="craft stick", success=STICK)
    below.plans = [[stick]]
    bus = below.bus()
    start(Planner, bus, tmp_path)
    assert pursue(bus, TASK).success
    assert "uses up 2 planks" in below.asked[1].problems[0]


def test_a_goal_of_one_subtask_is_not_performed(tmp_path: Path):
    below = Below()
    bus = below.bus()
    start(Planner, bus, tmp_path)
    log = msgspec.structs.replace(TASK, success=Condition(kind="have", name="log"))
    report = pursue(bus, log)
    assert report.success
    assert report.performance is None
    assert not below.performed


def test_without_planning_a_goal_that_the_rules_cannot_plan_is_accepted(tmp_path: Path):
    below = Below()
    bus = below.bus()
    start(Planner, bus, tmp_path, plan=False)
    bedrock = msgspec.structs.replace(TASK, success=Condition(kind="have", name="bedrock"))
    assert pursue(bus, bedrock).success
    assert not below.asked


@pytest.mark.parametrize(
    "goal",
    [Condition(kind="have", name="chorus_plant"), Condition(kind="in_biome", name="nether")],
)
def test_a_plan_to_what_the_rules_know_no_way_to_is_practised_and_performed(
    tmp_path: Path, goal: Condition
):
    """How the goal itself is reached is for the agents to find; the rest is checked as ever."""
    below = Below()
    last = Subtask(name="get there", success=goal)
    below.plans = [[Subtask(name="get sticks", success=STICK), last]]
    below.plans.append([*PLANNING.plan_for(STICK, {}), last])
    bus = below.bus()
    start(Planner, bus, tmp_path)
    report = pursue(bus, msgspec.structs.replace(TASK, success=goal))
    assert [len(each.problems) for each in below.asked] == [0, 1]
    assert report.success, report.reason
    assert [each.subtask.success for each in below.performed[0].subtasks][-1] == goal


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (Planner, {"repairs": -1}),
        (FastAgent, {"repairs": -1}),
        (FastAgent, {"evaluation_episodes": 0}),
        (FastAgent, {"required_rate": 90}),
        (FastAgent, {"tries": 0}),
    ],
)
def test_parameters_out_of_range_are_refused_at_the_start(
    tmp_path: Path, kind: type[Planner | FastAgent], wrong: dict[str, Any]
):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        start(kind, MockBus(kind.name), tmp_path, **wrong)


def test_a_subtask_that_worked_sometimes_is_kept_and_one_that_never_did_ends_the_goal(
    tmp_path: Path,
):
    poor, hopeless = Below({"planks": 0.4}), Below({"planks": 0.0})
    for number, below in enumerate((poor, hopeless)):
        bus = below.bus()
        start(Planner, bus, tmp_path / str(number))
        report = pursue(bus, TASK)
        assert report.success == (below is poor)
    assert [each.validation for each in poor.performed] == [0, None]
    assert not hopeless.performed
    assert len(hopeless.achieved) == 2
    assert "craft 2 planks: no iteration of it worked in any episode" in report.reason


def spent_on_planks(below: Below, rates: list[float]) -> Any:
    """A slow agent that spends all its samples on planks, with these rates one after the other."""

    def achieve(goal: GoalHandle[AchieveSubtask, Iteration]) -> SubtaskReport:
        report = below.achieve(goal)
        if goal.request.subtask.success.name != "planks":
            return report
        (turn,) = report.iterations
        number = len(goal.request.history)
        samples = Samples(training=goal.request.limits.samples)
        turn = msgspec.structs.replace(
            turn, number=number, success_rate=rates[number], samples=samples
        )
        return SubtaskReport(iterations=[turn], success=False, reason="spent", chosen=number)

    return achieve


def test_a_subtask_that_never_worked_takes_the_samples_that_nothing_else_could_use(tmp_path: Path):
    below = Below()
    bus = below.bus()
    bus.answer_action(ACHIEVE, spent_on_planks(below, [0.0, 0.5]))
    start(Planner, bus, tmp_path)
    report = pursue(bus, TASK, samples=400_000)
    practised = [each for each in below.achieved if each.subtask.success.name == "planks"]
    # A third of 370,000 and half of the rest; then all but what the stick's iteration may take.
    assert [each.limits.samples for each in practised] == [184_500, 370_000 - 185_500 - 40_000]
    assert [len(each.history) for each in practised] == [0, 1]
    assert below.achieved[-1].limits.samples == 40_000
    assert report.success
    assert report.chosen["craft 2 planks"] == 1


def test_a_subtask_that_never_worked_and_has_no_iterations_left_takes_no_more_samples(
    tmp_path: Path,
):
    below = Below()
    bus = below.bus()
    bus.answer_action(ACHIEVE, spent_on_planks(below, [0.0, 0.5]))
    start(Planner, bus, tmp_path)
    report = pursue(bus, TASK, samples=400_000, iterations=1)
    assert [each.subtask.success.name for each in below.achieved] == ["log", "planks"]
    assert "no iteration of it worked in any episode" in report.reason


def test_an_iteration_that_worked_replaces_a_chosen_one_that_never_did(
    tmp_path: Path,
):
    below = Below()
    bus = below.bus()

    def achieve(goal: GoalHandle[AchieveSubtask, Iteration]) -> SubtaskReport:
        report = below.achieve(goal)
        (turn,) = report.iterations
        if goal.request.subtask.success.name != "planks":
            return report
        rates = [1 / 30, 2 / 30, 0.0]
        turns = [
            msgspec.structs.replace(turn, number=number, success_rate=rate)
            for number, rate in enumerate(rates)
        ]
        return SubtaskReport(iterations=turns, success=False, reason="spent", chosen=2)

    bus.answer_action(ACHIEVE, achieve)
    start(Planner, bus, tmp_path)
    report = pursue(bus, TASK)
    assert report.success
    assert report.chosen["craft 2 planks"] == 1


def test_samples_that_are_too_few_for_one_episode_are_refused_in_a_sentence(tmp_path: Path):
    below = Below()
    bus = below.bus()
    start(Planner, bus, tmp_path)
    report = pursue(bus, TASK, samples=1_999)
    assert not report.success
    assert not below.achieved
    assert report.reason == (
        "limits.samples is 1,999, and trying and evaluating one episode of this task may take "
        "2,000: raise it."
    )


def test_too_small_a_share_of_the_samples_is_told_with_its_reason(
    tmp_path: Path,
):
    below = Below()
    bus = below.bus()
    start(Planner, bus, tmp_path)
    report = pursue(bus, TASK, samples=10_000)
    assert not report.success
    assert not below.achieved
    assert report.reason == (
        "harvest 1 log: 833 samples are its share, and trying and evaluating one episode may take "
        "2,000. Of all 10,000, 0 are spent and 7,500 are kept back for the performance: raise "
        "limits.samples."
    )


def test_a_performance_cut_short_by_its_samples_is_no_success(tmp_path: Path):
    below = Below()
    bus = below.bus()

    def perform(goal: GoalHandle[Perform, Any]) -> Performed:
        return msgspec.structs.replace(below.perform(goal), cut=goal.request.validation is None)

    bus.answer_action(PERFORM, perform)
    start(Planner, bus, tmp_path)
    report = pursue(bus, TASK)
    assert not report.success
    assert report.reason.endswith("The samples were not enough for the other episodes.")


def test_a_restarted_planner_remembers_finished_subtasks(tmp_path: Path):
    below = Below()
    achieve = below.achieve

    class Killed(Exception):
        pass

    def dies_at_the_last(goal: GoalHandle[AchieveSubtask, Iteration]) -> SubtaskReport:
        if goal.request.subtask.success.name == "stick":
            raise Killed
        return achieve(goal)

    bus = below.bus()
    bus.answer_action(ACHIEVE, dies_at_the_last)
    start(Planner, bus, tmp_path)
    with pytest.raises(Killed):
        pursue(bus, TASK)
    # A new life, and a slow agent that remembers nothing.
    bus = below.bus()
    start(Planner, bus, tmp_path)
    assert pursue(bus, TASK).success
    assert [each.subtask.success.name for each in below.achieved] == ["log", "planks", "stick"]


# All agents, as processes


@pytest.mark.parametrize("last", ["perform", "validate-0"])
@pytest.mark.parametrize("name", ["", "planner", "fast_agent", "slow_agent"])
def test_a_goal_is_performed_whichever_node_is_killed(run_folder: Path, name: str, last: str):
    """kill -9 while the whole is performed: no finished subtask is done again, no sample lost."""
    with stack(run_folder, world=CraftWorld) as agents:
        world = agents.world
        assert isinstance(world, CraftWorld)
        killed = threading.Event()

        def before_run(goal: RunGoal) -> None:
            if name and f"/{last}/" in goal.id and "craft" in goal.id and not killed.is_set():
                killed.set()
                agents.agents[name].kill()
                agents.agents[name].start()

        world.before_run = before_run
        goal = PursueGoal(task=TASK, limits=Limits())
        report = agents.bus.run_goal(PURSUE, "demo", goal, timeout=PATIENCE)
        assert report.success, report.reason
        assert killed.is_set() == bool(name)
        assert [each.subtask for each in report.iterations] == [
            "harvest 1 log",
            "craft 2 planks",
            "craft 1 stick",
        ]
        # Each was tried on 2 episodes and evaluated on 3, and performed on 3, twice.
        assert [each.samples.trial for each in report.iterations] == [2 * STEPS] * 3
        assert [each.samples.evaluation for each in report.iterations] == [3 * STEPS] * 3
        assert report.performance is not None
        performed = [*report.validations, report.performance]
        assert [each.steps for each in performed] == [3 * 3 * STEPS] * 2
        practised = [
            session
            for session, *_ in world.inventories.ran
            if not {"perform", "validate-0"} & set(session.split("/"))
        ]
        assert len(practised) == 3 * 2  # a tryout and an evaluation each, whatever happened
        starts = {r.session.split("/")[1]: r.task.inventory for r in agents.world.opened}
        assert starts["1-craft-2-planks"] == {"log": 1}
        assert starts["2-craft-1-stick"] == {"planks": 4}
