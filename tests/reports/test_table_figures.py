"""The arithmetic of tables: intervals, pooling, iterations."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.plan import (
    GoalReport,
    Iteration,
    Limits,
    Performed,
    PerformedEpisode,
    Samples,
    Subtask,
)
from messages.world import Condition, Task
from nodes.slow_agent.stopping import stop_reason
from rlgpt.composing.composition import compose_launch, group_options
from rlgpt.main import main
from rlgpt.refused import Refused
from rlgpt.report.acceptance import Acceptance
from rlgpt.report.summary import SampleSummary
from rlgpt.report.writing import write as write_report
from rlgpt.table import markdown, plot
from rlgpt.table.cells import Cell, expand
from rlgpt.table.definition import Definition, definitions, read
from rlgpt.table.figures import chance, rows
from rlgpt.table.intervals import wilson
from rlgpt.table.markdown import Page
from rlgpt.table.result import (
    DEAD_LOOP,
    CellIteration,
    CellResult,
    CellTokens,
    differences,
    gather,
    goal_outcome,
)
from tests.bus_processes import ROOT
from voxeldojo.tasks import task_ids


@pytest.mark.parametrize(
    ("successes", "episodes", "low", "high"),
    [  # by R's prop.test(..., correct=FALSE) and Newcombe (1998), table I
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 0.8389, 1.0),
    ],
)
def test_wilson_intervals_equal_published_ones(
    successes: int, episodes: int, low: float, high: float
) -> None:
    assert wilson(successes, episodes) == pytest.approx((low, high), abs=5e-5)


def test_wilson_interval_without_episodes_is_all_and_impossible_counts_are_refused() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="3 successes in 2 episodes"):
        wilson(3, 2)


def definition(**changes: Any) -> Definition:
    known: dict[str, Any] = {
        "title": "", "caption": "", "tasks": ["stick"], "methods": ["rlgpt"], "seeds": [0, 1, 2],
        "episodes": 30,
    }  # fmt: skip
    return Definition(**known | changes)


def cell(seed: int, successes: int, **changes: Any) -> CellResult:
    samples = SampleSummary(training=100, trial=10, evaluation=1000, total=1110)
    known: dict[str, Any] = {
        "task": "stick", "method": "rlgpt", "llm": "rulebook", "seed": seed, "world": "embedded",
        "success_rate": successes / 30, "successes": successes, "episodes": 30, "performed": True,
        "reached": True, "stopped": "", "plan": ["a"], "stops": {}, "dead_loop": False,
        "iterations": [], "milestones": {}, "samples": samples, "tokens": None, "wall_s": 60.0,
        "restarts": 0, "limits": {"iterations": 4}, "overrides": [], "commit": None, "version": "",
        "run": "", "written": "",
    }  # fmt: skip
    return CellResult(**known | changes)


def turn(subtask: str, number: int, successes: int, episodes: int = 30) -> CellIteration:
    return CellIteration(
        subtask=subtask,
        number=number,
        decomposition="",
        success_rate=successes / episodes if episodes else 0.0,
        successes=successes,
        episodes=episodes,
        samples=0,
    )


def test_seeds_are_pooled_and_listed_apart() -> None:
    stuck = cell(1, 0, dead_loop=True, performed=False)
    (row,) = rows(definition(paper={"stick": {"rlgpt": 0.65}}), [stuck, cell(0, 30), cell(2, 24)])
    assert (row.successes, row.episodes, row.seeds) == (54, 90, [0, 1, 2])
    assert (row.low, row.high) == wilson(54, 90)
    assert row.rates == [1.0, 0.0, 0.8]
    assert (row.mean, row.least, row.most) == (pytest.approx(0.6), 0.0, 1.0)
    assert (row.dead_loops, row.unplayed, row.paper) == (1, 1, 0.65)
    assert (row.samples, row.training) == (1110, 110)


def test_row_without_cells_has_no_rate() -> None:
    (row,) = rows(definition(), [])
    assert (row.rate, row.mean, row.seeds, row.samples) == (None, None, [], None)


def test_iterations_of_one_subtask_keep_the_last_rate() -> None:
    one = cell(0, 27, iterations=[turn("a", 0, 3), turn("a", 1, 27)])
    two = cell(1, 9, iterations=[turn("a", 0, 0, 0), turn("a", 1, 12), turn("a", 2, 9)])
    (row,) = rows(definition(by="iteration"), [one, two])
    assert row.best == pytest.approx((0.9 + 0.4) / 2)
    assert [(step.successes, step.episodes) for step in row.steps] == [
        (3, 60), (39, 60), (36, 60), (36, 60),
    ]  # fmt: skip
    assert (row.steps[1].low, row.steps[1].high) == wilson(39, 60)
    assert row.steps[1].rate == pytest.approx(39 / 60)


def test_iterations_of_several_subtasks_multiply_their_last() -> None:
    turns = [turn("a", 0, 15), turn("a", 1, 12), turn("b", 0, 6), turn("b", 1, 24)]
    done = cell(0, 20, plan=["a", "b"], iterations=turns)
    assert chance(done, 0) == pytest.approx(0.5 * 0.2)
    assert chance(done, 1) == pytest.approx(0.4 * 0.8)
    assert chance(done, 3) == chance(done, 1)
    never = cell(1, 0, plan=["a", "b"], iterations=[turn("a", 0, 15)])
    assert chance(never, 3) == 0.0
    (row,) = rows(definition(by="iteration"), [done, never])
    assert row.steps[1].successes is None
    assert (row.steps[1].low, row.steps[1].high) == (0.0, pytest.approx(0.32))


def test_goals_of_one_and_of_several_subtasks_are_not_counted_together() -> None:
    one = cell(0, 27, iterations=[turn("a", 0, 27)])
    several = cell(1, 15, plan=["a", "b"], iterations=[turn("a", 0, 15), turn("b", 0, 30)])
    (row,) = rows(definition(by="iteration"), [one, several])
    assert row.best is None
    assert (row.steps[0].successes, row.steps[0].rates) == (None, [0.9, 0.5])
    assert row.steps[0].rate == pytest.approx(0.7)


def test_a_goal_without_a_plan_counts_as_rate_zero() -> None:
    unplanned = cell(0, 0, plan=[], performed=False)
    assert chance(unplanned, 3) == 0.0
    (row,) = rows(definition(by="iteration"), [unplanned])
    assert [step.rate for step in row.steps] == [0.0] * 4


def test_tokens_are_those_of_questions_and_answers() -> None:
    results = [
        cell(n, 30, tokens=CellTokens(prompt=900, answer=100 * n, agents={}, iterations={}))
        for n in (1, 2)
    ]
    (row,) = rows(definition(), [*results, cell(0, 30)])
    assert row.tokens == 1050  # of the cells that have any


def test_questions_and_acceptance_have_columns_where_a_language_model_was_asked() -> None:
    def by_llm(**questions: Acceptance) -> str:
        llms = ["rulebook", "small"]
        cells = [
            cell(0, 30, llm=llm, questions=questions.get(f"{llm}{seed}"))
            for llm in llms
            for seed in (0, 1)
        ]
        return markdown.render(page(cells, by="llm", llms=llms))

    known = Acceptance(asked=10, again=4, accepted=7)
    shown = by_llm(small0=known, small1=Acceptance(asked=20, again=0, accepted=20))
    (head,) = [line for line in shown.splitlines() if line.startswith("| task | method |")]
    columns = [each.strip() for each in head.split("|")]
    rows_shown = {
        line.split("|")[columns.index("llm")].strip(): [each.strip() for each in line.split("|")]
        for line in shown.splitlines()
        if line.startswith("| stick | rlgpt |")
    }
    asked, accepted = columns.index("questions"), columns.index("accepted at first")
    assert [rows_shown["small"][place] for place in (asked, accepted)] == ["17", "27/30"]
    assert [rows_shown["rulebook"][place] for place in (asked, accepted)] == ["-", "-"]
    # The rulebook has no questions that are worth counting, and older cells have none counted.
    assert "accepted at first" not in markdown.render(page([cell(0, 30)]))
    assert b"acceptance" not in msgspec.json.encode(rows(definition(), [cell(0, 30)]))


def page(results: list[CellResult], **changes: Any) -> Page:
    known = definition(**changes)
    found = rows(known, results)
    return Page(name="x", definition=known, wanted=3, results=results, rows=found, command="")


def test_the_page_has_the_episodes_that_were_played() -> None:
    few = cell(0, 3, episodes=5, success_rate=0.6)
    assert "Evaluated in 5 episodes" in markdown.render(page([few]))
    assert "Evaluated in 5 or 30 episodes" in markdown.render(page([few, cell(1, 3)]))


def test_the_page_reports_which_worlds_its_cells_are_of() -> None:
    of_one = page([cell(0, 3, fingerprint="a1"), cell(1, 3, fingerprint="a1")])
    text = markdown.render(of_one)
    assert "Fingerprint of the embedded world: a1." in text
    assert "different worlds" not in text
    assert "Fingerprint" not in markdown.render(page([cell(0, 3)]))
    older = page([cell(0, 3, fingerprint="a1"), cell(1, 3)])
    text = markdown.render(older)
    assert "embedded world: a1 (1 cell), not noted (1 cell)." in text
    assert "different worlds" not in text
    mixed = [cell(n, 3, fingerprint=mark) for n, mark in enumerate(("a1", "b2", "a1"))]
    text = markdown.render(page(mixed))
    assert "**Its cells are of 2 different worlds**" in text
    assert "embedded world: a1 (2 cells), b2 (1 cell)." in text


def test_the_picture_names_lines_that_are_ranges_over_seeds() -> None:
    one = cell(0, 15, iterations=[turn("a", 0, 15)])
    several = cell(0, 15, plan=["a", "b"], iterations=[turn("a", 0, 15), turn("b", 0, 15)])
    assert "range over seeds" not in plot.render(page([one], by="iteration"))
    assert "range over seeds" in plot.render(page([several], by="iteration"))


def test_a_cell_whose_samples_were_not_enough_is_marked() -> None:
    short = cell(1, 5, episodes=7, success_rate=5 / 7, cut=True)
    table = page([cell(0, 20), short])
    (row,) = table.rows
    assert (row.successes, row.episodes, row.cut) == (25, 37, 1)
    assert (row.rate, row.mean) == (25 / 37, pytest.approx((20 / 30 + 5 / 7) / 2))
    text = markdown.render(table)
    assert "(2 seeds) (cut: 37 episodes)" in text
    assert "those that were played are counted, and no others: stick by rlgpt (1)." in text
    assert "cut" not in markdown.render(page([cell(0, 20)])).lower()


def test_an_iteration_that_lacks_episodes_is_marked() -> None:
    few = msgspec.structs.replace(turn("a", 1, 2, 5), cut=True)
    table = page([cell(0, 2, iterations=[turn("a", 0, 3), few])], by="iteration")
    (row,) = table.rows
    assert [step.cut for step in row.steps][:2] == [0, 1]
    assert "(cut: 5 episodes)" in markdown.render(table)
    whole = turn("b", 0, 6)
    several = cell(0, 2, plan=["a", "b"], iterations=[turn("a", 0, 3), whole, few])
    (row,) = rows(definition(by="iteration"), [several])
    assert [step.cut for step in row.steps][:2] == [0, 1]  # one of its two rates is of fewer


def test_the_samples_given_for_a_task_are_the_limit_of_its_cells() -> None:
    table = definition(tasks=["stick", "bed"], samples={"bed": 2_500_000}, limits={"iterations": 2})
    found = {each.task: each for each in expand(table, []) if each.seed == 0}
    assert found["bed"].limits["samples"] == 2_500_000
    assert "limits.samples=2500000" in found["bed"].arguments
    assert found["stick"].limits["samples"] == 1_000_000
    assert {each.limits["iterations"] for each in found.values()} == {2}
    by_hand = expand(table, ["limits.samples=77"])
    assert {each.limits["samples"] for each in by_hand} == {77}


def test_only_the_launches_of_wanted_cells_are_composed() -> None:
    """A hundred take half a minute; `--show` and `--only` need few of them."""
    table = definition(tasks=["stick", "bed"], seeds=[0, 1])
    unknown = ["nodes.nowhere.parameters.x=1"]
    with pytest.raises(Refused):
        expand(table, unknown)
    assert [cell.limits for cell in expand(table, unknown, lambda cell: False)] == [{}] * 4
    whole = expand(table, [])
    some = expand(table, [], lambda cell: cell.task == "bed")
    assert [each for each in some if each.task == "bed"] == [
        each for each in whole if each.task == "bed"
    ]
    assert [each.name for each in some] == [each.name for each in whole]


def test_cut_evaluations_and_questions_are_read_from_the_run_folder(tmp_path: Path) -> None:
    condition = Condition(kind="have", name="stick")
    iteration = Iteration(
        subtask="a", number=0, lines=[], stages=[], success_rate=0.5, episodes=8,
        samples=Samples(), seconds=1.0, cut=True,
    )  # fmt: skip
    plan = [Subtask(name="a", success=condition)]
    report = GoalReport(
        task=Task(id="t", prompt="t", success=condition), subtasks=plan, iterations=[iteration],
        success=False, reason="", chosen={"a": 0},
    )  # fmt: skip
    (tmp_path / "goal_report.json").write_bytes(msgspec.json.encode(report))
    write_report(tmp_path, report)
    (wanted,) = (each for each in expand(definition(seeds=[0]), []))
    (tmp_path / "llm").mkdir()
    line = {"agent": "planner", "question": {}, "answered": {"id": "g/plan-0", "repairs": 0}}
    (tmp_path / "llm" / "transcript.jsonl").write_text(f"{json.dumps(line)}\n")
    kept = gather(wanted, tmp_path, None, None)
    assert kept.questions == Acceptance(asked=1, again=0, accepted=1)
    assert (kept.successes, kept.episodes, kept.cut, kept.iterations[0].cut) == (4, 8, True, True)


def ended(*names: str, **changes: Any) -> GoalReport:
    """Of a goal with these subtasks, whose one iteration worked in 4 of 8 episodes."""
    condition = Condition(kind="have", name="stick")
    iteration = Iteration(
        subtask=names[0], number=0, lines=[], stages=[], success_rate=0.5, episodes=8,
        samples=Samples(), seconds=1.0, cut=True,
    )  # fmt: skip
    known: dict[str, Any] = {
        "task": Task(id="t", prompt="t", success=condition),
        "subtasks": [Subtask(name=name, success=condition) for name in names],
        "iterations": [iteration], "success": False, "reason": "", "chosen": {names[0]: 0},
    }  # fmt: skip
    return GoalReport(**known | changes)


def test_the_outcome_of_a_goal_is_of_its_performance_or_of_its_only_subtask() -> None:
    episodes = [
        PerformedEpisode(environment=n, seed=n, success=n < 2, steps=9, ended="horizon")
        for n in range(3)
    ]
    played = Performed(success_rate=2 / 3, episodes=episodes, milestones={}, steps=9, cut=True)
    nothing = msgspec.structs.replace(played, episodes=[])
    assert goal_outcome(ended("a", "b", performance=played), 30) == (2, 3, True, True)
    assert goal_outcome(ended("a"), 30) == (4, 8, True, True)
    # What worked of a part is nothing of the whole, which failed in every episode.
    assert goal_outcome(ended("a", "b"), 30) == (0, 30, False, False)
    assert goal_outcome(ended("a", "b", performance=nothing), 30) == (0, 30, False, False)
    assert goal_outcome(ended("a", chosen={}), 30) == (0, 30, False, False)


def test_differences_of_a_cell_are_its_limits_and_overrides_but_not_where_a_model_is() -> None:
    asked = Cell(
        launch="cell", task="stick", method="rlgpt", llm="small", seed=0,
        limits={"samples": 5, "goal_rate": 0.9}, overrides=["a=1", "llm.base_url=here"],
    )  # fmt: skip
    there = cell(0, 3, limits={"samples": 7}, overrides=["b=2", "llm.base_url=there"])
    assert differences(asked, there) == (
        "limits.goal_rate was None and is 0.9, limits.samples was 7 and is 5, "
        "a=1 is new, b=2 is not there"
    )
    assert differences(asked, cell(0, 3, limits=asked.limits, overrides=["a=1"])) == ""


def test_what_was_trained_further_is_no_iteration_of_the_loop() -> None:
    further = msgspec.structs.replace(turn("a", 2, 27), further=True)
    known = cell(0, 27, iterations=[turn("a", 0, 3), turn("a", 1, 6), further])
    (row,) = rows(definition(by="iteration"), [known])
    assert [step.successes for step in row.steps] == [3, 6, 6, 6]
    assert row.rate == 0.9


def test_dead_loop_is_known_by_the_words_of_the_slow_agent() -> None:
    same = Iteration(
        subtask="a", number=0, lines=[], stages=[], success_rate=0.0, episodes=30,
        samples=Samples(), seconds=1.0,
    )  # fmt: skip
    reason = stop_reason([same, same], Limits(), 1, 1)
    assert reason is not None
    assert reason.startswith(DEAD_LOOP)


@pytest.mark.parametrize("method", group_options("method"))
def test_a_cell_overrides_nothing_that_its_method_sets(method: str) -> None:
    (cell,) = expand(definition(methods=[method], seeds=[3]), [])
    assert cell.overrides == ["nodes.fast_agent.parameters.evaluation_episodes=30"]
    bare = compose_launch("cell", [f"method={method}", "task=stick", "seed=3"])
    assert compose_launch(cell.arguments[0], cell.arguments[1:]) == bare


def test_tables_name_only_tasks_and_methods_that_exist() -> None:
    for name in definitions():
        table = read(name)
        ids = set(table.tasks) - set(group_options("task"))
        assert ids <= set(task_ids("programmatic"))
        assert len(table.seeds) >= 3 or table.draw is not None
        assert table.episodes >= 30 or table.draw is not None
        assert set(table.paper) <= set(table.tasks)
        assert all(set(rates) <= set(table.methods) for rates in table.paper.values())


def test_every_table_is_in_the_help_and_in_the_docs(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["table", "--help"])
    helped = set(re.findall(r"[a-z0-9-]+", capsys.readouterr().out))
    documented = (ROOT / "docs" / "tables.md").read_text()
    for name in definitions():
        assert name in helped
        assert f"`rlgpt table {name}" in documented


def test_the_picture_of_models_names_each_method_that_they_are_compared_in() -> None:
    cells = [cell(0, 20), cell(0, 0, method="pure_code")]
    both = page(cells, by="llm", llms=["rulebook"], methods=["rlgpt", "pure_code"])
    assert labels(both) == ["stick, rlgpt", "stick, pure_code"]
    one = page(cells[:1], by="llm", llms=["rulebook"], tasks=["stick", "bed"])
    assert labels(one) == ["stick", "bed"]


def test_the_picture_shows_every_model_however_many_there_are() -> None:
    llms = [f"model_{number}" for number in range(2 * len(plot.COLOURS) + 1)]
    cells = [cell(0, 20, llm=llm) for llm in llms]
    picture = plot.render(page(cells, by="llm", llms=llms, tasks=["stick", "bed"]))
    for llm in llms:
        assert f"<title>stick, rlgpt, {llm}: " in picture
        assert f">{llm}</text>" in picture
    first, hollow = plot.style(1), plot.style(1 + len(plot.COLOURS))
    assert first.colour == hollow.colour
    assert (first.hollow, hollow.hollow) == (False, True)
    stick = re.findall(r'<circle cx="[\d.]+" cy="[\d.]+" r="4" fill="(.+?)"', picture)
    assert stick.count(first.colour) == 2  # a mark and its entry in the legend
    assert stick.count("#ffffff") == 2 * len(plot.COLOURS)


def labels(table: Page) -> list[str]:
    """The names of the picture's bands, from the top."""
    return re.findall(r'<text x="24" y="\d+(?:\.\d+)?">(.+?)</text>', plot.render(table))
