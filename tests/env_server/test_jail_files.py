"""What a session opens is closed with it, and a task of any length is played."""

import gc
import os
from pathlib import Path

import msgspec

from messages.program import Program
from tests.env_server.jailed_host import TASK, jailed_host, opening, ran

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


def test_a_task_is_played_whose_prompt_is_longer_than_a_word_of_a_command_may_be(
    tmp_path: Path,
) -> None:
    task = msgspec.structs.replace(TASK, prompt="a log, " * 60_000)
    with jailed_host(tmp_path, task=task) as host:
        session = host.open(opening(task=task), None, lambda steps: None)
        assert ran(session, STEP).status == "finished"
        session.close()
