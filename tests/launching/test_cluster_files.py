"""The files of a placed process: what its next one goes on from, and what cannot be written."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from rlgpt.cluster.bringing import Bringing, files_to_bring
from rlgpt.cluster.host_process import HostProcess
from rlgpt.cluster.placed_process import PlacedProcess, Signals
from rlgpt.cluster.snapshots import Snapshots
from tests.full_disk import files_of_at_most
from tests.launching.direct_ray import DirectRay

MIB = 1 << 20
NODE = "env_server"


def unchanged(_: str, method: Any) -> Any:
    return method


def table(folder: Path) -> sqlite3.Connection:
    folder.mkdir(parents=True, exist_ok=True)
    made = sqlite3.connect(folder / "episodes.sqlite", isolation_level=None)
    made.execute("create table if not exists episodes (id, world)")
    return made


def episodes(folder: Path) -> list[int]:
    with contextlib.closing(table(folder)) as there:
        return [row[0] for row in there.execute("select id from episodes order by id")]


def host(ray: DirectRay) -> HostProcess:
    return ray.made[-1]


class Placed(PlacedProcess):
    """A process whose files are sent and brought, and which a test plays itself."""

    def __init__(self, run: Path, signals: Signals) -> None:
        self.ray = DirectRay(unchanged)
        super().__init__(self.ray, self.ray.options().remote(), signals, run / NODE, NODE)
        self.there = Path(host(self.ray).run_folder()) / NODE

    def begin(self, run: Path, largest: int) -> None:
        taken, too_large = files_to_bring(run / NODE, largest)
        for path in taken:
            self.send(path, str(path.relative_to(run)))
        self.take_over([str(path.relative_to(run / NODE)) for path in too_large])


def test_what_the_next_process_goes_on_from(tmp_path: Path) -> None:
    folder = tmp_path / "env_server"
    (folder / "videos").mkdir(parents=True)
    kept = {"steps": b"17", "episodes.sqlite": b"rows"}
    left: dict[str, Any] = {"lock": b"1", "output.log": b"x", "videos/a.mp4": b"a film"}
    for name, content in {**kept, **left}.items():
        (folder / name).write_bytes(content)
    there = sorted(folder / name for name in kept)
    assert files_to_bring(folder) == (there, [])
    assert files_to_bring(folder, 3) == ([folder / "steps"], [folder / "episodes.sqlite"])


@pytest.mark.parametrize("largest", [4 << 30, MIB])
def test_a_restart_keeps_a_database_of_many_episodes(tmp_path: Path, largest: int) -> None:
    run = tmp_path / "run"
    with contextlib.closing(table(run / NODE)) as before:
        for number in range(10):
            before.execute("insert into episodes values (?, ?)", (number, bytes(MIB // 2)))
    assert (run / NODE / "episodes.sqlite").stat().st_size > 4 * MIB
    (run / NODE / "films").mkdir()
    (run / NODE / "films" / "a.mp4").write_bytes(bytes(5 * MIB))
    placed = Placed(run, Signals())
    placed.begin(run, largest)
    assert not (placed.there / "films").exists()
    with contextlib.closing(table(placed.there)) as there:
        there.execute("insert into episodes values (10, 0)")
    placed.finish()
    # What was too large to be sent is not replaced by what began without it.
    assert episodes(run / NODE) == list(range(11 if largest > MIB else 10))
    assert (run / NODE / "films" / "a.mp4").stat().st_size == 5 * MIB


def test_a_file_that_cannot_be_written_comes_once_it_can(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    (run / NODE).mkdir(parents=True)
    (run / NODE / "a").write_bytes(b"old")
    (run / NODE / "films").write_text("no folder")
    placed = Placed(run, Signals())
    placed.begin(run, MIB)
    (placed.there / "a").write_bytes(bytes(2 * MIB))
    (placed.there / "b").write_bytes(b"small")
    (placed.there / "films").unlink()
    (placed.there / "films").mkdir()
    (placed.there / "films" / "c").write_bytes(b"small")
    with files_of_at_most(MIB):
        for _ in range(2):
            placed.bring()
    assert (run / NODE / "a").read_bytes() == b"old"
    assert (run / NODE / "b").read_bytes() == b"small"
    placed.finish()
    assert (run / NODE / "a").read_bytes() == bytes(2 * MIB)
    assert (run / NODE / "films" / "c").read_bytes() == b"small"
    assert sorted(path.name for path in (run / NODE).iterdir()) == ["a", "b", "films"]
    printed = capfd.readouterr().out.splitlines()
    assert printed == ["a file was not brought here: a: File too large"]


def test_a_host_that_does_not_answer_is_no_matter_of_one_file(tmp_path: Path) -> None:
    def silent(*_: object) -> bytes:
        raise TimeoutError  # of which Ray's own is a kind

    with pytest.raises(TimeoutError):
        Bringing(tmp_path, silent).bring([("a", 3, 0, 0)])
    assert list(tmp_path.iterdir()) == []


def test_where_no_copy_of_a_database_can_be_made_the_one_before_stands(tmp_path: Path) -> None:
    there = tmp_path / NODE
    snapshots = Snapshots(tmp_path / "snapshots")
    with contextlib.closing(table(there)) as made:
        first = snapshots.take(there / "episodes.sqlite")
        made.execute("insert into episodes values (1, 0)")
        (tmp_path / "snapshots" / "2.sqlite").mkdir()  # it cannot be written
        assert snapshots.take(there / "episodes.sqlite") == first
        assert first.exists()
        second = snapshots.take(there / "episodes.sqlite")
    with contextlib.closing(sqlite3.connect(second)) as copy:
        assert copy.execute("select id from episodes").fetchall() == [(1,)]
    (there / "none.sqlite").write_bytes(b"no database" * 100)
    assert snapshots.take(there / "none.sqlite") == there / "none.sqlite"
