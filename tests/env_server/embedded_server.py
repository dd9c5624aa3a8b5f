"""The env server as a process, with a small embedded world: fixtures of several files of tests,
which import them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from messages.bus import Bus
from tests.bus_processes import Process

COMPILING = 240.0
"""Seconds for the first session on a machine, which compiles the world's kernels."""
SCRIPT = Path(__file__).parent / "env_server_process.py"


@pytest.fixture
def run(run_folder: Path) -> Path:
    """A run folder, configured."""
    world = {"kind": "embedded", "area": 64}
    config = {
        "name": "test", "run": str(run_folder), "seed": 0, "world": world,
        "nodes": {"env_server": {"parameters": {"world": world}}},
    }  # fmt: skip
    (run_folder / "config.yaml").write_text(yaml.safe_dump(config))
    return run_folder


@pytest.fixture
def bus(run_folder: Path) -> Iterator[Bus]:
    bus = Bus(run_folder)
    yield bus
    bus.close()


@pytest.fixture
def server(run: Path) -> Iterator[Process]:
    process = Process(SCRIPT, run)
    yield process
    if process.popen.poll() is None:
        process.kill()
