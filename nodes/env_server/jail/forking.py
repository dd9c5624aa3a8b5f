"""The env server's end of the fork server."""

import contextlib
import fcntl
import mmap
import os
import signal
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import msgspec

from nodes.env_server.jail.fork_server import Spec, Tried
from nodes.env_server.programs.pulse import SIZE

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
    the reading end of the pipe for its tracebacks."""

    pid: int
    pidfd: int
    sock: socket.socket
    memory: memoryview
    dump: int


class ForkServer:
    """Started with the first ``start``, and again when it is needed and has ended.

    ``module``: what is run as the fork server.
    """

    def __init__(self, spec: Spec, module: str = MODULE) -> None:
        self._spec = spec
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
        shared, memory = _shared_memory()
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
            raise
        finally:
            theirs.close()
            os.close(writing)
            os.close(shared)
        os.set_blocking(reading, False)
        return Forked(pid, pidfd, ours, memory, reading)

    def reap(self, forked: Forked) -> int:
        """End a worker, if it has not ended; how it ended, as ``waitpid`` says it (-1: unknown)."""
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
                [sys.executable, "-m", self._module, str(theirs.fileno()), spec],
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


def _shared_memory() -> tuple[int, memoryview]:
    """A file descriptor and the same memory here, of a size that nobody can change."""
    file = os.memfd_create("pulse", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(file, mmap.PAGESIZE)
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, seals)
        return file, memoryview(mmap.mmap(file, mmap.PAGESIZE))[:SIZE].cast("q")
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
