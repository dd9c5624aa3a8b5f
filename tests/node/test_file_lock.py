"""The lock by which there is one process of a name in a run."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from nodes.common.running.file_lock import held
from nodes.common.running.process import AlreadyRunning, hold
from rlgpt.refused import Refused
from rlgpt.runs.run_folder import Lock

HOLDER = """
import sys
from pathlib import Path
from nodes.common.running.file_lock import held
from nodes.common.running.process import hold
file = hold(Path(sys.argv[1]), "critic")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_lock_is_held_until_its_process_ends(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    assert not held(lock)
    command = [sys.executable, "-c", HOLDER, str(lock)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert held(lock)
        with pytest.raises(AlreadyRunning, match=f"critic is already .*process {holder.pid}"):
            hold(lock, "critic")
        assert held(lock), "the attempt has released it"
        with pytest.raises(Refused, match=f"already launched by process {holder.pid}"):
            Lock(tmp_path)
        holder.kill()
    assert not held(lock)
    hold(lock, "critic").close()


def test_a_lock_can_be_taken_while_others_look_at_it(tmp_path: Path) -> None:
    """The dash looks at every node's lock twice a second, also while one is started again."""
    lock = tmp_path / "lock"
    lock.touch()
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            held(lock)

    looking = [threading.Thread(target=look) for _ in range(2)]
    for thread in looking:
        thread.start()
    try:
        for _ in range(500):
            hold(lock, "critic").close()
    finally:
        over.set()
        for thread in looking:
            thread.join()
