"""A plan is performed as a whole, from the task's own start: the fast agent's part."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.bus import GoalHandle, ServiceError
from messages.plan import (
    EVALUATE,
    PERFORM,
    Evaluate,
    Perform,
    Performed,
    Practised,
    Stage,
    SubAction,
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
    ProgramRan,
    SeedRange,
    SessionName,
    Task,
)
from nodes.fast_agent.fast_agent import FastAgent
from nodes.fast_agent.playing.seeds import performance_seeds, validation_seeds
from nodes.testing import MockBus, start
from tests.agents.craft_world import STEPS, Inventories
from tests.agents.performances import STICK, TASK, stages_for
from worlds.minecraft.card.planning import PLANNING


def practised_all(task: Task) -> list[Practised]:
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
    return bus.run_goal(PERFORM, "demo/perform", Perform(task=task, subtasks=practised_all(task)))


def test_all_environments_go_through_the_plan_together(tmp_path: Path):
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


def test_environments_that_lag_behind_catch_up_while_the_others_stand_still(tmp_path: Path):
    bus, world = performing(tmp_path)
    world.fails = lambda row, item, number: row == 2 and item == "log" and number < 2
    performed = perform(bus)
    assert performed.success_rate == 1.0
    assert [rows for _, item, rows, _ in world.ran if item == "log"] == [[0, 1, 2, 3], [2], [2]]
    assert [rows for _, item, rows, _ in world.ran if item == "planks"] == [[0, 1, 2, 3]]
    assert [each.steps for each in performed.episodes] == [30, 30, 50, 30]


def test_an_environment_whose_subtask_never_works_gives_up_and_the_others_go_on(tmp_path: Path):
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


@pytest.mark.parametrize(
    ("planned", "performed"),
    [
        (
            ["planks", "crafting_table", "stick", "wooden_pickaxe"],
            ["planks", "crafting_table", "stick", "wooden_pickaxe"],
        ),
        (
            ["planks", "stick", "crafting_table", "wooden_pickaxe"],
            ["planks", "stick", "crafting_table", "wooden_pickaxe"],
        ),
        (  # nothing is begun before what it needs is held
            ["wooden_pickaxe", "crafting_table", "stick", "planks"],
            ["planks", "crafting_table", "stick", "wooden_pickaxe"],
        ),
    ],
    ids=["table first", "sticks first", "impossible"],
)
def test_subtasks_are_performed_in_the_planners_order_as_far_as_items_allow(
    tmp_path: Path, planned: list[str], performed: list[str]
):
    bus, world = performing(tmp_path)
    pickaxe = Condition(kind="have", name="wooden_pickaxe")
    task = Task(id="pickaxe", prompt="", success=pickaxe, inventory={"log": 3})
    known = {each.subtask.success.name: each for each in practised_all(task)}
    goal = Perform(task=task, subtasks=[known[item] for item in planned])
    assert bus.run_goal(PERFORM, "demo/perform", goal).success_rate == 1.0
    assert [item for _, item, _, _ in world.ran] == performed


def loses_all(world: Inventories, row: int) -> bool:
    world.sessions["demo/perform/episodes/play-0"][row] = {}
    return True


def test_tries_are_counted_in_a_row_at_one_subtask(tmp_path: Path):
    bus, world = performing(tmp_path, tries=2)

    def fails(row: int, item: str, number: int) -> bool:
        if item == "stick":
            return row == 0 and number == 0 and loses_all(world, row)
        # The log is got at once, and again after all was lost, but then not at the first try.
        return row == 0 and (item, number) in {("log", 1), ("planks", 1)}

    world.fails = fails
    assert perform(bus).success_rate == 1.0


def test_an_environment_that_loses_what_it_gains_gives_up_after_the_most_tries(tmp_path: Path):
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


def test_a_crafting_table_in_view_is_used_and_made_again_where_that_fails(tmp_path: Path):
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


def test_an_item_that_no_subtask_gets_is_reported(tmp_path: Path):
    bus, world = performing(tmp_path)
    subtasks = practised_all(TASK)[1:]  # getting logs was not learned
    performed = bus.run_goal(PERFORM, "demo/perform", Perform(task=TASK, subtasks=subtasks))
    assert performed.success_rate == 0.0
    assert {each.reason for each in performed.episodes} == {
        "it needs log, which no practised subtask gets"
    }
    assert not world.ran


def test_an_episode_that_lost_its_items_ends_at_the_subtask_that_lost_them(tmp_path: Path):
    """And its state then is reported."""
    bus, world = performing(tmp_path)

    def happens(row: int, item: str, number: int) -> bool:
        if row == 0 and item == "stick":
            world.sessions["demo/perform/episodes/play-0"][0] = {}  # all is lost
            return True
        return False

    world.fails = happens
    subtasks = practised_all(msgspec.structs.replace(TASK, inventory={"log": 1}))
    task = msgspec.structs.replace(TASK, inventory={"log": 1})
    performed = bus.run_goal(PERFORM, "demo/perform", Perform(task=task, subtasks=subtasks))
    lost, well = performed.episodes[0], performed.episodes[1]
    assert lost.reason == "it needs log, which no practised subtask gets"
    assert lost.stood_at == STICK
    assert lost.came_to is not None
    assert lost.came_to.after.inventory == {}
    assert (well.stood_at, well.came_to) == (None, None)


def test_a_performance_takes_no_more_than_its_samples(tmp_path: Path):
    """Two episodes fit in any case, and so do the others with what those left over."""
    for samples, sizes in ((2_999, [2, 2]), (1_050, [1, 1]), (999, [])):
        bus, world = performing(tmp_path / str(samples))
        asked = Perform(task=TASK, subtasks=practised_all(TASK), samples=samples)
        performed = bus.run_goal(PERFORM, "demo/perform", asked)
        assert [request.size for request in world.requests.values()] == sizes
        assert performed.cut == (sum(sizes) < 4)
        assert [each.environment for each in performed.episodes] == list(range(sum(sizes)))
        assert performed.steps == sum(sizes) * 3 * STEPS <= samples
        assert performed.milestones["stick"] == sum(sizes)
        starts = [request.seeds.first - 962_500 for request in world.requests.values()]
        assert starts == [sum(sizes[:number]) for number in range(len(sizes))]


def test_an_evaluation_plays_on_with_what_its_first_episodes_left_over(tmp_path: Path):
    """A program may take more steps than an episode has."""
    stage = practised_all(TASK)[0].stages[0]
    assert stage.program is not None
    program = msgspec.structs.replace(stage.program, max_steps=5 * TASK.horizon)
    stage = msgspec.structs.replace(stage, program=program)
    for samples, sizes in ((2_999, [2, 2]), (1_009, [1]), (999, [])):
        bus, world = performing(tmp_path / str(samples))

        def run(goal: GoalHandle[Any, Any], world: Inventories = world) -> ProgramRan:
            ran = world.run(goal)
            rows = list(range(ran.reports[0].count))
            report = msgspec.structs.replace(ran.reports[0], environments=rows)
            return msgspec.structs.replace(ran, reports=[report])

        bus.answer_action(RUN_PROGRAM, run)
        asked = Evaluate(task=TASK, stages=[stage], samples=samples)
        evaluated = bus.run_goal(EVALUATE, "demo/evaluate", asked)
        count = sum(sizes)
        assert [request.size for request in world.requests.values()] == sizes
        assert evaluated.cut == (count < 4)
        assert [each.environment for each in evaluated.episodes] == list(range(count))
        assert evaluated.steps == count * STEPS
        starts = [request.seeds.first - 950_000 for request in world.requests.values()]
        assert starts == [sum(sizes[:number]) for number in range(len(sizes))]
        if count:
            assert evaluated.held == [count]
            (report,) = evaluated.reports
            assert (report.count, report.environments) == (count, list(range(count)))


def test_a_stage_has_done_its_part_where_the_task_succeeded_in_it(tmp_path: Path):
    bus, world = performing(tmp_path)
    world.fails = lambda row, item, number: row == 3
    log = practised_all(TASK)[0].stages[0]
    dirt = SubAction(name="dig", method="code", success=Condition(kind="have", name="dirt"))
    stage = msgspec.structs.replace(log, sub_action=dirt)
    task = msgspec.structs.replace(TASK, success=log.sub_action.success)
    evaluated = bus.run_goal(EVALUATE, "demo/evaluate", Evaluate(task=task, stages=[stage]))
    assert evaluated.held == [3]


def test_a_policy_draws_the_same_choices_in_each_attempt_at_one_play(
    tmp_path: Path,
):
    bus, world = performing(tmp_path)
    seeds: list[int] = []

    def act(goal: GoalHandle[Any, Any]) -> Acted:
        seeds.append(goal.request.seed)
        if len(seeds) == 1:  # the env server is restarted
            world.sessions.clear()
            raise ServiceError("There is no such session.", code="unknown_session")
        return Acted(steps=1)

    bus.answer_action(ACT, act)
    learn = SubAction(name="learn", method="rl", success=STICK)
    stage = Stage(sub_action=learn, policy=Policy(id="p", checkpoint="p"))
    for name in ("one", "other"):
        bus.run_goal(EVALUATE, f"demo/{name}", Evaluate(task=TASK, stages=[stage]))
    lost, again, other = seeds
    assert lost == again != other


@pytest.mark.parametrize(
    ("validation", "seeds"), [(None, performance_seeds), (1, validation_seeds)]
)
def test_what_decides_and_what_is_reported_are_performed_on_their_own_seeds(
    tmp_path: Path, validation: int | None, seeds: Callable[[int], SeedRange]
):
    bus, world = performing(tmp_path, seed=3)
    asked = Perform(task=TASK, subtasks=practised_all(TASK), validation=validation)
    bus.run_goal(PERFORM, "demo/perform", asked)
    (opened,) = world.requests.values()
    assert opened.seeds == seeds(3)


def test_a_policys_own_horizon_is_no_failed_try(tmp_path: Path):
    """It is its training's: the episode goes on to the end of its own."""
    bus, world = performing(tmp_path, tries=2, most_tries=3)
    bus.answer_action(ACT, lambda goal: Acted(steps=0, late=[1]))
    world.fails = lambda row, item, number: row in (1, 2) and item == "planks"
    subtasks = practised_all(TASK)
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


