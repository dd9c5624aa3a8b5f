"""A file that a user names is there whole or as it was before, whatever happens meanwhile."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from messages.bus.network.curve import make_keys
from nodes.llm.training import __main__ as training
from rlgpt.bags.bag_export import new_file
from rlgpt.main import main
from rlgpt.refused import Refused
from rlgpt.single_runs.playing_again import copy_film
from tests.bags.bag_stack import make_bag_run
from tests.full_disk import files_of_at_most
from tests.launch_toys.launched import refused
from voxeldojo.viewing.png import write_png

OLD = b"an older file"


def keep_film(path: Path) -> None:
    film = path.with_name("film")
    film.write_bytes(bytes(100_000))
    try:
        with files_of_at_most(50_000):
            copy_film(film, path)
    finally:
        film.unlink()


def draw(path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (3, 100, 100), np.uint8)
    with files_of_at_most(10_000):
        write_png(path, noise)


@pytest.mark.parametrize(("write", "error"), [(keep_film, Refused), (draw, OSError)])
def test_a_full_disk_leaves_the_older_file_and_no_part_of_the_new_one(
    tmp_path: Path, write: Callable[[Path], None], error: type[Exception]
) -> None:
    path = tmp_path / "named.file"
    path.write_bytes(OLD)
    with pytest.raises(error) as full:
        write(path)
    if isinstance(full.value, Refused):
        assert full.value.sentence == f"{path} cannot be written: File too large"
        assert full.value.code == 1
    else:
        assert isinstance(full.value, OSError)
        assert full.value.filename == str(path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == OLD


def test_an_export_has_its_name_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.mcap"
    with new_file(path) as file:
        file.write(b"a part")
        file.flush()
        assert not path.exists()  # nor would it be after SIGKILL
    assert path.read_bytes() == b"a part"


@pytest.mark.parametrize("size", [0, 100])  # neither the lock nor config.yaml; the lock alone
def test_a_launch_on_a_full_disk_names_its_folder_and_leaves_none(
    tmp_path: Path, size: int
) -> None:
    with files_of_at_most(size):
        sentence = refused("launch", "harvest_log", "llm=rulebook", "run=runs/new", cwd=tmp_path)
    folder = tmp_path / "runs" / "new"
    assert sentence == f"rlgpt: cannot write to the run folder {folder} (File too large)\n"
    assert not list((tmp_path / "runs").iterdir())


def test_a_run_that_cannot_be_resumed_on_a_full_disk_is_named(tmp_path: Path) -> None:
    run = make_bag_run(tmp_path)
    with files_of_at_most(0):
        sentence = refused("resume", str(run), cwd=tmp_path)
    assert sentence == f"rlgpt: cannot write to the run folder {run} (File too large)\n"


def test_a_program_that_is_not_run_on_a_full_disk_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dig.py").write_text("def act():\n    attack()\n")
    with files_of_at_most(100):
        assert main(["program", "run", "dig.py", "--task", "harvest_log"]) == 1
    assert capsys.readouterr().err.endswith("config.yaml cannot be written: File too large\n")
    assert not list((tmp_path / "runs").iterdir())


def test_keys_on_a_full_disk_are_made_in_pairs(tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    with files_of_at_most(100), pytest.raises(OSError, match="File too large"):
        make_keys(folder, ["critic"])
    make_keys(folder, ["critic"])
    assert {path.name for path in folder.iterdir()} == {"critic.key", "critic.key_secret"}


def test_examples_are_not_made_for_minutes_where_they_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "examples.jsonl"
    made: list[object] = []
    monkeypatch.setattr(training, "to_show", lambda *_: made.append(1))
    monkeypatch.setattr(training, "interrupted_once", lambda: None)
    monkeypatch.setattr("sys.argv", ["llm", "examples", str(path)])
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    assert training.main() == 2
    said = f"rlgpt: {path} cannot be written: {tmp_path} may not be written to\n"
    assert capsys.readouterr().err == said
    assert not made
