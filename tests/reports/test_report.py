"""The report of a run: complete, self-contained, and safe against what a model wrote."""

import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from rich.console import Console

from messages.plan import (
    GoalReport,
    Iteration,
    Performed,
    PerformedEpisode,
    Samples,
    Stage,
    Subtask,
)
from messages.program import Program
from messages.training import Demonstrated, Learning
from messages.verdict import Verdict
from messages.world import JUDGED, Condition
from rlgpt.refused import Refused
from rlgpt.report.curves import Curve, of_policy
from rlgpt.report.iteration_table import iteration_table
from rlgpt.report.summary import Summary
from rlgpt.report.words import trained_in_words
from rlgpt.report.writing import write
from rlgpt.runs.reporting import report
from tests.report_run import ATTACK, HOSTILE, RESTARTS, TASK, fill, goal_report, launched, written


def test_a_curve_is_found_by_its_policy() -> None:
    curves = [Curve(name=name, points=[(1, 0.5)]) for name in ("goal+train-10", "goal+train-1")]
    found = of_policy(curves, "goal/train-1")
    assert found is not None
    assert found.name == "goal+train-1"
    assert of_policy(curves, "goal/train-2") is None


def test_the_page_describes_the_run(tmp_path: Path) -> None:
    fill(tmp_path)
    outline = written(tmp_path, goal_report())
    for words in [
        "Harvest one log in a forest",
        "1 more log in the inventory",
        "It attacked the leaves beside the trunk",
        "let it be learned",
        "for _ in range(40):",
        "attack_20",
        "target_direction",
        "per metre closer to wood",
        "120k primitive samples",
        "28 of 30",
        "118,784",
        "It is no language model",
        "critic was restarted 2 times",
        "1 error, 2 warnings",
        "dropped a message: expected int",
        "it is not Minecraft",
    ]:
        assert words in " ".join(outline.text.split()), words
    assert outline.tags.count("svg") >= 2
    assert "path" in outline.tags  # the learning curve
    assert any(link.startswith("data:video/mp4;base64,") for link in outline.links)


def test_the_page_names_what_an_episode_starts_with_and_counts_one_iteration(
    tmp_path: Path,
) -> None:
    fill(tmp_path)
    config = tmp_path / "config.yaml"
    config.write_text(config.read_text().replace("iterations: 4", "iterations: 1"))
    task = msgspec.structs.replace(TASK, biome="", inventory={"log": 2})
    report = msgspec.structs.replace(goal_report(), task=task)
    text = " ".join(written(tmp_path, report).text.split())
    assert "biome: any of them; inventory: 2 log" in text
    assert "success rate 0.9, 1 iteration or 3M samples" in text


def test_the_page_needs_nothing_but_its_folder(tmp_path: Path) -> None:
    fill(tmp_path)
    outline = written(tmp_path, goal_report())
    assert "script" not in outline.tags
    assert "link" not in outline.tags
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "url(" not in html
    assert "@import" not in html
    for link in outline.links:
        assert link.startswith(("data:", "./")), link


def test_model_written_text_stays_text(tmp_path: Path) -> None:
    fill(tmp_path)
    program = f'def action(obs):\n    "{HOSTILE}"\n    # </pre>{HOSTILE}\n    \u202eattack()\n'
    report = goal_report(program=program, verdict=f'"><img src=x onerror=alert(1)>{HOSTILE}')
    report = msgspec.structs.replace(
        report,
        task=msgspec.structs.replace(TASK, prompt=f"</title>{HOSTILE}"),
        reason="{{ 7 * 7 }} \x1b[31mred",
    )
    outline = written(tmp_path, report)
    assert "script" not in outline.tags
    assert "img" not in outline.tags
    assert HOSTILE in outline.text
    assert "{{ 7 * 7 }}" in outline.text
    # What would colour a terminal or turn the reading direction is spelled out.
    assert "<U+001B>[31mred" in outline.text
    assert "<U+202E>attack" in outline.text
    assert "\u202e" not in outline.text


