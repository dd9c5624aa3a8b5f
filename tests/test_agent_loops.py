"""The two loops with real processes: escalation, stop rules, repairs, restarts."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from messages.bus import GoalCancelled
from messages.plan import (
    EVALUATE,
    IMPLEMENT,
    PURSUE,
    Evaluate,
    GoalReport,
    Implement,
    Stage,
    SubAction,
)
from messages.program import Program
from messages.world import Condition
from tests.agent_stack import STEPS, TASK, Stack, rulebook_world, stack
from tests.bus_processes import PATIENCE

FIND = SubAction(name="find a tree", method="code", success=Condition(kind="facing", name="wood"))


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


def test_a_goal_goes_through_the_two_loops(run_folder: Path):
    with stack(run_folder) as agents:
        report = agents.bus.run_goal(PURSUE, "demo", agents.goal(), timeout=PATIENCE)
        check_report(report)
        opened = {request.session: request for request in agents.world.opened}
        trials = [request for session, request in opened.items() if "/trial" in session]
        evaluations = [request for session, request in opened.items() if "/episodes" in session]
        assert {request.seeds.first for request in trials} == {3_900_000}
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
        assert list((run_folder / "fast_agent" / "programs").glob("*find-a-tree*.py"))
        # The same goal again is answered from memory.
        played = len(agents.world.played)
        assert agents.bus.run_goal(PURSUE, "demo", agents.goal(), timeout=PATIENCE) == report
        assert len(agents.world.played) == played


def test_without_macros_the_dead_loop_is_seen(run_folder: Path):
    with stack(run_folder, macros=False) as agents:
        report = agents.bus.run_goal(PURSUE, "demo", agents.goal(8), timeout=PATIENCE)
        assert not report.success
        assert "Dead loop" in report.reason
        assert told(report)[:3] == ESCALATION[:3]
        assert len(report.iterations) == 4
        assert all(line.macros == [] for each in report.iterations for line in each.lines)


def test_a_program_that_fails_is_repaired_from_the_stock(run_folder: Path):
    def only_the_patient_one_finds(source: str) -> str:
        return "facing" if "def clear" in source else ""

    with stack(run_folder, outcome=only_the_patient_one_finds) as agents:
        goal = Implement(task=TASK, sub_action=FIND, before=[], history=[])
        implemented = agents.bus.run_goal(IMPLEMENT, "alone", goal, timeout=PATIENCE)
        assert implemented.line.verdict.success
        assert implemented.line.attempts == 2
        assert implemented.samples.trial == 2 * 2 * STEPS


def test_without_a_new_idea_the_inner_loop_ends(run_folder: Path):
    with stack(run_folder, outcome=lambda source: "", repairs=5) as agents:
        goal = Implement(task=TASK, sub_action=FIND, before=[], history=[])
        implemented = agents.bus.run_goal(IMPLEMENT, "alone", goal, timeout=PATIENCE)
        assert not implemented.line.verdict.success
        assert implemented.line.attempts == 2
        assert implemented.stage is not None  # the best there is can still be evaluated


@pytest.mark.parametrize("name", ["fast_agent", "slow_agent", "planner", "critic", "llm"])
def test_a_killed_agent_arrives_where_it_was(run_folder: Path, name: str):
    """kill -9 in the middle of the goal: the same report, and no sample is counted twice."""
    with stack(run_folder) as agents:
        _disturb(agents, lambda: (agents.agents[name].kill(), agents.agents[name].start()))
        report = agents.bus.run_goal(PURSUE, "demo", agents.goal(), timeout=PATIENCE)
        check_report(report)


def test_a_stopped_agent_does_not_take_its_goals_with_it(run_folder: Path):
    """SIGTERM: what it had asked of others goes on."""
    with stack(run_folder) as agents:
        _disturb(
            agents,
            lambda: (agents.agents["slow_agent"].stop(), agents.agents["slow_agent"].start()),
        )
        report = agents.bus.run_goal(PURSUE, "demo", agents.goal(), timeout=PATIENCE)
        check_report(report)


def test_a_lost_session_is_played_again(run_folder: Path):
    """The env server came back without its sessions: the play starts over as another attempt."""
    with stack(run_folder) as agents:
        _disturb(agents, agents.world.sessions.clear)
        report = agents.bus.run_goal(PURSUE, "demo", agents.goal(), timeout=PATIENCE)
        check_report(report)
        sessions = {session for session, _ in agents.world.played}
        assert any(session.endswith("/play-1") for session in sessions)


def _disturb(agents: Stack, happening: Callable[[], object]) -> None:
    """Have something happen once, while a program is about to run in the second iteration's
    evaluation."""
    happened = threading.Event()

    def before_run(goal_id: str) -> None:
        here = "iteration-1/evaluate" in goal_id and goal_id.split("/")[-1].startswith("1-")
        if here and not happened.is_set():
            happened.set()
            happening()

    agents.world.before_run = before_run


def test_a_session_that_is_always_lost_ends_the_goal_with_a_reason(run_folder: Path):
    stage = Stage(sub_action=FIND, program=Program(name="find", source="nearest("))
    with stack(run_folder, outcome=rulebook_world, plays=2) as agents:
        agents.world.before_run = lambda goal_id: agents.world.sessions.clear()
        with pytest.raises(Exception, match="no session") as refused:
            agents.bus.run_goal(
                EVALUATE, "alone", Evaluate(task=TASK, stages=[stage]), timeout=PATIENCE
            )
        assert getattr(refused.value, "code", "") == "unknown_session"
        assert len(agents.world.opened) == 2


def test_cancelling_the_goal_reaches_those_below(run_folder: Path):
    with stack(run_folder) as agents:
        running, ended = threading.Event(), threading.Event()

        def before_run(goal_id: str) -> None:
            running.set()
            ended.wait(PATIENCE)

        agents.world.before_run = before_run
        try:
            with pytest.raises(GoalCancelled):
                agents.bus.run_goal(
                    PURSUE, "demo", agents.goal(), timeout=PATIENCE, cancelled=running.is_set
                )
        finally:
            ended.set()
        with pytest.raises(GoalCancelled):
            agents.bus.run_goal(PURSUE, "demo", agents.goal(), timeout=PATIENCE)
