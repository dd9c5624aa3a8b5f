"""The env server's end of the fork server: it starts it, watches it, and starts it again.

A thread waits for its end, so that it is back before it is needed. A caller that meets its end
first (with an incomplete reply, or none) uses the next one; only a worker can be lost.
"""

import contextlib
import logging
import math
import mmap
import os
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from messages.bus.failure_text import disk_failure
from messages.undecodable import UNDECODABLE
from nodes.common.running.process import python
from nodes.common.running.process_status import Watch, signal_name
from nodes.env_server.jail.fork_server import FAULT, FirstReport, Spec
from nodes.env_server.programs.part_clock import PLACES, SpentTime
from nodes.env_server.programs.pulse import COLLECTED, SIZE, STEPS

LOG = logging.getLogger("env_server")
MODULE = "nodes.env_server.jail.fork_server"
_ROOT = Path(__file__).resolve().parents[3]
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "XDG_CACHE_HOME", "LD_LIBRARY_PATH")
_KEPT_PREFIXES = ("NUMBA_", "PYTHON")
_SILENT = 60.0  # seconds without CPU time, after which an answer is not waited for any longer
_PAUSES = (0.2, 0.4, 0.8, 1.6)  # seconds before the second start in a row, and those after it
_USES = 5  # fork servers that a worker is asked of in turn: each may be killed just then
_LOOK = 0.2  # seconds between two looks at one that is to answer
_LONG = 8.0  # seconds; a worker that is waited for longer waits for a compiler
_LOOK_IDLE = 1.0  # seconds between two looks at one that is not needed just now
_HEALTHY = 10.0  # seconds; a fork server that ends sooner failed at its start
# Denied clone, a threaded matrix product would wait for ever for threads that never come.
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class NoForkServer(Exception):
    """The fork server failed to start after several attempts; the message has the last cause."""


class NoRoom(NoForkServer):
    """What is shared with a worker cannot be written, as on a full disk."""


class NotWarm(NoForkServer):
    """The game fails where a fork server plays a little of it first; the message has how."""


class _Ended(Exception):
    """This fork server has ended, or is given up; the text has how."""


@dataclass(frozen=True)
class Forked:
    """A worker that was just forked: ``sock`` to talk to it, ``memory`` that it shares, ``spent``
    what it spends its time on, ``dump`` the reading end of the pipe for its tracebacks, ``file``:
    where the memory is, if in any; ``epoch``: the number of the fork server that has it as a
    child."""

    pid: int
    pidfd: int
    sock: socket.socket
    memory: memoryview
    spent: SpentTime
    dump: int
    file: Path | None
    epoch: int


