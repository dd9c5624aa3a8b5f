"""What tests of several rooms share."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.parametrised import id_of

if TYPE_CHECKING:
    from voxeldojo.game import Game

# Several test processes share the cores, and OpenMP's threads wait for one another by spinning. It
# is read when torch is imported; the processes that tests start have it as well.
os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """The id of a parametrised test states the value: not `arguments3`."""
    return id_of(val, argname)


@contextlib.contextmanager
def short_folder() -> Iterator[Path]:
    """An empty folder with a short path, as Unix sockets' paths end at 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="rlgpt-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def run_folder() -> Iterator[Path]:
    """An empty run folder."""
    with short_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def game() -> "Iterator[Game]":
    """A player in plains, one for each file of tests."""
    from voxeldojo.viewing.shown_world import open_game  # kernels take a second to load

    game, _ = open_game("plains", 5)
    yield game
    game.close()
