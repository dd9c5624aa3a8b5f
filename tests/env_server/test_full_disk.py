"""A full disk is reported in one sentence by an env server that starts on it."""

import subprocess
import sys
from pathlib import Path

import pytest

from nodes.common.running.exit_codes import UNUSABLE_FILE
from rlgpt.composing.composition import compose_launch
from tests.bus_processes import PATIENCE, ROOT, make_run

SPACE = ["unshare", "--user", "--map-root-user", "--mount"]
"""A namespace, in which a disk of a few megabytes can be mounted."""

MOUNT = """
import shutil, subprocess, sys, time
from pathlib import Path

run, patience = Path(sys.argv[1]), float(sys.argv[2])
config = (run / "config.yaml").read_bytes()
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4M", "tmpfs", str(run)], check=True)
(run / "config.yaml").write_bytes(config)


def fill():
    try:
        with (run / "fill").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
    except OSError:
        pass
"""

# Started once with room, stopped, and started again without any.
AGAIN = """
node = [sys.executable, "-m", "nodes.env_server", "--run", str(run)]
with subprocess.Popen(node, stderr=subprocess.DEVNULL) as first:
    deadline = time.monotonic() + patience
    log = run / "env_server" / "node.log"
    while not (log.exists() and "is ready" in log.read_text()):
        assert first.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    first.terminate()
fill()
sys.exit(subprocess.run(node, timeout=patience).returncode)
"""

FORK = """
from nodes.env_server.jail.forking import ForkServer, NoRoom
from nodes.env_server.jail.fork_server import Spec
from tests.env_server.jailed_host import OPTIONS, TASK

(run / "pulses").mkdir()
fill()
server = ForkServer(Spec(kind="embedded", options=OPTIONS, task=TASK), pulses=run / "pulses")
server.start()
try:
    forked = server.fork(early=True)
    forked.memory[0] = 1
except NoRoom as error:
    sys.exit(str(error))
finally:
    server.close()
"""


def no_namespaces() -> bool:
    mount = [*SPACE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    try:
        return subprocess.run(mount, capture_output=True, check=False).returncode != 0
    except FileNotFoundError:
        return True


pytestmark = pytest.mark.skipif(no_namespaces(), reason="no disk can be mounted here")


def on_a_small_disk(tmp_path: Path, script: str) -> "tuple[Path, subprocess.CompletedProcess[str]]":
    run = make_run(tmp_path, **compose_launch("harvest_log", []))
    done = subprocess.run(
        [*SPACE, sys.executable, "-c", MOUNT + script, str(run), str(PATIENCE)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE,
        check=False,
    )
    return run, done


def test_an_env_server_on_a_full_disk_reports_it_and_is_not_started_again(tmp_path: Path) -> None:
    _, done = on_a_small_disk(tmp_path, AGAIN)
    assert done.returncode == UNUSABLE_FILE, done.stderr
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("env_server: ")
    assert sentence.endswith(" cannot be written: No space left on device; make room on its disk")


def test_what_is_shared_with_a_worker_has_its_room_on_the_disk(tmp_path: Path) -> None:
    """Else the first count that is written into it is a SIGBUS, which ends the env server."""
    run, done = on_a_small_disk(tmp_path, FORK)
    assert (done.returncode, done.stderr) == (
        1,
        f"{run / 'pulses'} cannot be written: No space left on device; make room on its disk\n",
    )
