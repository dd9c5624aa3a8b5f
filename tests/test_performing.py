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
    Practised,
    PursueGoal,
    Samples,
    Stage,
    SubAction,
    Subtask,
    SubtaskReport,
)
from messages.program import Program
from messages.training import ACT, Acted, Policy
from messages.world import (
    CLOSE,
    LOOK,
    OPEN,
    RUN_PROGRAM,
    Condition,
    Looked,
    SessionName,
    Task,
)
from nodes.config import ConfigError
from nodes.fast_agent.fast_agent import FastAgent
from nodes.planner.planner import Planner
from nodes.testing import MockBus, start
from tests.agent_stack import RunGoal, stack
from tests.bus_processes import PATIENCE
from tests.craft_world import STEPS, CraftWorld, Inventories
from worlds.minecraft.card.planning import PLANNING

STICK = Condition(kind="have", name="stick")
TASK = Task(id="stick", prompt="Craft a stick.", success=STICK, horizon=1000)


def stages_for(subtask: Subtask) -> list[Stage]:
    """A program that brings it."""
    item, quantity = subtask.success.name, subtask.success.quantity
    source = f'ITEM = "{item}"\nQUANTITY = {quantity}\n'
    return [
        Stage(
            sub_action=SubAction(name=f"get {item}", method="code", success=subtask.success),
            program=Program(name="get", source=source),
        )
    ]


def practised(task: Task) -> list[Practised]:
    return [
        Practised(subtask=subtask, stages=stages_for(subtask))
        for subtask in PLANNING.plan_for(task.success, task.inventory)
    ]


def performing(tmp_path: Path, **parameters: Any) -> tuple[MockBus, Inventories]:
    world, bus = Inventories(), MockBus("fast_agent")
    bus.answer(OPEN, world.open)
    bus.answer(LOOK, world.look)
    bus.answer(CLOSE, world.close)
    bus.answer_action(RUN_PROGRAM, world.run)
    start(FastAgent, bus, tmp_path, evaluation_episodes=4, **parameters)
    return bus, world


def perform(bus: MockBus, task: Task = TASK) -> Performed:
    return bus.run_goal(PERFORM, "demo/perform", Perform(task=task, subtasks=practised(task)))


def test_all_go_through_the_plan_together(tmp_path: Path):
    bus, world = performing(tmp_path)
    performed = perform(bus)
    assert performed.success_rate == 1.0
    assert performed.milestones == {"log": 4, "planks": 4, "stick": 4}
    assert [(item, rows) for _, item, rows, _ in world.ran] == [
        (item, [0, 1, 2, 3]) for item in ("log", "planks", "stick")
    ]
    assert all(begins for *_, begins in world.ran)
    assert performed.steps == 3 * 4 * STEPS
    assert {each.ended for each in performed.episodes} == {"success"}
    assert not world.sessions


def test_who_lags_behind_catches_up_while_the_others_stand_still(tmp_path: Path):
    bus, world = performing(tmp_path)
    world.fails = lambda row, item, number: row == 2 and item == "log" and number < 2
    performed = perform(bus)
    assert performed.success_rate == 1.0
    assert [rows for _, item, rows, _ in world.ran if item == "log"] == [[0, 1, 2, 3], [2], [2]]
    assert [rows for _, item, rows, _ in world.ran if item == "planks"] == [[0, 1, 2, 3]]
    assert [each.steps for each in performed.episodes] == [30, 30, 50, 30]


def test_what_never_works_is_given_up_and_the_others_go_on(tmp_path: Path):
    bus, world = performing(tmp_path, tries=3)
    world.fails = lambda row, item, number: row == 1 and item == "planks"
    performed = perform(bus)
    assert performed.success_rate == 0.75
    stuck = performed.episodes[1]
    assert (stuck.ended, stuck.subtask, stuck.success) == ("gave_up", "craft 2 planks", False)
    assert stuck.reason == "3 tries at planks"
    assert stuck.gained == ["log"]
    assert performed.milestones == {"log": 4, "planks": 3, "stick": 3}


def test_the_rest_is_planned_from_each_episodes_own_inventory(tmp_path: Path):
    """What was lost is got again; what is there already is not."""
    bus, world = performing(tmp_path)

    def happens(row: int, item: str, number: int) -> bool:
        if row == 0 and item == "stick" and number == 0:
            world.sessions["demo/perform/episodes/play-0"][0] = {}  # all is lost
            return True
        return False

    world.fails = happens
    performed = perform(bus)
    assert performed.success_rate == 1.0
    rows = {item: [r for _, i, r, _ in world.ran if i == item] for item in ("log", "stick")}
    assert rows["log"] == [[0, 1, 2, 3], [0]]
    assert performed.episodes[0].steps == 60
    table = Task(id="t", prompt="", success=Condition(kind="have", name="crafting_table"))
    rich = msgspec.structs.replace(table, inventory={"log": 3})
    bus, world = performing(tmp_path / "rich")
    assert perform(bus, rich).success_rate == 1.0
    assert [item for _, item, _, _ in world.ran] == ["planks", "crafting_table"]


