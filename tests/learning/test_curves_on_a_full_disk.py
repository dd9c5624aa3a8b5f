"""Training curves that a full disk stops name where they should have been written."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bus_processes import PATIENCE, ROOT
from tests.env_server.test_full_disk import SPACE, no_namespaces

pytestmark = pytest.mark.skipif(no_namespaces(), reason="no disk can be mounted here")

FULL = """
import subprocess, sys, time
from pathlib import Path
from nodes.learner.metrics import Metrics

place = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1M", "tmpfs", str(place)], check=True)
metrics = Metrics(place, "train-it")
try:
    with (place / "fill").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
except OSError:
    pass


def log() -> None:
    while True:  # more than its buffer holds
        metrics.logger.log_scalar("curve", 1.0, step=1)
        metrics.flush()


for call in (log, metrics.flush, metrics.close):
    try:
        call()
    except OSError as error:
        print(error.filename, error.strerror)
"""


def test_the_folder_of_curves_is_named_when_they_cannot_be_written(tmp_path: Path) -> None:
    done = subprocess.run(
        [*SPACE, sys.executable, "-c", FULL, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{tmp_path / 'train-it'} No space left on device"] * 3