class ForkServer:
    """Started by ``start``, and again whenever it has ended.

    ``module``: what is run as the fork server. ``pulses``: a folder in which each worker's shared
    memory is a file as long as the worker runs; what workers counted is then still there when this
    process was killed, see `left_over`. None: it is in no file. ``renewed`` is called when there is
    another one, with whose start the workers of the last one have ended; ``failed``, with a
    sentence, when there is none and another one does not start; ``slow``, with a sentence, when a
    worker is waited for because the world is still being compiled.
    """

    def __init__(
        self,
        spec: Spec,
        module: str = MODULE,
        pulses: Path | None = None,
        renewed: Callable[[], None] = lambda: None,
        failed: Callable[[str], None] = lambda sentence: None,
        slow: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self._spec = spec
        self._pulses = pulses
        self._module = module
        self._renewed = renewed
        self._failed = failed
        self._slow = slow
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._watch: Watch | None = None
        self._closing = threading.Event()
        self._short_epochs = 0  # in a row
        self.epoch = 0

    def start(self) -> FirstReport:
        """What it reports of the world and of the jail.

        Raises:
            NoForkServer: it does not start.
        """
        with self._lock:
            return self._start()

    def fork(self, early: bool = False) -> Forked:
        """A new worker. Waits until the fork server is warm, but with ``early``: that is enough
        for one that never has a world.

        Raises:
            NoForkServer: there is none, and another one does not start.
        """
        why = ""
        for _ in range(_USES):
            with self._lock:
                if self._control is None:
                    self._start_again()
                try:
                    return self._fork(early)
                except _Ended as ended:
                    why = str(ended)
                    LOG.warning("%s; the next one is asked", ended)
        raise NoForkServer(f"no worker could be forked in {_USES} attempts: {why}")

    def reap(self, forked: Forked) -> int:
        """End a worker, if it has not ended; how it ended, as ``waitpid`` returns it (-1: unknown,
        as its fork server has ended as well). What it counted can still be read until `forget`."""
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(forked.pidfd, signal.SIGKILL)
        status = -1
        with self._lock:
            # Another one may have a child by the same number.
            if self._control is not None and forked.epoch == self.epoch:
                try:
                    answer, _ = self._ask(f"reap {forked.pid}".encode(), [])
                    status = int(answer)
                except (_Ended, ValueError) as ended:
                    LOG.warning("%s when a worker was to be reaped", ended)
                    self._kill()
        forked.sock.close()
        os.close(forked.pidfd)
        os.close(forked.dump)
        return status

    def forget(self, forked: Forked) -> None:
        """A reaped worker's steps have been counted."""
        if forked.file is not None:
            forked.file.unlink(missing_ok=True)

    def close(self) -> None:
        """End the fork server, and all workers with it."""
        self._closing.set()
        process = self._process
        if process is not None:
            process.kill()  # the thread with the lock may be waiting for an answer of it
        with self._lock:
            self._end()

    # ---- inside; the lock is held

    def _start(self) -> FirstReport:
        for pause in (*_PAUSES, None):
            try:
                return self._start_once()
            except _Ended as ended:
                self._end()
                if pause is None or self._closing.is_set():
                    raise NoForkServer(
                        f"the fork server does not start; last error: {ended}; see output.log"
                    ) from None
                LOG.warning("%s at its start; it is started again in %g s", ended, pause)
                self._closing.wait(pause)
        raise AssertionError("the last attempt returns or raises")

    def _start_again(self) -> None:
        """Raises NoForkServer."""
        try:
            if self._closing.is_set():
                raise NoForkServer("the env server stops")
            tried = self._start()
            if tried.error:
                self._end()
                raise NoForkServer(f"the fork server, started again, has no world: {tried.error}")
        except NoForkServer as error:
            if not self._closing.is_set():
                self._failed(str(error))
            raise

    def _start_once(self) -> FirstReport:
        self._end()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with _readable(msgspec.json.encode(self._spec)) as spec, _interrupts_blocked():
                process = subprocess.Popen(
                    python(self._module, str(theirs.fileno())),
                    cwd=_ROOT,
                    env=_environment(),
                    stdin=spec,
                    stdout=subprocess.DEVNULL,
                    pass_fds=(theirs.fileno(),),
                )
        except OSError as error:
            ours.close()
            raise _Ended(f"the fork server cannot be started ({error.strerror})") from error
        finally:
            theirs.close()
        self.epoch += 1
        self._process, self._control, self._watch = process, ours, Watch(process.pid)
        answer, _ = self._answer()
        try:
            tried = msgspec.json.decode(answer, type=FirstReport)
        except UNDECODABLE:
            raise _Ended("the fork server sent an invalid reply") from None
        if not tried.error:  # one with an error ends by itself
            pidfd = os.pidfd_open(process.pid)
            threading.Thread(
                target=self._keep, args=(process, pidfd), name="fork server", daemon=True
            ).start()
        return tried

    def _fork(self, early: bool) -> Forked:
        """Raises NoRoom, NotWarm; _Ended, and then it has been ended."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        reading, writing = os.pipe()
        file = None
        try:
            try:
                shared, page, file = shared_memory(self._pulses)
            except OSError as error:
                where = self._pulses or "memory that is shared"
                raise NoRoom(disk_failure(error, where) or f"{where}: {error}") from error
            try:
                given = [theirs.fileno(), shared, writing]
                answer, files = self._ask(b"early" if early else b"fork", given)
            finally:
                os.close(shared)
            if answer.startswith(FAULT):
                raise NotWarm(answer.removeprefix(FAULT).decode(errors="replace"))
            try:
                pid, pidfd = int(answer), files[0]
            except (ValueError, IndexError):
                for each in files:
                    os.close(each)
                raise _Ended("the fork server sent an incomplete reply") from None
        except BaseException as error:
            ours.close()
            os.close(reading)
            if file is not None:
                file.unlink(missing_ok=True)
            if isinstance(error, _Ended):
                self._end()
            raise
        finally:
            theirs.close()
            os.close(writing)
        os.set_blocking(reading, False)
        memory = page[:SIZE].cast("q")
        spent = SpentTime(page[SIZE : SIZE + 8 * PLACES].cast("q"))
        return Forked(pid, pidfd, ours, memory, spent, reading, file, self.epoch)

    def _ask(self, request: bytes, files: list[int]) -> tuple[bytes, list[int]]:
        """Raises _Ended."""
        assert self._control is not None
        try:
            socket.send_fds(self._control, [request], files)
        except OSError:
            raise _Ended(self._how_it_ended()) from None
        return self._answer(loads=request != b"early")

    def _answer(self, loads: bool = False) -> tuple[bytes, list[int]]:
        """``loads``: the world may have to be loaded before.

        Raises:
            _Ended: there is none, and none is to be expected.
        """
        control, watch = self._control, self._watch
        assert control is not None
        assert watch is not None
        poll = select.poll()
        poll.register(control, select.POLLIN)
        slow_at = time.monotonic() + _LONG if loads else math.inf
        while not poll.poll(_LOOK * 1000):
            if time.monotonic() > slow_at:
                slow_at = math.inf
                self._slow("loading the world; compiling it for the first time takes minutes, once")
            why = "is not needed any more" if self._closing.is_set() else watch.look(_SILENT)
            if why:
                raise _Ended(f"the fork server {why}")
        try:
            answer, files, _, _ = socket.recv_fds(control, 1 << 16, 1)
        except OSError:
            answer, files = b"", []
        if not answer:
            raise _Ended(self._how_it_ended())
        return answer, list(files)

    def _how_it_ended(self) -> str:
        process = self._process
        assert process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1.0)
        return f"the fork server ended ({_how(process.returncode)})"

    def _kill(self) -> None:
        """It is given up; its supervisor starts another one."""
        if self._process is not None:
            self._process.kill()

    def _end(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    # ---- in a thread for each one

    def _keep(self, process: "subprocess.Popen[bytes]", pidfd: int) -> None:
        """Wait for the end of a fork server, and start the next one."""
        began = time.monotonic()
        watch = Watch(process.pid)
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        try:
            while not poll.poll(_LOOK_IDLE * 1000):
                if why := watch.look():
                    LOG.warning("the fork server %s; it is killed", why)
                    process.kill()
        finally:
            os.close(pidfd)
        with self._lock:
            # Or a caller that met its end first has started another one.
            if self._process is process and not self._closing.is_set():
                self._replace(time.monotonic() - began)
        if self._process is not None and not self._closing.is_set():
            self._renewed()

    def _replace(self, lived: float) -> None:
        """The lock is held."""
        why = self._how_it_ended()
        self._short_epochs = self._short_epochs + 1 if lived < _HEALTHY else 0
        if self._short_epochs > _USES:
            self._end()
            self._failed(f"{why}, as have the {_USES} before it, soon after its start")
            return
        LOG.warning("%s; it is started again", why)
        try:
            self._start_again()
        except NoForkServer as error:
            LOG.error("%s", error)


@contextlib.contextmanager
def _readable(data: bytes) -> Iterator[BinaryIO]:
    """A file of nothing but memory to read from: a command has no room for a long prompt."""
    with os.fdopen(os.memfd_create("spec"), "w+b") as file:
        file.write(data)
        file.seek(0)
        yield file


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """A process that is started in here has SIGINT blocked until it ignores it (fork_server.py). A
    terminal's Ctrl-C may reach it too, and in the middle of the imports that is a segmentation
    fault now and then, while msgspec makes its first decoder (messages/codec.py) for one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def left_over(pulses: Path) -> int:
    """The primitive steps that workers of an earlier process took and that were not counted."""
    steps = 0
    for file in sorted(pulses.glob("*.pulse")):
        with contextlib.suppress(OSError):
            data = file.read_bytes()[:SIZE]
            file.unlink()
            if len(data) == SIZE:
                numbers = memoryview(data).cast("q")
                steps += max(numbers[STEPS] - numbers[COLLECTED], 0)
    return steps


def _how(code: int | None) -> str:
    if code is None:
        return "it is not known how"
    if code >= 0:
        return f"exit code {code}"
    return signal_name(-code)


def shared_memory(folder: Path | None) -> tuple[int, memoryview, Path | None]:
    """A file descriptor, the same memory here, and its file. Raises OSError."""
    path = None
    if folder is None:
        file = os.memfd_create("pulse", os.MFD_CLOEXEC)
    else:
        folder.mkdir(exist_ok=True)  # a run folder that was removed stays so
        file, name = tempfile.mkstemp(suffix=".pulse", dir=folder)
        path = Path(name)
    try:
        # With its room on the disk, or else the first write into the memory would be a SIGBUS,
        # which ends the process, where the disk is full.
        os.posix_fallocate(file, 0, mmap.PAGESIZE)
        return file, memoryview(mmap.mmap(file, mmap.PAGESIZE)), path
    except BaseException:
        os.close(file)
        if path is not None:
            path.unlink(missing_ok=True)
        raise


def _environment() -> dict[str, str]:
    """What the fork server needs, and nothing that a worker could give away."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    return kept | dict.fromkeys(_ONE_THREAD, "1")