def loses_all(world: Inventories, row: int) -> bool:
    world.sessions["demo/perform/episodes/play-0"][row] = {}
    return True


def test_tries_count_in_a_row_at_one_subtask(tmp_path: Path):
    bus, world = performing(tmp_path, tries=2)

    def fails(row: int, item: str, number: int) -> bool:
        if item == "stick":
            return row == 0 and number == 0 and loses_all(world, row)
        # The log is got at once, and again after all was lost, but then not at the first try.
        return row == 0 and (item, number) in {("log", 1), ("planks", 1)}

    world.fails = fails
    assert perform(bus).success_rate == 1.0


def test_who_gets_no_further_is_given_up_however_much_the_tries_bring(tmp_path: Path):
    bus, world = performing(tmp_path, tries=2, most_tries=3)
    world.fails = lambda row, item, number: row == 0 and item == "stick" and loses_all(world, row)
    performed = perform(bus)
    assert performed.success_rate == 0.75
    assert performed.episodes[0].reason == "3 tries at log"


@pytest.mark.parametrize(("replans", "rate"), [(2, 0.75), (3, 1.0)])
def test_plans_after_fruitless_tries_are_counted_over_the_episode(
    tmp_path: Path, replans: int, rate: float
):
    bus, world = performing(tmp_path, replans=replans)
    fruitless = {("planks", 0), ("planks", 1), ("stick", 0)}
    world.fails = lambda row, item, number: row == 1 and (item, number) in fruitless
    performed = perform(bus)
    assert performed.success_rate == rate
    assert performed.episodes[1].reason == ("2 plans after the first" if rate < 1.0 else "")


def test_a_table_that_stands_there_is_used_until_that_fails(tmp_path: Path):
    bus, world = performing(tmp_path)

    def look(request: SessionName) -> Looked:
        first, *rest = world.look(request).episodes
        beside = msgspec.structs.replace(first.after, around={"crafting table": 1})
        return Looked(episodes=[msgspec.structs.replace(first, after=beside), *rest])

    bus.answer(LOOK, look)
    pickaxe = Task(
        id="pickaxe",
        prompt="",
        success=Condition(kind="have", name="wooden_pickaxe"),
        inventory={"planks": 7, "stick": 2},
    )
    assert perform(bus, pickaxe).success_rate == 1.0
    assert [(item, rows) for _, item, rows, _ in world.ran] == [
        ("crafting_table", [1, 2, 3]),
        ("wooden_pickaxe", [0, 1, 2, 3]),
        ("crafting_table", [0]),
        ("wooden_pickaxe", [0]),
    ]


def test_what_no_subtask_gets_is_said(tmp_path: Path):
    bus, world = performing(tmp_path)
    subtasks = practised(TASK)[1:]  # nobody has learned to get logs
    performed = bus.run_goal(PERFORM, "demo/perform", Perform(task=TASK, subtasks=subtasks))
    assert performed.success_rate == 0.0
    assert {each.reason for each in performed.episodes} == {
        "it needs log, which no practised subtask gets"
    }
    assert not world.ran


def test_what_an_episode_lost_was_lost_by_the_subtask_before(tmp_path: Path):
    """And how it stood then is told."""
    bus, world = performing(tmp_path)

    def happens(row: int, item: str, number: int) -> bool:
        if row == 0 and item == "stick":
            world.sessions["demo/perform/episodes/play-0"][0] = {}  # all is lost
            return True
        return False

    world.fails = happens
    subtasks = practised(msgspec.structs.replace(TASK, inventory={"log": 1}))
    task = msgspec.structs.replace(TASK, inventory={"log": 1})
    performed = bus.run_goal(PERFORM, "demo/perform", Perform(task=task, subtasks=subtasks))
    lost, well = performed.episodes[0], performed.episodes[1]
    assert lost.reason == "it needs log, which no practised subtask gets"
    assert lost.stood_at == STICK
    assert lost.came_to is not None
    assert lost.came_to.after.inventory == {}
    assert (well.stood_at, well.came_to) == (None, None)


def test_a_performance_takes_no_more_than_it_may(tmp_path: Path):
    """Two episodes fit in any case, and so do the others with what those left over."""
    for samples, sizes in ((2_999, [2, 2]), (1_050, [1, 1]), (999, [])):
        bus, world = performing(tmp_path / str(samples))
        asked = Perform(task=TASK, subtasks=practised(TASK), samples=samples)
        performed = bus.run_goal(PERFORM, "demo/perform", asked)
        assert [request.size for request in world.requests.values()] == sizes
        assert performed.cut == (sum(sizes) < 4)
        assert [each.environment for each in performed.episodes] == list(range(sum(sizes)))
        assert performed.steps == sum(sizes) * 3 * STEPS <= samples
        assert performed.milestones["stick"] == sum(sizes)
        starts = [request.seeds.first - 950_000 for request in world.requests.values()]
        assert starts == [sum(sizes[:number]) for number in range(len(sizes))]


