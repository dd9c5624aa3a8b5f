"""Commands about runs: rlgpt runs, compare, --version, launch --list."""

import json
import os
import re
import shutil
import sqlite3
import time
from pathlib import Path

import msgspec
import pytest

from messages.bus.actions.goal_store import GoalRecord
from messages.plan import PURSUE
from nodes.common.storage.node_memory import Memory
from nodes.common.storage.stored_goals import StoredGoals
from rlgpt.main import main
from rlgpt.report.writing import write
from rlgpt.runs import launches, run_folder
from rlgpt.runs.runs import size
from rlgpt.runs.typed import run_option, run_word
from tests.report_run import fill, goal_report, launched


def ran(place: Path, name: str, config: str = "") -> Path:
    run = place / "runs" / name
    run.mkdir(parents=True)
    fill(run)
    with (run / "config.yaml").open("a") as file:
        file.write(config)
    launched(run)
    return run


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def close(monkeypatch: pytest.MonkeyPatch, depth: int) -> None:
    """Have files so many folders below the run ``closed`` be such that may not be looked into."""
    is_file = Path.is_file

    def forbidden(path: Path) -> bool:
        if len(path.parents) > depth and path.parents[depth].name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", forbidden)


def test_a_sentence_names_a_run_by_a_word_that_finds_it(place: Path) -> None:
    run, other = ran(place, "one"), place / "elsewhere" / "my one"
    other.mkdir(parents=True)
    (other / "config.yaml").write_text("name: one\n")
    assert (run_word(run), run_option(run)) == ("one", "")  # the newest: needs no option
    assert run_word(other) == "'elsewhere/my one'"
    assert run_option(other) == " --run 'elsewhere/my one'"
    (place / "one").mkdir()
    (place / "one" / "config.yaml").write_text("name: another\n")  # found before the run
    assert run_word(run) == "runs/one"


