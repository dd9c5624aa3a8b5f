"""A table by a game's score: what is gathered of a run's episodes, the figures, the page."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.plan import GoalReport, Iteration, Samples, Subtask
from messages.world import Condition, Episode, OpenSession, SeedRange, Task, View
from nodes.common.storage.episode_store import FILE, Kept, StoredEpisodes, StoredPlay
from rlgpt.refused import Refused
from rlgpt.report.summary import SampleSummary
from rlgpt.table import definition as tables
from rlgpt.table import markdown, score_plot, scored
from rlgpt.table.cells import expand
from rlgpt.table.definition import Definition
from rlgpt.table.figures import rows
from rlgpt.table.result import CellResult
from rlgpt.table.scored import Scored
from rlgpt.table.table_page import Page, difference
from worlds.crafter.card.score import SCORE

ALL = Condition(kind="have", name="achievements", quantity=22)
TASK = Task(id="crafter", prompt="", success=ALL, game="crafter")
SUBTASK = Subtask(name="achieve", success=ALL)
FIRST, SECOND = SCORE.counted[:2]


def digits(*names: str) -> str:
    return "".join(str(int(name in names)) for name in SCORE.counted)


def view(**inventory: int) -> View:
    return View(position=(0.0, 0.0, 0.0), yaw=0.0, pitch=0.0, life=9.0, food=9.0,
                inventory=inventory, facing="", around={})  # fmt: skip


def episode(row: int, before: View, after: View) -> Episode:
    return Episode(environment=row, seed=row, success=False, steps=5, reward=0.0, ended="death",
                   before=before, after=after)  # fmt: skip


def keep(stored: StoredEpisodes, name: str, episodes: Sequence[Episode]) -> None:
    seeds = SeedRange(first=0, count=1)
    opened = OpenSession(session=name, task=TASK, size=1, seeds=seeds)
    play = StoredPlay(id=name, began=1.0, ended=2.0, whole=True, opened=opened)
    stored.keep(play, [Kept(play=name, why="", episode=each) for each in episodes])


def iteration(number: int) -> Iteration:
    return Iteration(subtask="achieve", number=number, lines=[], stages=[], success_rate=0.0,
                     episodes=2, samples=Samples(), seconds=0.0)  # fmt: skip


def report(**changes: Any) -> GoalReport:
    known: dict[str, Any] = {
        "task": TASK, "subtasks": [SUBTASK], "iterations": [iteration(0), iteration(1)],
        "success": False, "reason": "", "chosen": {"achieve": 1},
    }  # fmt: skip
    return GoalReport(**known | changes)


def test_episodes_of_the_first_trainings_and_of_the_iteration_that_stands_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scored, "TRAINING_SAMPLES", 60)
    (tmp_path / "env_server").mkdir()
    stored = StoredEpisodes(tmp_path / "env_server" / FILE)
    # The second training was begun later; of the first an episode was played again after a kill.
    stored.keep_scored("goal/iteration-1/train", 20.0, [(1, 30, [SECOND]), (2, 1, [])])
    stored.keep_scored("goal/iteration-0/train", 10.0, [(8, 10, [FIRST]), (7, 20, [])])
    stored.keep_scored("goal/iteration-0/train", 15.0, [(8, 10, [FIRST, SECOND])])
    # Beside a training, by the policy so far or by a program: no training episodes of it.
    stored.keep_scored("goal/iteration-0/train/tryout", 11.0, [(3, 5, [SECOND])])
    stored.keep_scored("goal/iteration-0/train/demonstration", 9.0, [(4, 5, [SECOND])])
    nothing, some = view(), view(**{FIRST: 3, "wood": 1})
    keep(stored, "goal/0-achieve/iteration-0/evaluate/episodes", [episode(0, nothing, nothing)])
    name = "goal/0-achieve/iteration-1/evaluate/episodes"
    keep(stored, name, [episode(0, nothing, some), episode(1, some, some)])
    keep(stored, f"{name}/more-1", [episode(0, nothing, view(**{SECOND: 1}))])
    keep(stored, "goal/0-achieve/iteration-1/unlock/trial-0", [episode(0, nothing, some)])
    found = scored.gather(tmp_path, report())
    stored.close()
    assert found is not None
    # 20 and 10 samples of the first training, 30 of the second; its next one is beyond 60.
    assert found.training == {digits(): 1, digits(FIRST, SECOND): 1, digits(SECOND): 1}
    assert found.training_samples == 60
    assert found.evaluation == {digits(FIRST): 1, digits(): 1, digits(SECOND): 1}
    minecraft = report(task=msgspec.structs.replace(TASK, game="minecraft"))
    assert scored.gather(tmp_path, minecraft) is None


def test_a_score_equals_one_computed_by_hand() -> None:
    half = scored.measured(SCORE, [(list(SCORE.counted), {digits(FIRST): 1, digits(): 1})])
    assert half.rates[FIRST] == 0.5
    assert half.rates[SECOND] == 0
    assert half.score == pytest.approx(51 ** (1 / 22) - 1)
    assert half.progress == pytest.approx(100 * 0.5 / 22)
    assert half.score_low == 0
    assert half.score_high == pytest.approx(101 ** (1 / 22) - 1)


def test_the_interval_of_a_score_has_95_percent() -> None:
    """Of a hundred episodes of which half had it: 40 to 60, by the binomial distribution."""
    half = scored.measured(SCORE, [(list(SCORE.counted), {digits(FIRST): 50, digits(): 50})])
    bounds = half.progress_low * 22 / 100, half.progress_high * 22 / 100
    assert bounds == pytest.approx((0.40, 0.60), abs=0.01)
    lowest = (1 + 100 * bounds[0]) ** (1 / 22) - 1
    assert half.score_low == pytest.approx(lowest, abs=1e-5)


def test_the_score_of_several_seeds_is_the_mean_of_theirs() -> None:
    """Published scores are: a score per seed, then the mean. One of all episodes together would
    be higher where seeds unlock different things, and mostly of the seed with most episodes."""
    counted = list(SCORE.counted)
    both = scored.measured(
        SCORE, [(counted, {digits(FIRST): 3}), (counted, {digits(SECOND): 1, digits(): 1})]
    )
    first, second = 101 ** (1 / 22) - 1, 51 ** (1 / 22) - 1
    assert both.episodes == 5
    assert both.scores == pytest.approx([first, second])
    assert both.score == pytest.approx((first + second) / 2)
    assert both.progress == pytest.approx(100 * (1 + 0.5) / 2 / 22)
    assert (both.rates[FIRST], both.rates[SECOND]) == (0.5, 0.25)
    # Drawn again within their seeds: the first one's episodes are all alike.
    assert both.score_low == pytest.approx(first / 2)
    assert both.score_high == pytest.approx(first)


def cell(method: str, training: dict[str, int], evaluation: dict[str, int]) -> CellResult:
    samples = SampleSummary(training=900, trial=100, evaluation=1000, total=2000)
    return CellResult(
        task="crafter", method=method, llm="rulebook", seed=0, world="crafter", game="crafter",
        success_rate=0.0, successes=0, episodes=2, performed=True, reached=False, stopped="",
        plan=["achieve"], stops={}, dead_loop=False, iterations=[], milestones={},
        scored=Scored(counted=list(SCORE.counted), training=training, training_samples=900,
                      evaluation=evaluation),
        samples=samples, tokens=None, wall_s=60.0, restarts=0, limits={"iterations": 1},
        overrides=[], commit=None, version="", run="", written="",
    )  # fmt: skip


def page(results: list[CellResult], methods: list[str]) -> Page:
    definition = Definition(title="T & T", caption="", tasks=["crafter"], methods=methods,
                            seeds=[0], episodes=2, by="score")  # fmt: skip
    return Page(name="t", definition=definition, wanted=len(methods), results=results,
                rows=rows(definition, results), command="")  # fmt: skip


def test_the_page_lists_our_scores_beside_published_ones_with_their_sources() -> None:
    every = digits(*SCORE.counted)
    table = page(
        [cell("pure_rl", {digits(): 4}, {digits(FIRST): 2}), cell("pure_code", {}, {every: 2})],
        ["pure_rl", "pure_code", "random"],
    )
    text = markdown.render(table)
    one = f"{101 ** (1 / 22) - 1:.1f}"
    ours = f"| pure_rl | 0 | **0.0** [0.0, 0.0] of 4 | 900 | **{one}** [{one}, {one}] of 2 | 4.5"
    assert ours in text
    assert "| pure_code | 0 | - | - | **100.0** [100.0, 100.0] of 2 | 100.0 [100.0, 100.0]" in text
    assert "| random | - | - | - | - | - | - |" in text
    for each in SCORE.published:
        assert f"| {each.score:g} | - | {each.who} | {each.steps} | {each.source} |" in text
    assert SCORE.differs in text
    assert f"| {SECOND} | 0.0 | 100.0 |" in text
    assert "Partial: 2 of 3" in text
    picture = ElementTree.fromstring(score_plot.render(table))
    said = [node.text for node in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "T & T" in said
    assert "Crafter score" in said
    assert {"pure_rl", "human experts"} <= set(said)
    circles = list(picture.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(circles) == 2 + 3  # of the legend; trained and evaluated, and evaluated alone


def test_a_row_of_several_seeds_shows_the_score_of_each() -> None:
    every, none = digits(*SCORE.counted), digits()
    cells = [cell("pure_rl", {every: 1}, {}), cell("pure_rl", {none: 3}, {})]
    table = page([msgspec.structs.replace(each, seed=i) for i, each in enumerate(cells)],
                 ["pure_rl"])  # fmt: skip
    row = "| pure_rl | 0, 1 | **50.0** [50.0, 50.0] (100.0, 0.0) of 4 | 900 |"
    assert row in markdown.render(table)


def test_a_table_of_a_score_without_a_cell_has_a_page_too() -> None:
    empty = page([], ["random"])
    assert "No cell is there yet" in markdown.render(empty)
    assert "<svg" in score_plot.render(empty)


def test_a_table_describes_a_world_in_the_cards_words() -> None:
    known = cell("random", {}, {})
    other = msgspec.structs.replace(known, game="minecraft", world="embedded")
    assert "rules and MineDojo's interface and is not Minecraft; the paper's" in difference([other])
    strange = msgspec.structs.replace(other, game="chess", world="board")
    assert "from the world board; the paper's are from chess." in difference([strange])


def test_the_table_of_crafter_gives_each_method_its_iterations() -> None:
    definition = tables.read("crafter")
    cells = {each.method: each for each in expand(definition, []) if each.seed == 0}
    assert {name: each.limits["iterations"] for name, each in cells.items()} == {
        name: 2 if name in ("rlgpt", "learned_guards") else 1 for name in definition.methods
    }
    assert {name: each.limits["samples"] for name, each in cells.items()} == {
        name: 3_900_000 if name == "learned_guards" else 7_000_000 for name in definition.methods
    }
    assert "limits.iterations=2" in cells["rlgpt"].arguments
    again = {each.method: each for each in expand(definition, ["limits.iterations=3"])}
    assert {each.limits["iterations"] for each in again.values()} == {3}


def test_limits_of_a_method_that_is_not_the_tables_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "launch" / "table").mkdir(parents=True)
    (tmp_path / "launch" / "table" / "mine.yaml").write_text(
        "{title: a, caption: b, tasks: [crafter], methods: [random], seeds: [0], episodes: 1,"
        " limits_of: {rlgtp: {iterations: 1}}}"
    )
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refused, match="`limits_of` is of the method rlgtp, which is not one of"):
        tables.read("mine")
