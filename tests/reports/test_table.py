"""`rlgpt table`: a real cell from its launch to the page, and what a user can do wrong."""

import importlib.util
import json
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
import yaml

from rlgpt.main import main
from rlgpt.table import run_table
from rlgpt.table.cells import expand
from rlgpt.table.definition import quick, read
from tests.launch_toys.launched import refused, rlgpt

CELL = "results/quick/mutton/rlgpt/seed-0.json"
QUICK = ("table", "minedojo10", "--quick", "--only", "task=mutton", "method=rlgpt")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which one quick cell was really run: seven nodes, the rulebook, two episodes."""
    place = tmp_path_factory.mktemp("played")
    done = rlgpt(*QUICK, cwd=place)
    assert done.returncode == 0, done
    assert "1 to run, 0 there already" in done.stdout
    assert "cell 1 of 1  mutton rlgpt seed 0: began; runs/cells/mutton-rlgpt-0-" in done.stdout
    return place


@pytest.fixture
def place(played: Path, tmp_path: Path) -> Path:
    shutil.copytree(played / "results", tmp_path / "results")
    return tmp_path


def cell(place: Path) -> dict:
    return json.loads((place / CELL).read_text())


def test_cell_holds_what_its_launch_measured(played: Path) -> None:
    result = cell(played)
    (run,) = (played / "runs" / "cells").iterdir()
    summary = json.loads((run / "summary.json").read_text())
    assert result["run"] == run.name
    assert result["success_rate"] == summary["success_rate"]
    assert result["episodes"] == 2
    assert result["performed"]
    assert result["samples"] == summary["samples"]
    assert result["samples"]["total"] > 0
    assert result["wall_s"] == pytest.approx(summary["wall_seconds"], abs=0.1)
    assert result["plan"] == [summary["iterations"][0]["subtask"]]
    assert set(result["stops"]) == set(result["plan"])
    assert result["limits"]["samples"] == 1_000_000
    assert result["fingerprint"] == rlgpt("world", "fingerprint", cwd=played).stdout.strip()
    assert not result["dead_loop"]
    config = yaml.safe_load((run / "config.yaml").read_text())
    assert config["skills"] is None
    assert config["nodes"]["fast_agent"]["parameters"]["program_steps"] is None
    for stored in run.glob("fast_agent/**/program-*.json"):
        assert json.loads(stored.read_text())["max_steps"] == 3000


def test_finished_cell_is_not_run_again(place: Path) -> None:
    before = (place / CELL).read_bytes()
    done = rlgpt(*QUICK, cwd=place)
    assert done.returncode == 0, done
    assert "0 to run, 1 there already" in done.stdout
    assert (place / CELL).read_bytes() == before
    assert not (place / "runs").exists()


def test_table_is_written_beside_the_papers_numbers(place: Path) -> None:
    tables = place / "results" / "quick" / "tables"
    for file in tables.iterdir():
        file.unlink()
    done = rlgpt("table", "minedojo10", "--quick", "--show", cwd=place)
    assert done.stdout.split() == [
        f"results/quick/tables/minedojo10.{suffix}" for suffix in ("md", "json", "svg")
    ]
    page = (tables / "minedojo10.md").read_text()
    assert "**Partial: 1 of 60 cells are there.**" in page
    assert "The world differs." in page
    assert "which is no language model" in page
    assert "Wilson" in page
    rate = f"**{cell(place)['success_rate']:.2f}** ["
    (row,) = [line for line in page.splitlines() if line.startswith(f"| mutton | {rate}")]
    assert "paper 0.38" in row
    assert "| stick | -<br>paper 0.65 |" in page
    rows = json.loads((tables / "minedojo10.json").read_text())["rows"]
    (mine,) = [r for r in rows if r["task"] == "mutton" and r["method"] == "rlgpt"]
    assert (mine["episodes"], mine["paper"], mine["seeds"]) == (2, 0.38, [0])
    picture = ElementTree.parse(tables / "minedojo10.svg").getroot()
    texts = [node.text for node in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "mutton" in texts
    assert any(text and "Partial: 1 of 60" in text for text in texts)
    # Of the one cell that is there, a dot and its interval; in the legend a dot for each method
    # that has a cell or a number of the paper.
    legend = len({r["method"] for r in rows if r["episodes"] or r["paper"] is not None})
    assert legend == 4  # of six
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}circle"))) == legend + 1


def test_cell_of_other_limits_is_kept_and_the_difference_reported(place: Path) -> None:
    before = (place / CELL).read_bytes()
    done = rlgpt(*QUICK, "limits.samples=30000", cwd=place)
    assert done.returncode == 0, done
    assert "limits.samples was 1000000 and is 30000" in done.stdout
    assert "--again runs them again" in done.stdout
    assert (place / CELL).read_bytes() == before


def test_broken_cell_is_refused_with_what_is_wrong(place: Path) -> None:
    (place / CELL).write_text("{}")
    sentence = refused(*QUICK, cwd=place)
    assert f"{CELL} is no finished cell" in sentence
    assert "missing required field" in sentence
    (place / CELL).write_bytes(b'{"task": "\xff"}')
    assert f"{CELL} is no finished cell ('utf-8' codec" in refused(*QUICK, cwd=place)
    (place / CELL).write_text(json.dumps({**cell_of_one(), "successes": 3}))
    assert "3 successes of 2" in refused("table", "minedojo10", "--quick", "--show", cwd=place)
    (place / CELL).write_text(json.dumps({**cell_of_one(), "success_rate": 7}))
    assert "its success_rate is 7.0, its successes 2 of 2" in refused(*QUICK, cwd=place)
    (place / CELL).write_text(json.dumps({**cell_of_one(), "milestones": {"mutton": 3}}))
    assert "mutton in 3 of 2 episodes" in refused(*QUICK, cwd=place)
    (place / CELL).write_text(json.dumps({**cell_of_one(), "wall_s": -1}))
    assert "Expected `float` >= 0.0 - at `$.wall_s`" in refused(*QUICK, cwd=place)
    (place / CELL).write_text(json.dumps({**cell_of_one(), "format": 2}))
    assert "its format is 2, and this version reads 1" in refused(*QUICK, cwd=place)


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ({"seed": 1}, "mutton rlgpt seed 1"),
        ({"task": "stick"}, "stick rlgpt seed 0"),
        ({"method": "pure_code"}, "mutton pure_code seed 0"),
        ({"llm": "qwen3_8b"}, "mutton rlgpt llm=qwen3_8b seed 0"),
    ],
)
def test_cell_in_the_file_of_another_is_refused(tmp_path: Path, other: dict, name: str) -> None:
    (tmp_path / CELL).parent.mkdir(parents=True)
    (tmp_path / CELL).write_text(json.dumps({**cell_of_one(), **other}))
    sentence = refused("table", "minedojo10", "--quick", "--show", cwd=tmp_path)
    assert f"{CELL} is the cell {name}, not mutton rlgpt seed 0: move it, or --again" in sentence


def test_shown_table_reports_which_cells_are_of_other_settings(tmp_path: Path) -> None:
    (tmp_path / CELL).parent.mkdir(parents=True)
    (tmp_path / CELL).write_text(json.dumps({**cell_of_one(), "limits": {"samples": 7}}))
    done = rlgpt("table", "minedojo10", "--quick", "--show", cwd=tmp_path)
    assert done.returncode == 2, done
    assert "left out, since " in done.stdout
    assert "limits.samples was 7 and is 1000000" in done.stdout
    assert "1 of what is there (mutton rlgpt seed 0)" in " ".join(done.stdout.split())
    assert "no result of minedojo10 in results/quick is of these settings (1 of" in done.stderr


def test_invisible_characters_of_a_cell_are_spelled_out_in_its_table(tmp_path: Path) -> None:
    cells = expand(quick(read("minedojo10")), [], lambda each: each.task == "mutton")
    (mutton,) = [each for each in cells if each.file(Path("results/quick")) == Path(CELL)]
    hostile = "1\x1b[2J\n| x |\u202e"
    fields: dict[str, Any] = dict.fromkeys(("version", "commit", "world", "game"), hostile)
    fields |= {"milestones": {hostile: 1}, "fingerprint": hostile}
    fields |= {"limits": mutton.limits, "overrides": mutton.overrides}
    (tmp_path / CELL).parent.mkdir(parents=True)
    (tmp_path / CELL).write_text(json.dumps({**cell_of_one(), **fields}))
    done = rlgpt("table", "minedojo10", "--quick", "--show", cwd=tmp_path)
    assert done.returncode == 0, done
    tables = tmp_path / "results" / "quick" / "tables"
    assert "1<U+001B>[2J<U+000A>| x |<U+202E>" in (tables / "minedojo10.md").read_text()
    for file in tables.iterdir():
        assert file.read_text().replace("\n", "").isprintable(), file
    ElementTree.parse(tables / "minedojo10.svg")  # an escape is no XML


def cell_of_one() -> dict:
    samples = {"training": 0, "trial": 0, "evaluation": 1, "total": 1}
    known = {"success_rate": 1.0, "successes": 2, "episodes": 2, "performed": True, "reached": True}
    empty = {"plan": [], "stops": {}, "iterations": [], "milestones": {}, "overrides": []}
    return {
        "task": "mutton", "method": "rlgpt", "llm": "rulebook", "seed": 0, "world": "embedded",
        **known, **empty, "stopped": "", "dead_loop": False, "samples": samples, "tokens": None,
        "wall_s": 1.0, "restarts": 0, "limits": {}, "commit": None, "version": "", "run": "",
        "written": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["minedojo"], "there is no table `minedojo`; did you mean `minedojo10`? (there are: "),
        (["harvest", "--show"], "there is no result of harvest in results yet; `rlgpt table"),
        (["harvest", "--only", "task=stick"], "the table has no task `stick`"),
        (["harvest", "--only", "method=rlgtp"], "no method `rlgtp`; did you mean `rlgpt`?"),
        (["harvest", "--only", "seed=7"], "the table has no seed `7` (there are: 0, 1, 2)"),
        (["harvest", "--only", "seed="], "--only seed=: write task="),
        (["harvest", "--only", "nosuch=1"], "--only nosuch=1: write task="),
        (["harvest", "limits.sample=3"], "did you mean `limits.samples`?"),
        (["harvest", "limits.samples=x"], "cell: `limits.samples`: expected `int`, got `str`"),
        (["harvest", "~limits"], "`~limits` takes something away: write key=value"),
        (["harvest", "limits.samples=1,2"], "has several values; give one"),
        (["harvest", "task=stick"], "is an axis of the table: --only task=stick"),
        (["harvest", "--jobs", "0"], "--jobs 0: at least one"),
        (["harvest", "--show", "--only", "seed=0"], "the whole table: leave it out, or --only"),
        (["harvest", "--show", "--keep-going"], "leave it out, or --keep-going"),
        (["harvest", "--show", "engine=ray"], "leave it out, or engine=ray"),
        (["harvest", "--show", "--again", "--jobs", "2"], "leave it out, or --jobs and --again"),
        (["harvest", "--only", "seed=0", "--only", "nosuch=1"], "--only nosuch=1: write task="),
        (["harvest", "llm.guards_by=rl"], "`llm.guards_by=rl` is for language models, and these"),
        (["harvest", "--show", "+llm.guards_by=rl"], "the rulebook's: put it into a method file"),
        (["harvest", "--ony"], "`--ony` is no option of this command"),
        (["harvest", "--results", "/proc/results"], "cannot write to the results folder"),
    ],
)
def test_table_refuses_unknown_names_axes_and_options(
    tmp_path: Path, arguments: list[str], words: str
) -> None:
    assert words in refused("table", *arguments, cwd=tmp_path)
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["--only", "task=bed", "limits.samples=9", "--only", "method=rlgpt", "seed=2", "a.b=1"],
        ["limits.samples=9", "a.b=1", "--only", "task=bed", "method=rlgpt", "seed=2"],
    ],
)
def test_every_only_counts_and_so_do_the_overrides_behind_it(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[run_table.Options] = []
    monkeypatch.setattr(run_table, "table", lambda _, options: given.append(options) or 0)
    assert main(["table", "minedojo10", *words]) == 0
    (options,) = given
    assert options.only == ["task=bed", "method=rlgpt", "seed=2"]
    assert options.overrides == ["limits.samples=9", "a.b=1"]


def test_a_users_invalid_table_file_is_refused_with_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "launch" / "table").mkdir(parents=True)
    mine = tmp_path / "launch" / "table" / "mine.yaml"
    mine.write_text("title: Mine\ncaption: x\ntasks: [stick]\nmethods: [rlgpt]\nseds: [0]\n")
    sentence = refused("table", "mine", cwd=tmp_path)
    assert "there is no `seds`" in sentence
    assert "did you mean `seeds`?" in sentence
    fine = {"title": "Mine", "caption": "x", "tasks": ["stick"], "methods": ["rlgpt"]}
    fine |= {"seeds": [0], "episodes": 2}
    for wrong, words in (
        ({"tasks": ["stick", "wol"]}, "mine.yaml: there is no task `wol`; did you mean `wool`?"),
        ({"tasks": ["stick", "stick"]}, "`tasks` has stick twice"),
        ({"methods": ["mine"]}, "there is no launch/method/mine.yaml"),
        ({"seeds": [0, -1]}, "expected `int` >= 0"),
        ({"tasks": []}, "`tasks`, or says by `draw` how they are drawn: one of the two"),
        ({"published": {"deps": "much"}}, "`published` is of the method deps"),
        ({"paper": {"wool": {"rlgpt": 0.5}}}, "`paper` is of the task wool"),
        ({"paper": {"stick": {"deps": 0.5}}}, "`paper` is of the method deps"),
        ({"paper_iterations": {"wool": {}}}, "`paper_iterations` is of the task wool"),
        (
            {"paper_iterations": {"stick": {"deps": {0: 0.5}}}},
            "`paper_iterations` is of the method deps",
        ),
        ({"paper_samples": {"deps": "3M"}}, "`paper_samples` is of the method deps"),
        ({"llms": ["rulebook", "openai"]}, "with `by: llm`, not with `by: method`"),
    ):
        mine.write_text(yaml.safe_dump({**fine, **wrong}))
        assert words in refused("table", "mine", cwd=tmp_path)
    mine.write_text("title: [\n")
    assert "mine.yaml is not valid YAML: line 2" in refused("table", "mine", cwd=tmp_path)
    mine.write_text("title: 2020-99-99\n")
    assert "mine.yaml is not valid YAML: month" in refused("table", "mine", cwd=tmp_path)


def test_a_table_on_a_cluster_is_refused_without_ray_before_anything_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is there was read first, and what it was measured in, which takes 17 seconds."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(run_table.tables, "read", lambda _: pytest.fail("it was read"))
    words = ["table", "minedojo10", "engine=ray", "--results", str(tmp_path)]
    assert main(words) == 2
    assert "engine=ray needs Ray, which is not installed" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
