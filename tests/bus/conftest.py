"""Fixtures of the bus's tests: a run folder, a bus of the test's own in it, and a node to call."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from messages.bus import Bus
from tests.bus import SERVER
from tests.bus_processes import Process, make_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path)


@pytest.fixture
def server(run: Path) -> Iterator[Process]:
    """A node as a process. A test may end it."""
    process = Process(SERVER, run)
    yield process
    if process.popen.poll() is None:
        process.kill()


@pytest.fixture
def surviving(server: Process) -> Iterator[Process]:
    """The same node, which must still run when the test is over."""
    yield server
    assert server.popen.poll() is None, server.popen.communicate()[1]


@pytest.fixture
def bus(run: Path) -> Iterator[Bus]:
    bus = Bus(run)
    yield bus
    bus.close()
