"""The two loops with real processes: escalation, stop rules, repairs, restarts."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from messages.bus import SESSION_KILLED, SESSION_LOST, GoalCancelled, RemoteError, ServiceError
from messages.plan import (
    EVALUATE,
    IMPLEMENT,
    PURSUE,
    Evaluate,
    GoalReport,
    Implement,
    Stage,
)
from messages.program import Program
from messages.system import SetParameters, set_parameters
from nodes.fast_agent.fast_agent import FastAgent
from tests.agent_stack import FIND, STEPS, TASK, RunGoal, Stack, rulebook_world, stack
from tests.bus_processes import PATIENCE
from tests.conftest import short_folder


@pytest.fixture(scope="module")
def all_of_them(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with short_folder() as run, stack(run) as agents:
        yield agents


@pytest.fixture
def agents(all_of_them: Stack) -> Iterator[Stack]:
    """One stack for the goals of all tests, each with an id of its own; its world as it was."""
    world = all_of_them.world
    world.opened.clear()
    world.played.clear()
    world.trained.clear()
    yield all_of_them
    world.outcome, world.before_run = rulebook_world, lambda goal: None


def told(report: GoalReport) -> list[list[tuple[str, str, bool]]]:
    return [
        [
            (line.sub_action.name, line.sub_action.method, line.verdict.success)
            for line in iteration.lines
        ]
        for iteration in report.iterations
    ]


ESCALATION = [
    [("harvest log", "code", False)],
    [("find a tree", "code", True), ("harvest log", "code", False)],
    [("find a tree", "code", True), ("harvest log", "rl", False)],
    [("find a tree", "code", True), ("harvest log", "rl", True)],
]


def check_report(report: GoalReport) -> None:
    """What every run of the whole goal has to come to, whatever happened on the way."""
    assert report.success, report.reason
    assert told(report) == ESCALATION
    assert [iteration.success_rate for iteration in report.iterations] == [0, 0, 0, 1]
    assert report.iterations[3].lines[1].macros == ["dig", "fetch"]
    samples = [iteration.samples for iteration in report.iterations]
    assert [each.training for each in samples] == [0, 0, 1100, 1100]
    # One program on 2 episodes; then finding on 2 and two programs for digging, each on 2 with a
    # prefix; a policy like one of them, but that one that fails begins again: its horizon of 300
    # goes three times more into the task's of 1,000.
    assert [each.trial for each in samples] == [2 * STEPS, 10 * STEPS, 10 * STEPS, 4 * STEPS]
    assert [each.evaluation // STEPS for each in samples] == [3, 6, 15, 6]


def test_a_goal_goes_through_both_loops_and_the_same_goal_again_plays_nothing(agents: Stack):
    report = agents.bus.run_goal(PURSUE, "demo", agents.goal(), timeout=PATIENCE)
    check_report(report)
    opened = {request.session: request for request in agents.world.opened}
    trials = [request for session, request in opened.items() if "/trial" in session]
    evaluations = [request for session, request in opened.items() if "/episodes" in session]
    # Each tryout has starts of its own.
    starts = [request.seeds.first for request in trials]
    assert starts == [3_900_000 + 2 * number for number in range(len(trials))]
    assert {request.seeds.count for request in trials} == {2}
    assert {request.seeds.first for request in evaluations} == {3_950_000}
    assert all(request.record for request in evaluations)
    specs = [train.spec for train in agents.world.trained.values()]
    assert {spec.seeds.first for spec in specs} == {3_000_000}
    assert {spec.interface.gamma for spec in specs} == {0.97}
    assert [[program.name for program in spec.prefix] for spec in specs] == [
        ["find-a-tree"],
        ["find-a-tree"],
    ]
    assert not agents.world.sessions  # every session was closed
    assert list((agents.run / "fast_agent" / "programs").glob("demo*find-a-tree*.py"))
    # The same goal again is answered from memory.
    played = len(agents.world.played)
    assert agents.bus.run_goal(PURSUE, "demo", agents.goal(), timeout=PATIENCE) == report
    assert len(agents.world.played) == played


def test_without_macros_policies_are_trained_on_until_the_iterations_are_spent(run_folder: Path):
    with stack(run_folder, macros=False) as agents:
        report = agents.bus.run_goal(PURSUE, "demo", agents.goal(4), timeout=PATIENCE)
        assert not report.success
        assert "iterations are spent" in report.reason
        assert told(report)[:3] == ESCALATION[:3]
        assert all(line.macros == [] for each in report.iterations for line in each.lines)
        specs = [each.stages[-1].spec for each in report.iterations[2:]]
        assert [spec.start is None for spec in specs if spec] == [True, False]


def test_a_program_that_fails_is_repaired_from_the_stock(agents: Stack):
    agents.world.outcome = lambda source: "facing" if "def clear" in source else ""
    goal = Implement(task=TASK, sub_action=FIND, before=[], history=[])
    implemented = agents.bus.run_goal(IMPLEMENT, "repaired", goal, timeout=PATIENCE)
    assert implemented.line.verdict.success
    assert implemented.line.attempts == 2
    assert implemented.samples.trial == 2 * 2 * STEPS


def test_without_a_new_idea_the_inner_loop_ends(agents: Stack):
    def allow(repairs: int) -> None:
        wanted = SetParameters(values={"repairs": repairs})
        agents.bus.call(set_parameters("fast_agent"), wanted, timeout=PATIENCE)

    agents.world.outcome = lambda source: ""
    goal = Implement(task=TASK, sub_action=FIND, before=[], history=[])
    allow(5)  # so that it is not for them that it ends
    implemented = agents.bus.run_goal(IMPLEMENT, "at a loss", goal, timeout=PATIENCE)
    allow(FastAgent.Parameters().repairs)
    assert not implemented.line.verdict.success
    assert implemented.line.attempts == 2
    assert implemented.stage is not None  # the best there is can still be evaluated


@pytest.mark.parametrize("name", ["fast_agent", "slow_agent", "planner", "critic", "llm"])
def test_a_goal_during_which_an_agent_is_killed_has_the_same_report(agents: Stack, name: str):
    """kill -9 in the middle of the goal: the same report, and no sample is counted twice."""
    happened = _disturb(agents, lambda: (agents.agents[name].kill(), agents.agents[name].start()))
    report = agents.bus.run_goal(PURSUE, f"killed {name}", agents.goal(), timeout=PATIENCE)
    assert happened.is_set()
    check_report(report)


def test_a_goal_during_which_an_agent_is_stopped_has_the_same_report(agents: Stack):
    """SIGTERM: what it had asked of others goes on."""
    stopped = agents.agents["slow_agent"]
    happened = _disturb(agents, lambda: (stopped.stop(), stopped.start()))
    report = agents.bus.run_goal(PURSUE, "stopped", agents.goal(), timeout=PATIENCE)
    assert happened.is_set()
    check_report(report)


def test_a_lost_session_is_played_again(agents: Stack):
    """The env server came back without its sessions: the play starts over as another attempt."""
    happened = _disturb(agents, agents.world.sessions.clear)
    report = agents.bus.run_goal(PURSUE, "lost", agents.goal(), timeout=PATIENCE)
    assert happened.is_set()
    check_report(report)
    sessions = {session for session, _ in agents.world.played}
    assert any(session.endswith("/play-1") for session in sessions)


def _disturb(agents: Stack, happening: Callable[[], object]) -> threading.Event:
    """Have something happen once, while a program is about to run in the second iteration's
    evaluation."""
    happened = threading.Event()

    def before_run(goal: RunGoal) -> None:
        here = "iteration-1/evaluate" in goal.id and goal.id.split("/")[-1].startswith("1-")
        if here and not happened.is_set():
            happened.set()
            happening()

    agents.world.before_run = before_run
    return happened


def test_a_session_that_is_always_lost_ends_the_goal_with_a_reason(agents: Stack):
    stage = Stage(sub_action=FIND, program=Program(name="find", source="nearest("))
    agents.world.before_run = lambda goal: agents.world.sessions.clear()
    with pytest.raises(RemoteError, match="no session") as refused:
        agents.bus.run_goal(
            EVALUATE, "never", Evaluate(task=TASK, stages=[stage]), timeout=PATIENCE
        )
    assert refused.value.code == SESSION_LOST
    assert (
        refused.value.retryable
    )  # another time there may be one: the goal goes on in a later life
    assert len(agents.world.opened) == FastAgent.Parameters().plays


def test_kills_from_outside_count_as_none_of_the_attempts(agents: Stack):
    kills = 2 * FastAgent.Parameters().plays

    def before_run(goal: RunGoal) -> None:
        if len(agents.world.opened) <= kills:
            agents.world.sessions.clear()
            raise ServiceError("the worker died (SIGKILL)", code=SESSION_KILLED)

    agents.world.before_run = before_run
    stage = Stage(sub_action=FIND, program=Program(name="find", source="nearest("))
    evaluate = Evaluate(task=TASK, stages=[stage])
    evaluated = agents.bus.run_goal(EVALUATE, "killed", evaluate, timeout=PATIENCE)
    assert evaluated.episodes
    assert len(agents.world.opened) == kills + 1


def test_a_sub_action_whose_session_is_always_lost_has_a_verdict(agents: Stack):
    """The program that is tried may be what ends the session: the run goes on without it."""
    agents.world.before_run = lambda goal: agents.world.sessions.clear()
    implement = Implement(task=TASK, sub_action=FIND, before=[], history=[])
    line = agents.bus.run_goal(IMPLEMENT, "never", implement, timeout=PATIENCE).line
    assert not line.verdict.success
    assert "the session was lost 5 times in a row" in line.verdict.reason


def test_cancelling_the_goal_cancels_what_its_agents_have_requested(agents: Stack):
    running, withdrawn = threading.Event(), threading.Event()

    def before_run(goal: RunGoal) -> None:
        running.set()
        until = time.monotonic() + PATIENCE
        while not goal.withdrawn and time.monotonic() < until:
            time.sleep(0.01)
        if goal.withdrawn:
            withdrawn.set()

    agents.world.before_run = before_run
    with pytest.raises(GoalCancelled):
        agents.bus.run_goal(
            PURSUE, "unwanted", agents.goal(), timeout=PATIENCE, cancelled=running.is_set
        )
    assert withdrawn.wait(PATIENCE)  # through planner, slow agent and fast agent
    with pytest.raises(GoalCancelled):
        agents.bus.run_goal(PURSUE, "unwanted", agents.goal(), timeout=PATIENCE)
