"""A run folder that was removed while it ran is not made again by what is still written to it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from nodes.env_server.film import Film
from nodes.env_server.jail.forking import shared_memory
from nodes.learner.checkpoints import checkpoint
from nodes.learner.checkpoints.policies import save_spec


@pytest.mark.parametrize(
    "write",
    [
        lambda node: shared_memory(node / "pulses"),
        lambda node: checkpoint.save(node / "walk", {}),
        lambda node: checkpoint.write(node / "walk" / "begun", {}),
        lambda node: save_spec(node / "walk", None),
    ],
    ids=["shared memory of a worker", "a checkpoint", "beside a checkpoint", "a spec"],
)
def test_nothing_makes_a_run_folder_again(tmp_path: Path, write: Callable[[Path], object]) -> None:
    run = tmp_path / "run"
    (run / "node").mkdir(parents=True)
    shutil.rmtree(run)
    with pytest.raises(FileNotFoundError):
        write(run / "node")
    assert not run.exists()


def test_a_film_is_lost_with_its_run_folder(tmp_path: Path) -> None:
    said: list[str] = []
    film = Film(tmp_path / "run/env_server/videos/film.mp4", said.append)
    film.close()
    assert film.lost
    assert "No such file or directory" in said[0]
    assert not (tmp_path / "run").exists()
