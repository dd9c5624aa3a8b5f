"""The report of a run that is not over: put together from what its nodes have kept."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.bus.actions.goal_store import GoalRecord, Status
from messages.codec import encode, snapshot
from messages.interface import Action
from messages.plan import (
    ACHIEVE,
    EVALUATE,
    IMPLEMENT,
    PERFORM,
    PURSUE,
    AchieveSubtask,
    Evaluate,
    Evaluated,
    Implement,
    Limits,
    Perform,
    Performed,
    PlanStatus,
    PursueGoal,
    SubAction,
    Subtask,
    SubtaskReport,
)
from messages.training import TRAIN, Train
from messages.world import Condition, Task
from nodes.common.storage.node_memory import Memory
from nodes.common.storage.stored_goals import StoredGoals
from rlgpt.dash.views.plan_view import plan
from rlgpt.main import main
from rlgpt.refused import Refused
from rlgpt.report.account import account
from rlgpt.report.known_success import rate_in_words
from rlgpt.report.summary import Summary
from rlgpt.report.writing import read_summary, write
from rlgpt.runs.comparing import compared_runs
from rlgpt.runs.episode import list_episodes
from rlgpt.runs.launches import Launches
from rlgpt.runs.reporting import report
from rlgpt.runs.run_folder import Lock
from rlgpt.runs.runs import described
from tests.report_run import TASK, Outline, goal_report, launched, learning_curve, spec

PLANKS = Subtask(name="craft planks", success=Condition(kind="have", name="planks"))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "config.yaml").write_text("name: harvest_log\nnodes: {planner: {}, learner: {}}\n")
    return tmp_path


def sent(
    run: Path,
    action: Action[Any, Any, Any],
    id: str,
    goal: msgspec.Struct,
    status: Status = "running",
    result: msgspec.Struct | None = None,
    text: str = "",
) -> StoredGoals:
    """A goal in its node's table, as the node keeps it; the node still has it open."""
    (run / action.node).mkdir(exist_ok=True)
    store = StoredGoals(run / action.node / "goals.sqlite")
    store.save(
        GoalRecord(
            action=action.name,
            goal=id,
            status=status,
            request=snapshot(encode(goal)),
            result=[] if result is None else snapshot(encode(result)),
            text=text,
        )
    )
    return store


def pursued(run: Path, **how: Any) -> StoredGoals:
    return sent(run, PURSUE, "goal", PursueGoal(task=TASK, limits=Limits()), **how)


def half_way(run: Path) -> list[StoredGoals]:
    """The first subtask is done; of the second an iteration is over and the next under way."""
    first, second = goal_report().iterations
    harvest = goal_report().subtasks[0]
    stores = [pursued(run)]
    planner = Memory(run / "planner" / "memory.sqlite")
    planner.keep("goal/plan", PlanStatus(goal="goal", subtasks=[harvest, PLANKS], current=1))
    done = SubtaskReport(iterations=[first], success=True, reason="It reached 0.9.", chosen=0)
    limits = Limits()
    for id, subtask, how in (
        ("goal/0-harvest-log", harvest, {"status": "succeeded", "result": done}),
        ("goal/1-craft-planks", PLANKS, {}),
    ):
        asked = AchieveSubtask(task=TASK, subtask=subtask, limits=limits)
        stores.append(sent(run, ACHIEVE, id, asked, **how))
    slow_agent = Memory(run / "slow_agent" / "memory.sqlite")
    later = msgspec.structs.replace(second, number=0, subtask=PLANKS.name)
    slow_agent.keep("goal/1-craft-planks/iteration-0", later)
    action = SubAction(name="dig", method="rl", success=TASK.success)
    asked = Implement(task=TASK, sub_action=action, before=[], history=[])
    for goal in ("an-earlier-goal", "goal"):
        stores.append(sent(run, IMPLEMENT, f"{goal}/1-craft-planks/iteration-1/dig", asked))
    return stores


def reported(run: Path, goal: str | None = None) -> tuple[Summary, str]:
    _, page = write(run, goal=goal)
    summary = read_summary(run)
    assert summary is not None
    return summary, " ".join(Outline(page.read_text()).text.split())


def test_the_account_of_many_goals_takes_little_memory(run: Path) -> None:
    """The page reads it every second; an hour of goals has tens of megabytes."""
    large = msgspec.structs.replace(TASK, prompt="x" * 200_000)
    action = SubAction(name="dig", method="rl", success=TASK.success)
    asked = Implement(task=large, sub_action=action, before=[], history=[])
    for number in range(50):
        sent(run, IMPLEMENT, f"goal-{number}/0-log/iteration-0/dig", asked).close()
    tracemalloc.start()
    try:
        known = account(run)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(known.goals) == 50
    assert peak < 2e6


