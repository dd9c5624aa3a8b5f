"""The env server's end of the fork server."""

import contextlib
import mmap
import os
import signal
import socket
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

import msgspec

from nodes.env_server.jail.fork_server import Spec, Tried
from nodes.env_server.programs.pulse import COLLECTED, SIZE, STEPS
from nodes.process import python

MODULE = "nodes.env_server.jail.fork_server"
_ROOT = Path(__file__).resolve().parents[3]
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "XDG_CACHE_HOME", "LD_LIBRARY_PATH")
_KEPT_PREFIXES = ("NUMBA_", "PYTHON")
_STARTING = 120.0  # seconds
# Denied clone, a threaded matrix product would wait for ever for threads that never come.
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class NoForkServer(Exception):
    """It does not start, or has ended; the text says what is known."""


@dataclass(frozen=True)
class Forked:
    """A worker that was just forked: ``sock`` to talk to it, ``memory`` that it shares, ``dump``
    the reading end of the pipe for its tracebacks, ``file``: where the memory is, if in any."""

    pid: int
    pidfd: int
    sock: socket.socket
    memory: memoryview
    dump: int
    file: Path | None


class ForkServer:
    """Started with the first ``start``, and again when it is needed and has ended.

    ``module``: what is run as the fork server. ``pulses``: a folder in which each worker's shared
    memory is a file as long as the worker lives; what workers counted is then still there when this
    process was killed, see `left_over`. None: it is in no file.
    """

    def __init__(self, spec: Spec, module: str = MODULE, pulses: Path | None = None) -> None:
        self._spec = spec
        self._pulses = pulses
        self._module = module
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def start(self) -> Tried:
        """What it says of the world and of the jail.

        Raises:
            NoForkServer: it does not start.
        """
        with self._lock:
            return self._start()

    def fork(self, early: bool = False) -> Forked:
        """A new worker. Waits until the fork server is warm, but with ``early``: that will do for
        one that never has a world.

        Raises:
            NoForkServer: there is none, and another one does not start.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        reading, writing = os.pipe()
        shared, memory, file = _shared_memory(self._pulses)
        try:
            with self._lock:
                if self._control is None:
                    self._start()
                answer, files = self._ask(
                    b"early" if early else b"fork", [theirs.fileno(), shared, writing]
                )
                pid, pidfd = int(answer), files[0]
        except BaseException:
            ours.close()
            os.close(reading)
            if file is not None:
                file.unlink(missing_ok=True)
            raise
        finally:
            theirs.close()
            os.close(writing)
            os.close(shared)
        os.set_blocking(reading, False)
        return Forked(pid, pidfd, ours, memory, reading, file)

    def reap(self, forked: Forked) -> int:
        """End a worker, if it has not ended; how it ended, as ``waitpid`` says it (-1: unknown).
        What it counted can still be read until `forget`."""
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(forked.pidfd, signal.SIGKILL)
        with self._lock:
            try:
                status = int(self._ask(f"reap {forked.pid}".encode(), [])[0])
            except NoForkServer:
                status = -1
        forked.sock.close()
        os.close(forked.pidfd)
        os.close(forked.dump)
        return status

    def forget(self, forked: Forked) -> None:
        """A reaped worker's steps have been counted."""
        if forked.file is not None:
            forked.file.unlink(missing_ok=True)

    def close(self) -> None:
        """It ends, and all workers with it."""
        with self._lock:
            self._end()

    # ---- inside; the lock is held

    def _start(self) -> Tried:
        self._end()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        spec = msgspec.json.encode(self._spec).decode()
        try:
            self._process = subprocess.Popen(
                python(self._module, str(theirs.fileno()), spec),
                cwd=_ROOT,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
        except OSError as error:
            ours.close()
            raise NoForkServer(f"the fork server does not start: {error}") from error
        finally:
            theirs.close()
        self._control = ours
        ours.settimeout(_STARTING)
        try:
            said = ours.recv(1 << 16)
        except OSError:
            said = b""
        if not said:
            self._end()
            raise NoForkServer("the fork server does not start; its own words are in the log")
        ours.settimeout(None)
        return msgspec.json.decode(said, type=Tried)

    def _ask(self, request: bytes, files: list[int]) -> tuple[bytes, list[int]]:
        control = self._control
        if control is None:
            raise NoForkServer("the fork server has ended")
        try:
            socket.send_fds(control, [request], files)
            answer, received, _, _ = socket.recv_fds(control, 64, 1)
        except OSError:
            answer, received = b"", []
        if not answer:
            self._end()
            raise NoForkServer("the fork server has ended")
        return answer, received

    def _end(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def left_over(pulses: Path) -> int:
    """The primitive steps that workers of an earlier life took and that nobody has counted."""
    steps = 0
    for file in sorted(pulses.glob("*.pulse")):
        with contextlib.suppress(OSError):
            data = file.read_bytes()[:SIZE]
            file.unlink()
            if len(data) == SIZE:
                numbers = memoryview(data).cast("q")
                steps += max(numbers[STEPS] - numbers[COLLECTED], 0)
    return steps


def _shared_memory(folder: Path | None) -> tuple[int, memoryview, Path | None]:
    """A file descriptor, the same memory here, and its file."""
    path = None
    if folder is None:
        file = os.memfd_create("pulse", os.MFD_CLOEXEC)
    else:
        folder.mkdir(parents=True, exist_ok=True)
        file, name = tempfile.mkstemp(suffix=".pulse", dir=folder)
        path = Path(name)
    try:
        os.ftruncate(file, mmap.PAGESIZE)
        return file, memoryview(mmap.mmap(file, mmap.PAGESIZE))[:SIZE].cast("q"), path
    except BaseException:
        os.close(file)
        raise


def _environment() -> dict[str, str]:
    """What the fork server needs, and nothing that a worker could give away."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    return kept | dict.fromkeys(_ONE_THREAD, "1")
