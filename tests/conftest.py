"""What tests of several rooms share."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


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