def test_a_policys_own_horizon_is_no_failed_try(tmp_path: Path):
    """It is its training's: the episode goes on to the end of its own."""
    bus, world = performing(tmp_path, tries=2, most_tries=3)
    bus.answer_action(ACT, lambda goal: Acted(steps=0, late=[1]))
    world.fails = lambda row, item, number: row in (1, 2) and item == "planks"
    subtasks = practised(TASK)
    learned = Stage(
        sub_action=SubAction(name="learn", method="rl", success=STICK),
        policy=Policy(id="p", checkpoint="p"),
    )
    slow = msgspec.structs.replace(subtasks[1], stages=[*subtasks[1].stages, learned])
    asked = Perform(task=TASK, subtasks=[subtasks[0], slow, subtasks[2]])
    performed = bus.run_goal(PERFORM, "demo/perform", asked)
    assert [each.ended for each in performed.episodes] == [
        "success", "horizon", "gave_up", "success",
    ]  # fmt: skip
    assert performed.episodes[1].steps == TASK.horizon
    assert performed.episodes[2].reason == "2 tries at planks"


def test_the_horizon_ends_it(tmp_path: Path):
    bus, _ = performing(tmp_path)
    performed = perform(bus, msgspec.structs.replace(TASK, horizon=20))
    assert {each.ended for each in performed.episodes} == {"horizon"}


def test_a_performance_whose_session_was_lost_starts_over(tmp_path: Path):
    bus, world = performing(tmp_path)

    ran = world.run

    def run(goal: GoalHandle[Any, Any]) -> Any:
        if goal.id.startswith("demo/perform/episodes/play-0/1-"):
            world.sessions.clear()  # the env server was restarted
        return ran(goal)

    bus.answer_action(RUN_PROGRAM, run)
    performed = perform(bus)
    assert performed.success_rate == 1.0
    assert performed.steps == 3 * 4 * STEPS  # what the lost attempt had spent is not counted
    assert {session for session, *_ in world.ran} == {
        "demo/perform/episodes/play-0",
        "demo/perform/episodes/play-1",
    }


# The planner


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


def test_subtasks_begin_with_what_the_plan_expects(tmp_path: Path):
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
    assert below.performed[0].samples == 97_000
    assert [each.subtask.success.name for each in below.performed[0].subtasks] == [
        "log",
        "planks",
        "stick",
    ]


def test_the_rest_is_planned_anew_from_what_a_subtask_really_left(tmp_path: Path):
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


def test_a_goal_that_is_not_planned_may_be_one_that_the_rules_know_no_way_to(tmp_path: Path):
    below = Below()
    bus = below.bus()
    start(Planner, bus, tmp_path, plan=False)
    bedrock = msgspec.structs.replace(TASK, success=Condition(kind="have", name="bedrock"))
    assert pursue(bus, bedrock).success
    assert not below.asked


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
def test_parameters_that_would_do_nothing_are_refused(
    tmp_path: Path, kind: type[Planner | FastAgent], wrong: dict[str, Any]
):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        start(kind, MockBus(kind.name), tmp_path, **wrong)


def test_a_poor_subtask_is_gone_on_with_and_a_hopeless_one_ends_the_goal(tmp_path: Path):
    poor, hopeless = Below({"planks": 0.4}), Below({"planks": 0.0})
    for number, below in enumerate((poor, hopeless)):
        bus = below.bus()
        start(Planner, bus, tmp_path / str(number))
        report = pursue(bus, TASK)
        assert report.success == (below is poor)
    assert len(poor.performed) == 1
    assert not hopeless.performed
    assert len(hopeless.achieved) == 2
    assert "craft 2 planks: no iteration of it worked in any episode" in report.reason


def test_an_iteration_that_worked_in_no_episode_gives_way_to_one_that_did(tmp_path: Path):
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


def test_a_performance_that_the_samples_cut_short_reaches_nothing(tmp_path: Path):
    below = Below()
    bus = below.bus()
    bus.answer_action(PERFORM, lambda goal: msgspec.structs.replace(below.perform(goal), cut=True))
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


@pytest.mark.parametrize("name", ["", "planner", "fast_agent", "slow_agent"])
def test_a_goal_is_performed_whoever_is_killed(run_folder: Path, name: str):
    """kill -9 while the whole is performed: no finished subtask is done again, no sample lost."""
    with stack(run_folder, world=CraftWorld) as agents:
        world = agents.world
        assert isinstance(world, CraftWorld)
        killed = threading.Event()

        def before_run(goal: RunGoal) -> None:
            if name and "/perform/" in goal.id and "craft" in goal.id and not killed.is_set():
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
        # Each was tried on 2 episodes and evaluated on 3, and performed on 3: once.
        assert [each.samples.trial for each in report.iterations] == [2 * STEPS] * 3
        assert [each.samples.evaluation for each in report.iterations] == [3 * STEPS] * 3
        assert report.performance is not None
        assert report.performance.steps == 3 * 3 * STEPS
        practised = [session for session, *_ in world.inventories.ran if "/perform" not in session]
        assert len(practised) == 3 * 2  # a tryout and an evaluation each, whatever happened
        starts = {r.session.split("/")[1]: r.task.inventory for r in agents.world.opened}
        assert starts["1-craft-2-planks"] == {"log": 1}
        assert starts["2-craft-1-stick"] == {"planks": 4}
