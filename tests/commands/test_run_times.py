"""How long a run took whose launcher was killed: a pause until it was resumed is none of it."""

import os
import time
from pathlib import Path

import msgspec
import pytest

from nodes.common.storage.sqlite_file import open_table
from nodes.times import FILE as TIMES
from nodes.times import Times, TimesLine
from rlgpt.profiling import profile
from rlgpt.report import stores
from rlgpt.runs import launches
from rlgpt.runs.runs import described


def killed_an_hour_ago(run: Path) -> float:
    """A launch of ten seconds whose launcher was killed; when it began."""
    began = time.time() - 3600.0
    (run / "llm").mkdir()
    (run / "config.yaml").write_text("name: a\nnodes: {llm: {}}\n")
    record = launches.LaunchRecord(began=began, ready=began + 4.0)
    (run / launches.FILE).write_bytes(msgspec.json.encode([record]))
    lines = [msgspec.json.encode(TimesLine(at=began + at, seconds=2.0)) for at in (6.0, 8.0)]
    (run / "llm" / TIMES).write_bytes(b"\n".join([*lines, b'{"at": 1']))
    table = open_table(run / "llm" / "goals.sqlite", "create table goals (record)", "it")
    table.close()
    for path in (run, *run.rglob("*")):
        os.utime(path, (began + 10.0, began + 10.0))
    return began


def test_the_time_between_a_killed_launcher_and_its_resumption_is_not_counted(
    tmp_path: Path,
) -> None:
    began = killed_an_hour_ago(tmp_path)
    resumed = launches.Launches(tmp_path)
    (tmp_path / "launcher.log").write_text("all nodes are ready\n")
    resumed.end("finished")
    first, second = launches.read(tmp_path)
    assert (first.ended, first.how) == (pytest.approx(began + 10.0, abs=0.1), "")
    assert second.ended is not None
    expected = pytest.approx(10.0 + second.ended - second.began, abs=1e-2)
    assert launches.seconds(tmp_path, time.time()) == expected
    assert profile(tmp_path).wall_seconds == expected
    # As a resumed launch is withdrawn that had nothing left to do.
    (tmp_path / launches.FILE).write_bytes(msgspec.json.encode([first]))
    assert described(tmp_path).text.startswith("its launcher was killed, on ")


def test_a_time_of_a_damaged_node_file_is_none_of_an_estimated_launch(tmp_path: Path) -> None:
    began = killed_an_hour_ago(tmp_path)
    with (tmp_path / "llm" / TIMES).open("ab") as file:
        for at in (1e300, -1e300):
            file.write(b"\n" + msgspec.json.encode(TimesLine(at=at, seconds=0.0)))
    (tmp_path / launches.FILE).write_text("{")
    launches.Launches(tmp_path, lambda _: None).end("finished")
    estimated = launches.read(tmp_path)[0]
    assert (estimated.began, estimated.ended) == (began + 4.0, began + 8.0)


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_set_while_a_launch_runs_is_no_time_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    (tmp_path / "llm").mkdir()
    (tmp_path / "config.yaml").write_text("name: a\nnodes: {llm: {}}\n")
    launch = launches.Launches(tmp_path)
    now = time.time
    launch.ready()
    times = Times(tmp_path / "llm" / TIMES, "agents", lambda: 0.0)
    monkeypatch.setattr(time, "time", lambda: now() + hours * 3600.0)
    times.timed("llm/ask", lambda request: time.sleep(0.05), lambda request: "x")(None)
    times.write()
    launch.end("finished")
    assert 0.0 < launches.seconds(tmp_path, time.time()) < 1800.0
    account = profile(tmp_path)
    assert account.wall_seconds < 1800.0
    parts = {part.part: part.seconds for part in account.parts}
    assert parts["agents"] == pytest.approx(account.nodes["llm"]["agents"], abs=1e-2)
    assert parts.get("starting", 0.0) < 1800.0


def test_a_killed_launch_of_an_older_record_ends_with_its_last_line_of_times(
    tmp_path: Path,
) -> None:
    began = killed_an_hour_ago(tmp_path)
    (first,) = launches.read(tmp_path)
    second = launches.LaunchRecord(began=began + 3000.0, ready=began + 3000.0, ended=began + 3100.0)
    third = launches.LaunchRecord(began=began + 3200.0, ended=began + 3201.0)
    records = msgspec.json.encode([first, second, third])
    (tmp_path / launches.FILE).write_bytes(records)
    assert launches.seconds(tmp_path, time.time()) == pytest.approx(8.0 + 100.0 + 1.0)
    assert profile(tmp_path).wall_seconds == pytest.approx(109.0, abs=1e-2)
    (tmp_path / "llm" / TIMES).unlink()  # nothing is known
    assert launches.seconds(tmp_path, time.time()) == pytest.approx(3000.0 + 100.0 + 1.0)


def test_a_damaged_record_is_put_aside_and_the_time_estimated_from_the_nodes(
    tmp_path: Path,
) -> None:
    began = killed_an_hour_ago(tmp_path)
    (tmp_path / launches.FILE).write_bytes(b'[{"began": 1764')
    sentences: list[str] = []
    resumed = launches.Launches(tmp_path, sentences.append)
    resumed.withdraw()
    assert "launches.json.damaged" in sentences[0]
    assert (tmp_path / "launches.json.damaged").read_bytes() == b'[{"began": 1764'
    (lost,) = launches.read(tmp_path)
    assert lost.began == pytest.approx(began + 4.0)
    assert launches.seconds(tmp_path, time.time()) == pytest.approx(4.0)
    launches.Launches(tmp_path, sentences.append)
    assert len(sentences) == 1


def test_a_look_at_a_run_whose_launcher_was_killed_is_no_sign_of_the_run(tmp_path: Path) -> None:
    """SQLite writes files beside a database also where it only reads."""
    began = killed_an_hour_ago(tmp_path)
    file = tmp_path / "llm" / "goals.sqlite"
    assert list(stores.rows(file, "select record from goals")) == []
    assert file.with_name("goals.sqlite-shm").exists()
    assert launches.last_sign(tmp_path) == pytest.approx(began + 10.0, abs=0.1)
    assert launches.seconds(tmp_path, time.time()) == pytest.approx(10.0)
