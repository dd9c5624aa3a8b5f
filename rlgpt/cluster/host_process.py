"""A node's process, or a launch's, on a host of the cluster. An instance is the actor that Ray
places.

Its methods are what a `Popen` has, as far as another host needs it: start, wait, signal, and the
files that the process leaves. It decides nothing: the launcher's supervisor does.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import BinaryIO

from nodes.common.running.commit import current_commit
from nodes.common.running.process import child_environment, python
from rlgpt.cluster.bringing import Listed
from rlgpt.cluster.free_ports import free_ports
from rlgpt.cluster.host_guardian import HostGuardian
from rlgpt.cluster.snapshots import DATABASE, JOURNALS, Snapshots
from rlgpt.launching.readiness import Readiness

ABANDONED = 30.0
"""Seconds without a question of the launcher's host after which the process is ended."""
STEP = 0.1  # seconds between two looks at the process
PART = 1 << 20  # bytes of a file in one answer


class HostProcess:
    """Made on the host, by Ray."""

    def __init__(self, run: str = "run") -> None:
        """``run``: the run folder's path, seen from where the process is started."""
        self._folder = Path(tempfile.mkdtemp(prefix="rlgpt-host-"))
        self._guardian = HostGuardian(self._folder)  # before there is a key in it
        self._run = self._folder / run
        self._run.mkdir(parents=True)
        self._output = self._folder / "output"
        self._process: subprocess.Popen[bytes] | None = None
        self._living: threading.Thread | None = None
        self._started = threading.Event()
        self._readiness = Readiness(self._folder)
        self._read: BinaryIO | None = None
        self._snapshots = Snapshots(self._folder / "snapshots")
        self._ready = False
        self._failure = ""
        self._asked = time.monotonic()

    def commit(self) -> str | None:
        """The commit of the checkout on this host."""
        return current_commit()

    def host_id(self) -> str:
        """The cluster's id of this host."""
        import ray  # pyright: ignore

        return str(ray.get_runtime_context().get_node_id())

    def run_folder(self) -> str:
        """The run folder on this host."""
        return str(self._run)

    def free_port(self, address: str) -> int:
        """A port that is free at an address of this host, with the one after it. Raises OSError."""
        port = next(free_ports(address), None)
        if port is None:
            raise OSError(f"no port is free at {address}")
        return port

    def put(self, name: str, offset: int, data: bytes) -> None:
        """Write a part of a file of the run folder, before the start."""
        self._asked = time.monotonic()
        path = self._run / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        with path.open("r+b") as file:
            file.seek(offset)
            file.write(data)

    def start(self, module: str, arguments: list[str]) -> str:
        """Start a module. Returns why it could not be started."""
        self._asked = time.monotonic()
        command = python(module, *arguments)
        # The kernel ends a node with the thread that started it: this one lives as long as it does.
        self._living = threading.Thread(target=self._live, args=(command,), daemon=True)
        self._living.start()
        self._started.wait()
        return self._failure

    def _live(self, command: list[str]) -> None:
        environment = {**child_environment(), "NOTIFY_SOCKET": self._readiness.address}
        try:
            with self._output.open("ab") as output:
                self._process = process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env={**environment, "PYTHONUNBUFFERED": "1"},
                    start_new_session=True,
                )
        except OSError as error:
            self._failure = str(error)
            return
        finally:
            self._started.set()
        self._guardian.began(process.pid)
        while process.poll() is None:
            if process.pid in self._readiness.ready_groups():
                self._ready = True
            if time.monotonic() - self._asked > ABANDONED:
                self.signal(signal.SIGKILL)
            time.sleep(STEP)
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)  # what it left
        self._guardian.ended(process.pid)

    def wait(self, seconds: float, read: int) -> tuple[bytes, bool, int | None]:
        """What it printed after the first ``read`` bytes, whether it is ready, and its exit code.
        Returns once there is news, after ``seconds`` at the latest."""
        self._asked = time.monotonic()
        assert self._process is not None
        ready = self._ready
        until = self._asked + seconds
        while True:
            code = self._process.poll()
            with self._output.open("rb") as output:
                output.seek(read)
                text = output.read(PART)
            if text or code is not None or self._ready != ready or time.monotonic() > until:
                return text, self._ready, code
            time.sleep(STEP)

    def signal(self, number: int) -> None:
        """Send a signal to the process."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)

    def files(self, below: str) -> Listed:
        """The files in this folder of the run. Databases come without their journals: `part` reads
        a whole one."""
        self._asked = time.monotonic()
        folder = self._run / below
        found: Listed = []
        for path in sorted(folder.rglob("*")):
            with contextlib.suppress(OSError):
                if not path.is_file() or path.is_symlink() or path.name.endswith(JOURNALS):
                    continue
                read = self._snapshots.take(path) if path.suffix == DATABASE else path
                about = read.stat()
                name = str(path.relative_to(folder))
                found.append((name, about.st_size, about.st_mtime_ns, about.st_ino))
        return found

    def part(self, below: str, path: str, offset: int, number: int) -> bytes:
        """Up to `PART` bytes of the file that `files` has named with that number; none if another
        one has its name by the first part. It stays open until the next file's first part: a
        checkpoint that is replaced meanwhile must not be put together of two."""
        self._asked = time.monotonic()
        if offset == 0:
            self._stop_reading()
        with contextlib.suppress(OSError):  # it was deleted, or cannot be read now
            if offset == 0:
                self._read = self._snapshots.of(self._run / below / path).open("rb")
            if self._read is not None and os.fstat(self._read.fileno()).st_ino == number:
                self._read.seek(offset)
                return self._read.read(PART)
        return b""

    def _stop_reading(self) -> None:
        if self._read is not None:
            self._read.close()
            self._read = None

    def discard(self) -> None:
        """End the process if it has not ended; delete its files on this host, keys included."""
        self.signal(signal.SIGKILL)
        if self._living is not None:
            self._living.join(5.0)  # it looks at the socket that is closed now
        self._readiness.close()
        self._stop_reading()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._guardian.close()