def test_a_running_goal_is_reported_as_far_as_it_has_come(run: Path) -> None:
    stores = half_way(run)
    with Lock(run):
        Launches(run)
        summary, page = reported(run)
    assert summary.state is not None
    assert summary.state.kind == "running"
    assert [row.subtask for row in summary.iterations] == ["harvest log", "craft planks"]
    assert summary.samples.total == 174_707
    for words in (
        "running since",
        "craft planks",
        "It attacked the leaves",
        "fast_agent/implement",
        "goal/1-craft-planks/iteration-1/dig",
    ):
        assert words in page, words
    assert not (run / "goal_report.json").exists()
    for store in stores:
        store.close()


def test_a_goal_in_words_is_reported_before_and_after_the_planner_knows_its_success(
    run: Path,
) -> None:
    in_words = Task(id="prompt", prompt="get three logs")
    sent(run, PURSUE, "goal", PursueGoal(task=in_words, limits=Limits())).close()
    summary, page = reported(run)
    assert "not decided yet" in page
    known = msgspec.structs.replace(in_words, success=TASK.success)
    asked = AchieveSubtask(task=known, subtask=PLANKS, limits=Limits())
    sent(run, ACHIEVE, "goal/0-craft-planks", asked).close()
    summary, page = reported(run)
    assert "not decided yet" not in page
    assert summary.task is not None
    assert summary.task.success == TASK.success


def test_a_goal_in_words_is_reported_before_it_is_sent(run: Path) -> None:
    task = "{id: prompt, prompt: get three logs, success: {kind: '', name: ''}}"
    (run / "config.yaml").write_text(f"name: goal\ntask: {task}\nnodes: {{planner: {{}}}}\n")
    _, page = reported(run)
    assert "not decided yet" in page


def test_a_goal_that_is_not_over_has_the_rate_of_its_best_iteration_so_far(run: Path) -> None:
    """Until its own is known, and said to be that: on the page, in the report, in lists of runs."""
    stores = half_way(run)
    with Lock(run):
        Launches(run)
        shown = plan(run)
        (under_way,) = shown["subtasks"][1]["current"]["lines"]
        assert (under_way["name"], under_way["state"]) == ("dig", "active")
        success = shown["known_success"]
        of = "best iteration so far: craft planks, iteration 0"
        assert (success.rate, success.of, success.whole) == (28 / 30, of, False)
        _, page = reported(run)
        assert f"0.93{of}" in page.replace("0.93 best", "0.93best")
        line = described(run)
        assert (line.success_rate, line.success_of) == (28 / 30, of)
        assert rate_in_words(line.success_rate, not line.success_of) == "0.93 (best iteration)"
        assert compared_runs([run]).success == [success]
    for store in stores:
        store.close()


def test_an_interrupted_and_a_killed_run_are_reported_as_such(run: Path) -> None:
    half_way(run)
    launched(run, "interrupted")
    summary, page = reported(run)
    assert summary.state is not None
    assert summary.state.kind == "interrupted"
    assert "interrupted by SIGINT" in page
    assert summary.wall_seconds == pytest.approx(131.4)
    Launches(run)  # resumed, and killed: no process holds the run and it has no end
    summary, page = reported(run)
    assert summary.state is not None
    assert summary.state.kind == "unfinished"
    assert "its launcher was killed" in page


def test_a_run_that_a_skill_was_played_in_is_not_said_to_be_unfinished(run: Path) -> None:
    """It has no goal of the planner, and its evaluation has ended."""
    asked = Evaluate(task=TASK, stages=[])
    sent(run, EVALUATE, "skill", asked).close()
    assert described(run).state == "unfinished"
    played = Evaluated(success_rate=1.0, episodes=[], steps=3)
    sent(run, EVALUATE, "skill", asked, "succeeded", played).close()
    line = described(run)
    assert (line.state, line.text) == ("done", "its work is done, and no node is running")


def test_a_failed_goal_has_its_reason(run: Path) -> None:
    pursued(run, status="failed", text="the env server said: No space left on device")
    Launches(run).end("failed", "the env server said: No space left on device")
    summary, page = reported(run)
    assert summary.state is not None
    assert summary.state.kind == "failed"
    assert "failed: the env server said: No space left on device" in page


def test_no_report_is_written_of_a_run_whose_configuration_is_damaged(run: Path) -> None:
    (run / "config.yaml").write_text("a: [1\n")
    with pytest.raises(Refused, match=r"config\.yaml is not valid YAML \(line 2: "):
        report(str(run))
    assert not (run / "report.html").exists()