@pytest.mark.parametrize(
    "words",
    [
        "report FOLDER",
        "profile FOLDER",
        "episode list FOLDER",
        "compare one FOLDER",
        "prompt show planner --run FOLDER",
        "ask planner --run FOLDER",
        "node log --run FOLDER",
        "param changes --run FOLDER",
    ],
)
def test_a_folder_of_something_else_is_no_run_for_any_command(
    place: Path, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    ran(place, "one")
    foreign = place / "foreign"
    foreign.mkdir()
    (foreign / "config.yaml").write_text("hi\n")
    sentence = refused(capsys, *words.replace("FOLDER", str(foreign)).split())
    assert f"{foreign / 'config.yaml'}: it is no launch" in sentence


def test_logs_need_no_whole_launch_file(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = place / "runs" / "cut"
    (run / "critic").mkdir(parents=True)
    (run / "config.yaml").write_text("name: cut\ntask:\n  success:\n    ki")
    (run / "critic" / "node.log").write_text("2026-01-01 00:00:00,000 INFO hello\n")
    assert main(["node", "log", "--run", "cut"]) == 0
    assert "critic info    hello" in capsys.readouterr().out
    assert "did you mean `critic`?" in refused(capsys, "node", "log", "crtic", "--run", "cut")


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    errors = capsys.readouterr().err
    assert errors.startswith("rlgpt: ")
    assert errors.count("\n") == 1
    return errors


def test_runs_lists_state_goal_success_and_samples_also_of_damaged_runs(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "there is no folder runs" in refused(capsys, "runs")
    run = ran(place, "over")
    write(run, goal_report())
    begun = place / "runs" / "begun"
    begun.mkdir()
    (begun / "config.yaml").write_text("{[")  # one that cannot be read is listed all the same
    (place / "runs" / "latest").symlink_to("over")
    (place / "runs" / "skills").mkdir()
    assert main(["runs"]) == 0
    shown = capsys.readouterr().out
    assert "latest" not in shown
    assert "skills" not in shown
    (line,) = [line for line in shown.splitlines() if line.startswith("over")]
    assert line.split()[1:5] == ["reached", "harvest_log", "0.93", "175k"]
    assert main(["runs", "--json"]) == 0
    printed = {each["run"]: each for each in json.loads(capsys.readouterr().out)}
    assert printed["over"]["samples"] == 174_707
    assert printed["over"]["bytes"] > 1000
    assert printed["begun"]["success_rate"] is None


@pytest.mark.parametrize(
    "record",
    [
        {"began": 1e300},
        {"began": -1e300},
        {"began": 1.0, "ended": 1e300},
        {"began": 1.0, "ended": 2.0, "seconds": 1e300},
    ],
)
def test_a_time_that_no_launch_can_have_is_of_a_damaged_file(
    place: Path, capsys: pytest.CaptureFixture[str], record: dict[str, float]
) -> None:
    run = ran(place, "one")
    ran(place, "other")
    (run / launches.FILE).write_text(json.dumps([record]))
    assert launches.read(run) == []
    for words in (["runs"], ["report", "one"], ["compare", "one", "other"]):
        assert main(words) == 0
    assert "one" in capsys.readouterr().out
    resumed = launches.Launches(run)
    assert (run / f"{launches.FILE}.damaged").is_file()
    resumed.end("finished")
    assert len(launches.read(run)) == 2


def test_a_run_that_may_not_be_looked_into_is_named_and_the_others_are_listed(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(ran(place, "over"), goal_report())
    ran(place, "closed")
    close(monkeypatch, 0)
    assert main(["runs"]) == 0
    printed = capsys.readouterr()
    assert printed.err == "rlgpt: left out, may not be read: closed\n"
    assert [line.split()[0] for line in printed.out.splitlines()] == ["run", "over"]


def test_where_no_run_may_be_looked_into_it_does_not_say_that_there_is_none(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(place, "closed")
    close(monkeypatch, 0)
    assert main(["runs"]) == 0
    printed = capsys.readouterr()
    assert printed.err == "rlgpt: left out, may not be read: closed\n"
    assert printed.out == ""


def test_a_run_with_an_unreadable_node_is_named_and_the_others_are_listed(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(ran(place, "over"), goal_report())
    ran(place, "closed")
    close(monkeypatch, 1)
    assert main(["runs"]) == 0
    printed = capsys.readouterr()
    said = "rlgpt: left out, may not be read: runs/closed/"
    assert printed.err.startswith(said)
    assert [line.split()[0] for line in printed.out.splitlines()] == ["run", "over"]
    assert main(["report", "runs/closed"]) == 2  # it is not the report that is in the way
    assert capsys.readouterr().err.endswith(" cannot be read: Permission denied\n")


def test_a_size_is_printed_in_its_largest_unit() -> None:
    assert [size(n) for n in (0, 12_000, 3_140_000, 2_000_000_000)] == [
        "0 kB",
        "12 kB",
        "3.1 MB",
        "2.0 GB",
    ]


def test_compare_prints_what_differs_between_runs(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    node = "nodes: {{learner: {{parameters: {{gamma: {gamma}}}}}}}\n"  # as ${{learner}} becomes
    first = ran(place, "first", "learner: {gamma: 0.99}\n" + node.format(gamma=0.99))
    second = ran(place, "second", "learner: {gamma: 0.9, hidden: 64}\n" + node.format(gamma=0.9))
    whole = goal_report()
    write(first, whole)
    fewer = msgspec.structs.replace(
        whole, iterations=whole.iterations[:1], success=False, chosen={"harvest log": 0}
    )
    write(second, fewer)
    assert main(["compare", "first", "second"]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = {cells[0]: cells[1:] for cells in (re.split(r"  +", line.strip()) for line in lines)}
    assert table["harvest log"] == ["0.93", "0.03"]
    assert table["samples"] == ["175k", "39.6k"]
    assert table["prompt tokens"] == ["3,600", "3,600"]
    assert table["learner.gamma"] == ["0.99", "0.9"]
    assert table["learner.hidden"] == ["-", "64"]
    assert "seed" not in table  # it is the same
    assert main(["compare", "first", "second", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["settings"] == {"learner.gamma": [0.99, 0.9], "learner.hidden": [None, 64]}
    assert [run["state"]["kind"] for run in printed["runs"]] == ["reached", "not_reached"]
    assert "needs two runs or more" in refused(capsys, "compare", "first")
    assert "named twice" in refused(capsys, "compare", "first", "runs/first")
    assert "no run folder third" in refused(capsys, "compare", "first", "third")


def test_the_version_option_prints_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("rlgpt ")


def test_launch_list_prints_the_users_own_files_first(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "launch").mkdir()
    own = "# Two logs, by night. And more.\n# Of which no word.\ndefaults: [harvest_log]\n"
    (place / "launch" / "mine.yaml").write_text(own)
    (place / "launch" / "bare.yaml").write_text("name: bare\n")
    assert main(["launch", "--list", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in printed[:2]] == ["bare", "mine"]
    assert printed[1] == {"name": "mine", "file": "launch/mine.yaml", "about": "Two logs, by night"}
    assert "harvest_log" in [each["name"] for each in printed]
    assert main(["launch", "--list"]) == 0
    assert "Harvest one log in a forest" in capsys.readouterr().out
    assert "which launch file?" in refused(capsys, "launch")
    assert "--json goes with --list" in refused(capsys, "launch", "mine", "--json")


def test_a_run_that_goes_on_takes_time_though_nothing_is_written(tmp_path: Path) -> None:
    """As one without a goal: its launcher says that it lives by the lock alone."""
    (tmp_path / "config.yaml").write_text("name: a\n")
    now = time.time()
    record = launches.LaunchRecord(began=now - 1000.0, ready=now - 990.0)
    (tmp_path / launches.FILE).write_bytes(msgspec.json.encode([record]))
    log = tmp_path / "launcher.log"
    log.write_text("all nodes are ready\n")
    os.utime(log, (now - 990.0, now - 990.0))
    os.utime(tmp_path / "config.yaml", (now - 1000.0, now - 1000.0))
    with run_folder.Lock(tmp_path):
        assert launches.seconds(tmp_path, now) == pytest.approx(1000.0)
    assert launches.seconds(tmp_path, now) == pytest.approx(10.0)  # its launcher was killed


def test_a_run_in_place_of_the_folder_of_runs_is_refused(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was said to hold no runs, in JSON an empty list, with exit code 0."""
    ran(place, "one")
    assert main(["runs", "runs/one", "--json"]) == 2
    printed = capsys.readouterr()
    assert not printed.out
    assert "runs/one is a run itself" in printed.err
    assert main(["runs", "runs/one/config.yaml"]) == 2
    assert "config.yaml is a file" in capsys.readouterr().err


def test_json_has_no_character_that_changes_what_a_terminal_shows(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the tables have none: it is spelled out, and a program reads the same."""
    name = "one\u202eowt"
    ran(place, name)
    ran(place, "two")
    assert main(["runs", "--json"]) == 0
    printed = capsys.readouterr().out
    assert name in {each["run"] for each in json.loads(printed)}
    assert main(["compare", name, "two", "--json"]) == 0
    compared = capsys.readouterr().out
    assert json.loads(compared)["runs"][0]["run"] == name
    assert "\u202e" not in printed + compared


def test_a_run_whose_files_are_no_text_is_listed_with_the_others(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(place, "whole")
    run = ran(place, "damaged")
    (run / "llm").mkdir(exist_ok=True)
    for name, data in {
        "launches.json": b'[{"began": 1.0, "text": "\xff"}]',
        "summary.json": b'{"goal": "\xff"}',
        "goal_report.json": b'{"reason": "\xff"}',
        "llm/parameters.jsonl": b'{"name": "\xff"}\n',
    }.items():
        (run / name).write_bytes(data)
    for node in ("planner", "slow_agent"):
        (run / node).mkdir(exist_ok=True)
    kept = Memory(run / "slow_agent" / "memory.sqlite")
    kept.keep("goal/iteration-0", "text")
    goals = StoredGoals(run / "planner" / "goals.sqlite")
    goals.save(GoalRecord(action=PURSUE.name, goal="goal", status="running", request=[b"x"]))
    with sqlite3.connect(run / "slow_agent" / "memory.sqlite") as table:
        table.execute("update memory set value = ?", (b"\xa1\xff",))
    with sqlite3.connect(run / "planner" / "goals.sqlite") as table:
        table.execute("update goals set record = ?", (b"\x81\xa4goal\xa1\xff",))
    goals.close()
    kept.close()
    assert main(["runs", "--json"]) == 0
    assert {each["run"] for each in json.loads(capsys.readouterr().out)} == {"whole", "damaged"}
    write(run)


def test_a_run_whose_name_is_no_text_is_named_and_the_others_are_listed(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = ran(place, "over").with_name("odd\udcff")
    shutil.copytree(odd.with_name("over"), odd)
    for words in (["runs"], ["runs", "--json"]):
        assert main(words) == 0
        printed = capsys.readouterr()
        said = "rlgpt: left out, rename them, as their names are not in UTF-8: odd<U+DCFF>\n"
        assert printed.err == said
        assert "over" in printed.out
        assert "odd" not in printed.out
    run_folder.point_latest(odd)
    assert main(["report"]) == 2
    assert "odd<U+DCFF> is not in UTF-8: rename what is not" in capsys.readouterr().err


def test_no_run_is_made_where_its_path_would_be_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = tmp_path / "odd\udcff"
    odd.mkdir()
    monkeypatch.chdir(odd)
    assert main(["launch", "harvest_log"]) == 2
    assert "is not in UTF-8; choose another with run=PATH" in capsys.readouterr().err
    assert not list(odd.iterdir())