def learned_from_code() -> GoalReport:
    """The report, whose policy began as a clone and was left for the program it was cloned from."""
    report = goal_report()
    last = report.iterations[-1]
    learning = Learning(
        samples=118_784,
        curve=[(118_784, 0.61)],
        stopped="its tryouts fell to 0.55, below the 0.70 that it began with",
        demonstrated=[
            Demonstrated(
                program="harvest_log_3", episodes=32, successes=24, decisions=310, steps=400
            )
        ],
        clone_kl=0.1,
        clone_fade=30_000,
        tryouts=[(0, 0.7), (50_000, 0.75), (118_784, 0.55)],
        best=50_000,
    )
    find, dig = last.lines
    stands = Stage(sub_action=dig.sub_action, program=Program(name="harvest_log_3", source=ATTACK))
    last = msgspec.structs.replace(
        last,
        lines=[find, msgspec.structs.replace(dig, learning=learning, macros=[])],
        stages=[last.stages[0], stands],
    )
    return msgspec.structs.replace(report, iterations=[*report.iterations[:-1], last])


def test_the_report_names_the_start_of_a_training_and_the_chosen_stage(tmp_path: Path) -> None:
    text = " ".join(written(tmp_path, learned_from_code()).text.split())
    assert "harvest_log_3 succeeded in 24 of 32 demonstrations; 310 of 400 decisions" in text
    assert "held to what was cloned by a weight of 0.1, which fades over 30k samples" in text
    assert "its tryouts fell to 0.55, below the 0.70 that it began with" in text
    assert "tryouts meanwhile: 0.70 at 0, 0.75 at 50k, 0.55 at 119k" in text
    assert "its weights are those after 50k samples" in text
    assert "The program is kept, not the policy." in text
    console = Console(file=io.StringIO(), width=200)
    console.print(iteration_table(learned_from_code()))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "harvest log: rl (the program is kept)" in shown
    console = Console(file=io.StringIO(), width=200)
    console.print(iteration_table(goal_report()))
    assert "stands" not in console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", ["../secret.mp4", "/etc/hostname", "env_server/none.mp4"])
def test_a_video_outside_the_run_folder_is_not_shown(tmp_path: Path, path: str) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (tmp_path / "secret.mp4").write_bytes(b"secret")
    report = goal_report()
    last = msgspec.structs.replace(report.iterations[-1], video=path)
    report = msgspec.structs.replace(report, iterations=[*report.iterations[:-1], last])
    assert "video" not in written(run, report).tags


def test_a_large_video_is_linked(tmp_path: Path) -> None:
    fill(tmp_path)
    with (tmp_path / "env_server" / "videos" / "1.mp4").open("wb") as film:
        film.truncate(9 * 1024 * 1024)
    assert "./env_server/videos/1.mp4" in written(tmp_path, goal_report()).links


