"""The thread of a jailed worker that makes worlds: each part of the jail holds for it as well."""

import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nodes.config import ConfigError
from nodes.env_server.env_server import EnvServer
from nodes.env_server.hosting import Hosted
from nodes.env_server.jail.confine import missing
from nodes.env_server.jail.jailed import JailedHost, JailedSession
from nodes.testing import MockBus, start
from tests.env_server.jailed_host import OPTIONS, jailed_host, opening
from tests.env_server.test_jail import TRAINING

ROOT = Path(__file__).parents[2]
WHOLE = pytest.mark.skipif(bool(missing()), reason="this kernel lacks a part of the jail")
CONFINED = """
import os
from nodes.env_server.jail import confine, landlock, seccomp
from voxeldojo.engine import EmbeddedWorld

world = EmbeddedWorld(2, area=32)
run = world.look_ahead(1)

def refused(attempt):
    try:
        attempt()
    except PermissionError:
        return True
    return False

def reads():
    open("/etc/passwd").close()

def forks():
    if os.fork() == 0:
        os._exit(0)

def in_thread(attempt):
    found = []
    run(lambda: found.append(refused(attempt)))
    return found == [True]
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JailedHost]:
    with jailed_host(tmp_path_factory.mktemp("jail")) as host:
        yield host


def exit_code(script: str) -> int:
    """Of a process; it has no output any more once it is confined."""
    source = CONFINED + textwrap.dedent(script)
    # One thread beside the main one, as in a fork server.
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", source]
    return subprocess.run(command, cwd=ROOT, env=alone, check=False).returncode


@WHOLE
def test_every_thread_of_a_worker_is_filtered_and_can_gain_no_privileges(host: JailedHost) -> None:
    session = host.open(opening(**TRAINING), None, lambda steps: None)
    tasks = list(Path(f"/proc/{session._worker._forked.pid}/task").iterdir())
    assert len(tasks) == 2
    for task in tasks:
        status = (task / "status").read_text().split()
        assert status[status.index("Seccomp:") + 1] == "2"
        assert status[status.index("NoNewPrivs:") + 1] == "1"
    session.step(np.zeros(4, np.int64))
    session.close()


@WHOLE
def test_landlock_holds_for_the_thread() -> None:
    script = """
        seccomp.why_not = lambda: "left out"
        confine.confine([], 256, [run])
        os._exit(0 if refused(reads) and in_thread(reads) else 1)
    """
    assert exit_code(script) == 0


@WHOLE
def test_the_filter_holds_for_the_thread() -> None:
    script = """
        landlock.version = lambda: 0
        confine.confine([], 256, [run])
        os._exit(0 if refused(forks) and in_thread(forks) else 1)
    """
    assert exit_code(script) == 0


@WHOLE
def test_a_confined_thread_goes_on_making_worlds() -> None:
    script = """
        import numpy as np
        world.reset(np.arange(2), np.arange(2))
        world.load()
        confine.confine([], 256, [run])
        world.foresee(np.arange(2), np.arange(2) + 5)
        maker = world._maker
        with maker._changed:
            made = maker._changed.wait_for(lambda: len(maker._made) == 1, 60)
        world.reset(np.arange(2), np.arange(2) + 5)
        os._exit(0 if made and maker.taken == 1 else 1)
    """
    assert exit_code(script) == 0


def test_a_thread_that_is_not_named_is_not_left_outside() -> None:
    script = """
        try:
            confine.confine([], 256)
        except OSError as error:
            os._exit(0 if "2 threads are to be confined, 1 named" in str(error) else 1)
        os._exit(2)
    """
    assert exit_code(script) == 0


@contextmanager
def opened(run: Path, session: Mapping[str, Any] = TRAINING, **parameters: Any) -> Iterator[Hosted]:
    """A session, of a training unless another is asked for, of an env server with these
    parameters."""
    world = {"kind": "embedded", **OPTIONS}
    server = start(EnvServer, MockBus("env_server"), run, world=world, **parameters)
    try:
        hosted = server._host.open(opening(**session), None, lambda steps: None)
        yield hosted
        hosted.close()
    finally:
        server.shutdown()


@pytest.mark.parametrize(("ahead", "threads"), [(0, 1), (2, 2)])
def test_worlds_ahead_of_0_leaves_a_worker_without_the_thread(
    tmp_path: Path, ahead: int, threads: int
) -> None:
    with opened(tmp_path, jail="partial", worlds_ahead=ahead) as session:
        assert isinstance(session, JailedSession)
        assert len(os.listdir(f"/proc/{session._worker._forked.pid}/task")) == threads


@pytest.mark.parametrize(("ahead", "threads"), [(0, 0), (2, 1)])
def test_worlds_ahead_of_0_leaves_a_session_without_a_jail_without_the_thread(
    tmp_path: Path, ahead: int, threads: int
) -> None:
    with opened(tmp_path, jail=False, worlds_ahead=ahead):
        running = [each for each in threading.enumerate() if each.name == "worlds ahead"]
        assert len(running) == threads


def test_a_negative_number_of_worlds_ahead_is_refused(tmp_path: Path) -> None:
    words = "worlds_ahead is -1: expected `int` >= 0"
    with pytest.raises(ConfigError, match=words), opened(tmp_path, worlds_ahead=-1):
        pass