def test_goals_from_python_are_reported_without_a_launcher(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No launcher recorded when it began, and the planner was given two goals."""
    whole = goal_report()
    sent(run, PURSUE, "mine/first", PursueGoal(task=TASK, limits=Limits()), "succeeded", whole)
    other = msgspec.structs.replace(TASK, id="other", prompt="Something else")
    sent(run, PURSUE, "mine/second", PursueGoal(task=other, limits=Limits()), "cancelled")
    assert report(str(run)) == 0
    assert "its goal is not over" in capsys.readouterr().out
    summary, page = reported(run)
    assert summary.task is not None
    assert summary.task.id == "other"
    assert "mine/first" in page
    summary, page = reported(run, "mine/first")
    assert (summary.success, len(summary.iterations)) == (True, 2)
    with pytest.raises(Refused, match=r"no goal `mine/frist`; did you mean `mine/first`\?"):
        write(run, goal="mine/frist")
    assert main(["report", str(run), "--goal", "mine/first"]) == 0
    assert read_summary(run) == summary
    assert main(["report", str(run), "--goal", "mine/frist"]) == 2
    assert "did you mean `mine/first`?" in capsys.readouterr().err


def test_a_run_with_a_training_alone_is_reported(run: Path) -> None:
    sent(run, TRAIN, "train/harvest-log", Train(spec=spec([])))
    summary, page = reported(run)
    assert summary.task is not None
    assert summary.task.id == "harvest_log"
    assert summary.goals[0].action == "learner/train"
    assert "No iteration is over yet" in page


def test_samples_of_a_training_that_was_cut_off_are_counted(run: Path) -> None:
    half_way(run)
    counted = reported(run)[0].samples
    trainings: list[tuple[str, Status]] = [
        ("goal/0-harvest-log/iteration-0/dig/train", "running"),  # in its iteration's samples
        ("an-earlier-goal/1-craft-planks/iteration-1/dig/train", "running"),
        ("goal/1-craft-planks/iteration-1/dig/train", "cancelled"),
    ]
    for goal, status in trainings:
        sent(run, TRAIN, goal, Train(spec=spec([])), status)
        learning_curve(run / "learner" / "tensorboard" / goal.replace("/", "+"))
    samples = reported(run)[0].samples
    assert samples.training == counted.training + 59 * 2048
    assert samples.total == counted.total + 59 * 2048
    assert described(run).samples == samples.total


def test_a_performance_that_is_over_is_reported_before_the_goal_is(run: Path) -> None:
    half_way(run)
    performance = Performed(success_rate=0.5, episodes=[], milestones={"log": 2}, steps=77)
    asked = Perform(task=TASK, subtasks=[])
    sent(run, PERFORM, "goal/perform", asked, "succeeded", performance)
    summary, page = reported(run)
    assert summary.success_rate == 0.5
    assert "The whole goal, performed" in page


def test_a_run_without_a_goal_is_reported(run: Path) -> None:
    summary, page = reported(run)
    assert summary.task is None
    assert "No goal was given" in page
    assert json.loads((run / "summary.json").read_text())["state"]["kind"] == "stopped"


def test_damaged_files_are_left_out(run: Path) -> None:
    for store in half_way(run):
        store.close()
    for path in (run / "slow_agent").iterdir():
        path.write_bytes(b"no table of SQLite's")
    (run / "launches.json").write_text("[{")
    summary, _ = reported(run)
    assert summary.iterations == []


def test_a_report_is_not_written_again_without_what_a_damaged_file_held(run: Path) -> None:
    pursued(run).close()
    write(run)
    before = (run / "summary.json").read_bytes()
    (run / "planner" / "goals.sqlite").write_bytes(
        b"no database, but as long as the header of one" * 9
    )
    with pytest.raises(
        Refused, match=r"planner/goals\.sqlite is damaged \(file is not a database\)"
    ):
        report(str(run))
    assert (run / "summary.json").read_bytes() == before
    with pytest.raises(Refused, match="is damaged"):
        list_episodes(str(run), None, None, json=False)
    (run / "planner" / "goals.sqlite").unlink()
    pursued(run).close()
    whole = (run / "planner" / "goals.sqlite").read_bytes()
    (run / "planner" / "goals.sqlite").write_bytes(whole[:4096] + bytes(len(whole) - 4096))
    with pytest.raises(Refused, match=r"planner/goals\.sqlite is damaged"):
        report(str(run))
    (run / "planner" / "goals.sqlite").unlink()
    assert report(str(run)) == 0


def test_each_rate_is_shown_with_the_one_that_was_required_of_it(run: Path) -> None:
    """Of a whole goal that is another than of a subtask, and of a subtask more than in the config,
    where there are several."""
    harvest = goal_report().subtasks[0]
    limits = Limits(success_rate=0.8, goal_rate=0.5)
    asked = msgspec.structs.replace(limits, success_rate=0.96, goal_rate=None)
    practised = AchieveSubtask(task=TASK, subtask=harvest, limits=asked)
    performance = Performed(success_rate=0.6, episodes=[], milestones={}, steps=77)
    several = msgspec.structs.replace(goal_report(), subtasks=[harvest, PLANKS])
    for ended, of_success in (
        (several, 0.96),  # best iteration of the subtask that was practised
        (msgspec.structs.replace(several, performance=performance), 0.5),
    ):
        how = {"status": "succeeded", "result": ended}
        stores = [sent(run, PURSUE, "goal", PursueGoal(task=TASK, limits=limits), **how)]
        stores.append(sent(run, ACHIEVE, "goal/0-harvest-log", practised))
        shown = plan(run)
        assert shown["required"] == of_success
        assert [each["required"] for each in shown["subtasks"]] == [0.96, 0.8]
        _, page = reported(run)
        assert "success rate 0.5 of the whole goal" in page
        assert "Dashed: 0.96, the rate that ends the outer loop." in page
        for store in stores:
            store.close()