def test_a_page_is_written_without_transcript_plan_or_evaluation(tmp_path: Path) -> None:
    report = goal_report()
    assert "No transcript was kept" in written(tmp_path, report).text
    empty = GoalReport(
        task=TASK, subtasks=[], iterations=[], success=False, reason="No plan is valid."
    )
    assert "The planner gave no plan" in written(tmp_path, empty).text
    nothing = Iteration(
        subtask="harvest log",
        number=0,
        lines=[],
        stages=[],
        success_rate=0.0,
        episodes=0,
        samples=Samples(),
        seconds=0.0,
    )
    report = msgspec.structs.replace(empty, iterations=[nothing])
    assert "no iteration was evaluated" in written(tmp_path, report).text
    console = Console(file=io.StringIO(), width=120)
    console.print(iteration_table(report))
    assert "not evaluated" in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_judged_rate_is_reported_without_a_count_of_successes(tmp_path: Path) -> None:
    """The critic was shown a few of the episodes."""
    report = goal_report()
    success = Condition(kind=JUDGED, name="creative:0")
    report = msgspec.structs.replace(
        report, task=msgspec.structs.replace(report.task, success=success)
    )
    page = written(tmp_path, report).text
    assert "judged from pictures" in page
    assert "28 of 30" not in page
    console = Console(file=io.StringIO(), width=200)
    console.print(iteration_table(report))
    assert "(judged from pictures)" in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_page_is_written_with_damaged_files_in_the_run_folder(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_bytes(b"\xff{[")
    events = tmp_path / "learner" / "tensorboard" / "policy"
    events.mkdir(parents=True)
    (events / "events.out.tfevents.1").write_bytes(b"\x00" * 37)
    (tmp_path / "llm").mkdir()
    (tmp_path / "llm" / "transcript.jsonl").write_bytes(b'[1]\n{"answered": 3}\nnull\n\xff\n')
    page = written(tmp_path, goal_report(program="def action(:\n  '''")).text
    assert "28 of 30 unseen episodes" in page
    assert "def action(:  '''" in page
    assert "Questions1to the language model" in page  # of the transcript's one line that is whole


def test_the_summary_has_the_numbers_of_the_run(tmp_path: Path) -> None:
    fill(tmp_path)
    launched(tmp_path)
    path, _ = write(tmp_path, goal_report())
    plain = json.loads(path.read_text())
    assert plain["task"]["id"] == "harvest_log"
    assert plain["samples"] == {
        "training": 118_784,
        "trial": 30_400,
        "evaluation": 25_523,
        "total": 174_707,
    }
    summary = msgspec.json.decode(path.read_bytes(), type=Summary)
    assert (summary.success, summary.launch, summary.seed) == (True, "harvest_log", 3)
    assert [item.successes for item in summary.iterations] == [1, 28]
    assert summary.iterations[1].decomposition == "find a tree: code; harvest log: rl + attack_20"
    assert (summary.questions.count, summary.questions.prompt_tokens) == (3, 3600)
    assert summary.questions.profile == "rulebook"
    assert summary.restarts == RESTARTS
    assert summary.wall_seconds == pytest.approx(131.4)
    assert {"python", "torch", "torchrl"} <= summary.versions.keys()


def test_writing_a_report_leaves_its_three_files_and_no_draft(tmp_path: Path) -> None:
    write(tmp_path, goal_report())
    assert {path.name for path in tmp_path.iterdir()} == {
        "goal_report.json",
        "summary.json",
        "report.html",
    }


def test_a_report_is_written_again_from_its_folder(tmp_path: Path) -> None:
    fill(tmp_path)
    _, page = write(tmp_path, goal_report())
    before = page.read_text(encoding="utf-8")
    page.unlink()
    write(tmp_path)
    assert page.read_text(encoding="utf-8") == before


def test_a_report_that_cannot_be_written_is_refused_in_words(tmp_path: Path) -> None:
    _, page = write(tmp_path, goal_report())
    (tmp_path / "config.yaml").write_text("name: toy\n")
    page.unlink()
    page.mkdir()
    with pytest.raises(Refused, match=r"report\.html cannot be written") as refused:
        report(str(tmp_path))
    assert "\n" not in str(refused.value)
    assert not list(tmp_path.glob(".report*"))


def test_the_table_has_one_row_per_iteration() -> None:
    report = goal_report(verdict="reached [bold]it[/bold] \x1b[31m")
    console = Console(file=io.StringIO(), width=140)
    console.print(iteration_table(report))
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    rows = [line for line in printed.splitlines() if re.search(r"\(\d+/\d+\)", line)]
    assert len(rows) == 2
    assert "0.03 (1/30)" in rows[0]
    assert "39.6k" in rows[0]
    assert "0.93 (28/30)" in rows[1]
    assert "attack_20" in printed
    assert "\x1b" not in printed


def performed() -> GoalReport:
    """The report of a goal whose whole was performed in two episodes."""
    ended = PerformedEpisode(
        environment=1,
        seed=950_001,
        success=False,
        steps=812,
        ended="gave_up",
        subtask="craft <b>planks</b>",
        reason="3 tries at planks",
        gained=["log"],
    )
    won = PerformedEpisode(
        environment=0, seed=950_000, success=True, steps=301, ended="success", gained=["log"]
    )
    performance = Performed(
        success_rate=0.5,
        episodes=[won, ended],
        milestones={"log": 2, "stick": 1},
        steps=1_113,
        video="env_server/videos/1.mp4",
    )
    return msgspec.structs.replace(goal_report(), performance=performance)


def test_the_rate_of_a_subtask_is_not_reported_as_that_of_an_unperformed_goal(
    tmp_path: Path,
) -> None:
    fill(tmp_path)
    later = Subtask(name="craft planks", success=Condition(kind="have", name="planks"))
    known = goal_report()
    report = msgspec.structs.replace(known, subtasks=[*known.subtasks, later], success=False)
    path, _ = write(tmp_path, report)
    assert msgspec.json.decode(path.read_bytes(), type=Summary).success_rate == 0.0
    text = " ".join(written(tmp_path, report).text.split())
    best = "best iteration: harvest log, iteration 1; the whole goal was never performed"
    assert f"0.93{best}" in text.replace("0.93 best", "0.93best")


def test_the_performance_is_the_last_row_and_gives_the_rate_of_the_goal(tmp_path: Path) -> None:
    fill(tmp_path)
    console = Console(file=io.StringIO(), width=140)
    console.print(iteration_table(performed()))
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    rows = [line for line in printed.splitlines() if re.search(r"\(\d+/\d+\)", line)]
    assert "0.50 (1/2)" in rows[-1]
    assert "1.11k" in rows[-1]
    path, _ = write(tmp_path, performed())
    summary = msgspec.json.decode(path.read_bytes(), type=Summary)
    assert summary.success_rate == 0.5
    assert summary.samples.evaluation == 25_523 + 1_113
    assert summary.performance is not None
    assert summary.performance.milestones == {"log": 2, "stick": 1}
    outline = written(tmp_path, performed())
    for words in ("The whole goal, performed", "3 tries at planks", "craft <b>planks</b>", "812"):
        assert words in outline.text


def test_cut_evaluations_and_missing_verdicts_are_reported(tmp_path: Path) -> None:
    fill(tmp_path)
    known = performed()
    assert known.performance is not None
    short = msgspec.structs.replace(known.iterations[0], episodes=5, success_rate=0.2, cut=True)
    lines = [
        msgspec.structs.replace(
            line, verdict=Verdict(success=True, success_rate=1.0, reason="", episodes=episodes)
        )
        for line, episodes in zip(short.lines, (0, 7), strict=True)
    ]
    report = msgspec.structs.replace(
        known,
        iterations=[msgspec.structs.replace(short, lines=lines), *known.iterations[1:]],
        performance=msgspec.structs.replace(known.performance, cut=True),
    )
    text = " ".join(written(tmp_path, report).text.split())
    assert "1 of 5 episodes, cut: the samples were not enough for more" in text
    assert "2 unseen episodes, cut: the samples were not enough for more" in text
    assert "not judged · 1 attempt" in text
    assert "1.00 of 7 tryouts" in text
    console = Console(file=io.StringIO(), width=140)
    console.print(iteration_table(report))
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    assert "0.20 (1/5, cut)" in printed
    assert "0.50 (1/2, cut)" in printed
    path, _ = write(tmp_path, report)
    summary = msgspec.json.decode(path.read_bytes(), type=Summary)
    assert [item.cut for item in summary.iterations] == [True, False]
    assert summary.performance is not None
    assert summary.performance.cut
    assert summary.cut
    path, _ = write(tmp_path, performed())
    assert not msgspec.json.decode(path.read_bytes(), type=Summary).cut
    # Of a goal with one subtask it is the evaluation of the iteration that stands.
    number = short.number
    one = msgspec.structs.replace(report, performance=None, chosen={short.subtask: number})
    path, _ = write(tmp_path, msgspec.structs.replace(one, iterations=report.iterations[:1]))
    assert msgspec.json.decode(path.read_bytes(), type=Summary).cut


def test_a_training_alone_says_what_its_resets_spent_beside_its_budget() -> None:
    trained = SimpleNamespace(
        success_rate=0.5, samples=43_231, prefix_samples=36_200, reason="it is over"
    )
    said = trained_in_words(trained)
    assert "after 79.4k samples (36.2k of them in resets, outside its budget): it is over" in said
    trained.prefix_samples = 0
    assert "after 43.2k samples: it is over" in trained_in_words(trained)
