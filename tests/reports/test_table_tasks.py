"""Tables of tasks by id: MineDojo's suite, those that are drawn, and what their pages say."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from nodes.common.goals.budget import longest_evaluation, too_few
from rlgpt.composing.named_goals import goals_of
from rlgpt.refused import Refused
from rlgpt.table import markdown
from rlgpt.table.cells import Cell, expand
from rlgpt.table.definition import Definition, drawn, quick, read
from rlgpt.table.figures import rows
from rlgpt.table.result import CellResult
from rlgpt.table.run_table import Options, Writer
from rlgpt.table.table_page import Page
from rlgpt.table.table_tasks import is_id
from tests.launch_toys.launched import refused
from tests.reports.test_table_figures import cell, definition
from voxeldojo.tasks import task_suite
from worlds.minecraft.card.planning import PLANNING

WOOL, COAL = "harvest_wool_with_shears_and_sheep", "harvest_1_coal"
SWORD = "techtree_from_barehand_to_wooden_sword"


def test_the_suite_table_has_minedojos_32_tasks() -> None:
    suite = task_suite()["programmatic"]
    table = read("suite")
    assert table.tasks == [*suite["standard"], *suite["difficult"]]
    assert len(table.tasks) == 32
    assert table.methods == ["rlgpt", "pure_code", "pure_rl", "mineagent"]
    assert (table.seeds, table.episodes) == ([0, 1, 2], 30)


@pytest.fixture(scope="module")
def suite() -> list[Cell]:
    return expand(read("suite"), [])


def test_a_cell_of_a_minedojo_id_is_launched_by_task_id(suite: list[Cell]) -> None:
    assert len(suite) == 32 * 4 * 3
    wool = next(cell for cell in suite if cell.task == WOOL and cell.method == "pure_rl")
    assert wool.arguments[:4] == ["cell", "task=minedojo", f"task.id={WOOL}", "method=pure_rl"]
    assert wool.file(Path("results")) == Path(f"results/{WOOL}/pure_rl/seed-0.json")


def test_samples_of_an_id_are_what_its_evaluations_may_take_and_what_is_to_learn(
    suite: list[Cell],
) -> None:
    goals = goals_of("minecraft")
    for task in (WOOL, COAL, SWORD, "techtree_from_wood_to_diamond_boots"):
        told = goals.task(task)
        plan = PLANNING.plan_for(told.success, told.inventory)
        whole = longest_evaluation(told, {})
        of_task = {cell.limits["samples"] for cell in suite if cell.task == task}
        assert of_task == {1_000_000 + (len(plan) + 1) * whole}
    # Of what the rules know no plan for, there is the performance alone.
    elytra = {cell.limits["samples"] for cell in suite if cell.task == "harvest_1_elytra"}
    assert elytra == {1_090_000}
    # A hundred days: 30 episodes of 2,400,000 steps take that much.
    survival = {cell.limits["samples"] for cell in suite if cell.task == "survival"}
    assert survival == {1_000_000 + 2 * 30 * 2_400_000}
    assert {cell.limits["iterations"] for cell in suite} == {4, 1}  # mineagent has one


def test_a_quick_table_has_the_samples_that_each_of_its_tasks_needs_to_begin() -> None:
    goals = goals_of("minecraft")
    for name in ("suite", "minedojo10"):
        table = quick(read(name))
        cells = expand(table, [])
        assert len(cells) == len(table.tasks) * len(table.methods)
        samples = {cell.task: cell.limits["samples"] for cell in cells}
        for task in filter(is_id, samples):
            assert not too_few(samples[task], goals.task(task))
        assert set(samples.values()) == {1_000_000} | set(table.samples.values())
    assert quick(read("suite")).samples.keys() == {"survival", "survival_sword_food"}
    # A file of the user's with long episodes: the table itself has to have room for more of them.
    own = definition(tasks=["stick", "bed"], episodes=30, samples={"bed": 301_000_000})
    assert quick(own).samples == {"bed": 20_066_667}


def test_samples_on_the_command_line_replace_those_of_the_table() -> None:
    small = definition(tasks=[WOOL], learn=1_000_000)
    (one,) = {cell.limits["samples"] for cell in expand(small, ["limits.samples=5000"])}
    assert one == 5000


def test_a_draw_is_the_same_each_time_and_has_none_of_the_suite() -> None:
    name, first = drawn("sample", read("sample"), 1)
    assert name == "sample-1"
    assert first.tasks == drawn("sample", read("sample"), 1)[1].tasks
    assert first.tasks != drawn("sample", read("sample"), 2)[1].tasks
    kinds = [goals_of("minecraft").kind(task) for task in first.tasks]
    assert kinds == ["harvest"] * 20 + ["combat"] * 20 + ["techtree"] * 20
    assert len(set(first.tasks)) == 60
    assert not set(first.tasks) & set(read("suite").tasks)
    assert (first.methods, first.seeds, first.episodes) == (["rlgpt", "pure_code"], [0], 20)
    options = Options(draw=1)
    command = Writer(name, first, Path("results"), [], options).command
    assert command == "rlgpt table sample --draw 1"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sample"], "the tasks of sample are drawn: add --draw 1, or another number"),
        (["suite", "--draw", "2"], "--draw 2: the tasks of suite are not drawn"),
        (["suite", "--only", "task=harvest_1_cole"], "the table has no task `harvest_1_cole`"),
    ],
)
def test_samples_that_cannot_be_drawn_are_refused(
    words: list[str], said: str, tmp_path: Path
) -> None:
    assert said in refused("table", *words, cwd=tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_draw_of_unknown_kinds_or_too_many_tasks_is_refused() -> None:
    sample = read("sample")
    assert sample.draw is not None

    def draw(**changes: Any) -> Definition:
        changed = msgspec.structs.replace(sample.draw, **changes)
        return msgspec.structs.replace(sample, draw=changed)

    with pytest.raises(Refused, match="`draw` has the kind `cooking`"):
        drawn("sample", draw(kinds=["cooking"]), 1)
    with pytest.raises(Refused, match="wants 3000 tasks of harvest, which has 895"):
        drawn("sample", draw(count=3000, kinds=["harvest"], without=[]), 1)
    with pytest.raises(Refused, match="there is no table `siute`"):
        drawn("sample", draw(without="siute"), 1)


def test_the_page_has_means_by_kind_and_counts_of_tasks_with_separate_intervals() -> None:
    known = definition(
        tasks=[WOOL, COAL, SWORD],
        methods=["rlgpt", "pure_code"],
        seeds=[0],
        learn=1,
        published={"rlgpt": "3M samples"},
    )

    def of(task: str, method: str, successes: int) -> CellResult:
        return cell(0, successes, task=task, method=method, milestones={"log": successes})

    results = [
        of(WOOL, "rlgpt", 30), of(WOOL, "pure_code", 6), of(COAL, "rlgpt", 15),
        of(COAL, "pure_code", 14), of(SWORD, "rlgpt", 3), of(SWORD, "pure_code", 30),
    ]  # fmt: skip
    page = Page(
        name="x",
        definition=known,
        wanted=6,
        results=results,
        rows=rows(known, results),
        command="",
    )
    text = markdown.render(page)
    assert "| harvest | 0.75 (2) | 0.33 (2) |" in text
    assert "| techtree | 0.10 (1) | 1.00 (1) |" in text
    assert "| all | 0.53 (3) | 0.56 (3) |" in text
    assert (
        f"`rlgpt` is above `pure_code` in 2 of 3 tasks, with intervals apart in 1 ({WOOL}); below "
        f"it in 1, apart in 1 ({SWORD})." in text
    )
    assert "Budgets of the publications: `rlgpt`: 3M samples." in text
    assert f"* {WOOL} by `rlgpt`: log 30 (of 30 episodes)" in text