def test_the_tasks_horizon_ends_a_performance(tmp_path: Path):
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


def with_a_part_left_out(practised: Practised) -> Practised:
    dirt = SubAction(name="d", method="code", success=Condition(kind="have", name="dirt"))
    program = Program(name="d", source='ITEM = "dirt"\nQUANTITY = 1\n')
    left_out = Stage(sub_action=dirt, program=program, left_out=True)
    return msgspec.structs.replace(practised, stages=[left_out, *practised.stages])


def test_a_stage_that_is_left_out_is_not_played(tmp_path: Path):
    bus, world = performing(tmp_path)
    subtasks = [with_a_part_left_out(each) for each in practised_all(TASK)]
    performed = bus.run_goal(PERFORM, "demo/perform", Perform(task=TASK, subtasks=subtasks))
    assert performed.success_rate == 1.0
    assert [item for _, item, _, _ in world.ran] == ["log", "planks", "stick"]
    assert all(begins for *_, begins in world.ran)  # with the first one that is played


def test_an_evaluation_counts_a_stage_that_is_left_out_and_does_not_play_it(tmp_path: Path):
    bus, world = performing(tmp_path)
    (first, *_) = practised_all(TASK)
    task = msgspec.structs.replace(TASK, success=first.subtask.success)
    stages = with_a_part_left_out(first).stages
    evaluated = bus.run_goal(EVALUATE, "demo/evaluate", Evaluate(task=task, stages=stages))
    assert [item for _, item, _, _ in world.ran] == ["log"]
    assert evaluated.success_rate == 1.0
    assert evaluated.held == [None, 4]  # one for each stage, as verdict lines are
    assert evaluated.lost == [0, 0]
