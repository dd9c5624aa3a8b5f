"""What a session opens is closed with it."""

import gc
import os
from pathlib import Path

from messages.program import Program
from tests.env_server.jailed_host import jailed_host, opening

STEP = Program(name="step", source="def action(obs):\n    forward()\n", max_steps=5)


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_files_of_a_session_are_closed_with_it_without_the_garbage_collector(
    tmp_path: Path,
) -> None:
    with jailed_host(tmp_path) as host:
        before = open_files()
        gc.disable()
        try:
            for number in range(3):
                session = host.open(opening(f"test/{number}"), None, lambda steps: None)
                session.run_program(STEP)
                session.close()
                del session
            assert open_files() == before
        finally:
            gc.enable()
