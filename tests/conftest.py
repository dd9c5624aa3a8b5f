"""What tests of several rooms share."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def run_folder() -> Iterator[Path]:
    """An empty run folder with a short path, as Unix sockets' paths end at 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="rlgpt-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
