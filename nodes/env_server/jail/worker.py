"""A worker as the env server sees it: called, waited for, watched, and ended if it stands still.

The thread that waits for an answer is the monitor. A worker is stuck when it is inside a program
and has not gone on for ``PATIENCE`` seconds of CPU time, so that an overloaded machine kills no
worker; one that only sleeps gets ``LONG_PATIENCE``. The engine may take as long as it
takes while it makes a world, and ``ENGINE`` later on, when nothing can be compiled any more.

No program is blamed for what it cannot do: a jailed process sends no signals, so that one that was
killed or stopped by a signal was so from outside, unless the kernel was out of memory.
"""

import contextlib
import logging
import os
import re
import select
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from messages.bus import GoalCancelled
from messages.codec import CodecError, decode
from nodes.common.running.process_status import STOPPED_FOR, Status, signal_name, status_of
from nodes.env_server.filmed_steps import HEIGHT, WIDTH
from nodes.env_server.jail import worker_wire
from nodes.env_server.jail.confined import WHERE, receive_exactly
from nodes.env_server.jail.forking import Forked, ForkServer
from nodes.env_server.live_sights import LARGEST_MAP, SessionSights
from nodes.env_server.programs.compiler import FILE_NAME
from nodes.env_server.programs.pulse import (
    ALLOWED,
    CANCEL,
    COLLECTED,
    INSIDE,
    MARK,
    STEPPED,
    STEPS,
    TURN,
    WATCHED,
)
from nodes.env_server.video_model import FRAMES, VideoModel
from nodes.times import spending, watch
from worlds.play import EMBEDDING, WorldError

LOG = logging.getLogger("env_server")
PATIENCE = 2.0  # seconds of CPU time
LONG_PATIENCE = 20.0  # seconds on the clock
ENGINE = 110.0  # seconds without a sign of life, outside of programs
_LOOK = 0.1  # seconds between two looks
_SEND = 10.0  # seconds to take a question
_OBEY = 10.0  # seconds to stop a program that is no longer wanted
_TRACEBACK = 0.5  # seconds to write where it stands
_DYING = 5.0  # seconds between the end of a worker's socket and its own; after that it goes on
_LONGEST_GAP = 1.0  # seconds between two looks that count: this process may have been stopped
_MOST_LINES = 200  # of one worker, in the log
_PLACE = re.compile(r'File "' + re.escape(FILE_NAME) + r'([0-9a-f]{1,16})>", line (\d{1,6})\b')
_ANSWER: Any = worker_wire.Answer
# How a process ends by itself. All other signals come from outside.
_OWN_DOING = (
    *(signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT),
    *(signal.SIGSYS, signal.SIGTRAP, signal.SIGXCPU, signal.SIGXFSZ),
)


class WorkerLost(Exception):
    """The worker was lost. ``blamed``: it was inside a program then; ``mark`` is which (0: not
    known), ``line`` where in it (0: not known). ``killed``: from outside."""

    def __init__(
        self, what: str, blamed: bool, mark: int = 0, line: int = 0, killed: bool = False
    ) -> None:
        where = f" inside line {line}" if line else " inside a program" if blamed else ""
        super().__init__(f"the worker {what}{where}")
        self.blamed, self.mark, self.line, self.killed = blamed, mark, line, killed


class Worker:
    """``counted`` is called with primitive steps, ``film`` gets the frames of environment 0,
    ``early``: see `ForkServer.fork`, ``model`` is called for the worker, ``sights`` get what its
    player sees. Calls may not overlap."""

    def __init__(
        self,
        server: ForkServer,
        counted: Callable[[int], None] = lambda steps: None,
        film: Callable[[np.ndarray], None] = lambda rgb: None,
        early: bool = False,
        model: VideoModel | None = None,
        sights: SessionSights | None = None,
    ) -> None:
        self._server = server
        self._counted = counted
        self._film = film
        self._model = model
        self._sights = sights
        with spending("world"):  # which the fork server may still be loading
            self._forked: Forked = server.fork(early)
        self._memory = self._forked.memory
        self._forked.sock.settimeout(_SEND)
        self._poll = select.poll()
        self._poll.register(self._forked.sock, select.POLLIN)
        self._steps = 0
        self._lines = 0
        self._runs = 0
        self._alive = True
        self._memory_kills = memory_kills()

    @property
    def epoch(self) -> int:
        """The epoch of the fork server: the worker does not outlive it."""
        return self._forked.epoch

    def ask(
        self,
        message: Any,
        deadline: float | None = None,
        check: Callable[[], None] | None = None,
        steps_allowed: Callable[[int], int | None] | None = None,
    ) -> Any:
        """The answer. ``deadline``: seconds. ``check`` is called now and then; a `GoalCancelled`
        that it raises stops a run. ``steps_allowed`` is called now and then with the steps that a
        run has begun, and returns how many it may begin, None for any number.

        Raises:
            WorkerLost: it died, or was ended.
            ValueError, WorldError, RuntimeError: it refused.
            GoalCancelled: by ``check``.
        """
        if not self._alive:
            raise WorkerLost("has ended", False)
        try:
            question = worker_wire.packed(message)
        except CodecError as error:
            raise ValueError(str(error)) from error  # the request is to blame, not the worker
        confined = not isinstance(message, worker_wire.Make | worker_wire.Confine)
        wait = _Wait(self, deadline, check, confined, steps_allowed)
        if steps_allowed is not None:
            self._memory[STEPPED] = 0
            self.held_at(steps_allowed)
        turn = self._memory[TURN]
        self.tell_watched()
        answer = self._answer(question, wait)
        if wait.cancelled is not None:
            raise wait.cancelled
        if isinstance(answer, worker_wire.Refused):
            if answer.why == "memory":  # it cannot go on; the fault of a program, if one ran
                raise self._end("ran out of memory", blamed=self._memory[TURN] != turn)
            error = {"invalid": ValueError, "no_world": WorldError}.get(answer.why, RuntimeError)
            raise error(answer.text)
        if not isinstance(answer, worker_wire.ANSWERS[type(message)]):
            raise self._end(f"sent what is no answer (a {type(answer).__name__})")
        return answer

    def _answer(self, question: bytes, wait: "_Wait") -> Any:
        """What comes back after all that the worker sends before it: frames, sights, its log, and
        questions of its own."""
        try:
            self._forked.sock.sendall(question)
            while True:
                answer = decode(_ANSWER, worker_wire.read(wait.receive))
                if isinstance(answer, worker_wire.Frame):
                    self._show(answer.rgb)
                elif isinstance(answer, worker_wire.Seen):
                    self._publish(answer)
                elif isinstance(answer, worker_wire.Logged):
                    self._log(answer)
                elif isinstance(answer, worker_wire.Embed | worker_wire.Rate):
                    self._forked.sock.sendall(worker_wire.packed(self._estimate(answer)))
                else:
                    return answer
                wait.look()
        except TimeoutError:
            raise self._end("takes no questions") from None
        except (EOFError, OSError):
            raise self._end("died") from None
        except (worker_wire.Broken, CodecError) as error:
            raise self._end(f"sent what is no answer ({error})") from None
        finally:
            self._count()

    def number(self) -> int:
        """The number of the next run, by which it can be cancelled."""
        self._runs += 1
        return self._runs

    def close(self) -> None:
        if self._alive:
            self._alive = False
            self._reap()

    # ---- for those who wait

    def ready(self) -> bool:
        return bool(self._poll.poll(_LOOK * 1000))

    def receive_into(self, view: memoryview) -> int:
        return self._forked.sock.recv_into(view)

    def cancel(self) -> None:
        self._memory[CANCEL] = self._runs

    def tell_watched(self) -> None:
        """Whether what its player sees is wanted."""
        if self._sights is not None:
            self._memory[WATCHED] = int(self._sights.wanted)

    def pulse(self) -> tuple[int, bool]:
        self._count()
        return self._memory[TURN], bool(self._memory[INSIDE])

    def held_at(self, steps_allowed: Callable[[int], int | None]) -> bool:
        """Let the run come as far as it is allowed; whether that is anywhere short of its end."""
        allowed = steps_allowed(self._memory[STEPPED])
        self._memory[ALLOWED] = 0 if allowed is None else allowed + 1
        return allowed is not None

    def status(self) -> Status | None:
        return status_of(self._forked.pid)

    def begin_waiting(self) -> None:
        """An answer takes longer than most."""
        self._memory_kills = memory_kills()

    def stuck(self, what: str = "stopped responding") -> WorkerLost:
        return self._end(what)

    def stopped(self) -> WorkerLost:
        return self._end("was stopped by a signal", blamed=False, killed=True)

    # ---- inside

    def _count(self) -> None:
        steps = self._memory[STEPS]
        if steps > self._steps:  # it is another process's number: it may be anything
            self._counted(steps - self._steps)
            self._memory[COLLECTED] = self._steps = steps
        if (own := watch()) is not None and (spent := self._forked.spent.take()):
            own.move(spent)

    def _show(self, rgb: np.ndarray) -> None:
        if rgb.shape != (3, HEIGHT, WIDTH) or rgb.dtype != np.uint8:
            raise worker_wire.Broken(f"a picture of {rgb.shape}")
        with spending("film"):
            self._film(rgb)

    def _publish(self, seen: worker_wire.Seen) -> None:
        if seen.picture.shape != (3, HEIGHT, WIDTH) or seen.picture.dtype != np.uint8:
            raise worker_wire.Broken(f"a picture of {seen.picture.shape}")
        if seen.above.dtype != np.uint8 or seen.above.size > LARGEST_MAP:
            raise worker_wire.Broken(f"a map of {seen.above.shape}")
        if self._sights is not None:
            self._sights.show(seen.steps, seen.view, seen.picture, seen.above)

    def _estimate(self, question: worker_wire.Embed | worker_wire.Rate) -> worker_wire.Estimate:
        """What the video model returns for it."""
        model = self._model
        if model is None:
            raise worker_wire.Broken("a question to a model that there is not")
        if isinstance(question, worker_wire.Embed):
            frames = question.frames
            if frames.shape[1:] != (3, model.height, model.width) or frames.dtype != np.uint8:
                raise worker_wire.Broken(f"frames of {frames.shape}")
            if not 1 <= len(frames) <= worker_wire.FRAMES:
                raise worker_wire.Broken(f"{len(frames)} frames")
            return worker_wire.Estimate(values=model.embed(frames))
        clips = question.clips
        if clips.shape[1:] != (FRAMES, EMBEDDING) or clips.dtype != np.float32:
            raise worker_wire.Broken(f"clips of {clips.shape}")
        try:
            return worker_wire.Estimate(
                values=model.reward(clips, question.prompt, question.negatives)
            )
        except ValueError as error:
            return worker_wire.Estimate(values=np.zeros(0, np.float32), error=str(error))

    def _log(self, line: worker_wire.Logged) -> None:
        self._lines += 1
        if self._lines <= _MOST_LINES:
            LOG.log(min(max(line.level, 10), 50), "%s", line.text[:4000])

    def _end(self, what: str, blamed: bool | None = None, killed: bool = False) -> WorkerLost:
        """Request the worker's traceback, kill it and report the cause. ``blamed``: whether a
        program is at fault; None: decide from the traceback."""
        ended = what == "died" and self._has_ended()
        blamed = bool(self._memory[INSIDE]) if blamed is None else blamed
        mark = int(self._memory[MARK])
        line = 0
        if blamed:
            mark, line = self._place(mark)
        self._alive = False
        status = self._reap()
        if what == "died":
            what = f"died ({_cause(status)})" if ended else "closed its socket"
            if ended and _from_outside(status):
                if memory_kills() > self._memory_kills:
                    what += " as the machine was out of memory"
                else:
                    blamed, killed = False, True
        return WorkerLost(what, blamed, mark if blamed else 0, line if blamed else 0, killed)

    def _has_ended(self) -> bool:
        """By itself, or about to: what a process has open is closed a moment before."""
        poll = select.poll()
        poll.register(self._forked.pidfd, select.POLLIN)
        return bool(poll.poll(_DYING * 1000))

    def _reap(self) -> int:
        status = self._server.reap(self._forked)
        self._count()
        self._server.forget(self._forked)
        # It is the session's, which has this worker: such a circle would keep the shared memory,
        # and its file, until the garbage collector comes, some hundred sessions later.
        self._counted = _not_counted
        return status

    def _place(self, mark: int) -> tuple[int, int]:
        """Mark and line of the innermost frame of a program."""
        with contextlib.suppress(OSError):  # it has ended: its traceback is in the pipe already
            signal.pidfd_send_signal(self._forked.pidfd, WHERE)
        dump = b""
        end = time.monotonic() + _TRACEBACK
        while time.monotonic() < end and len(dump) < 1 << 16:
            try:
                more = os.read(self._forked.dump, 1 << 12)
            except BlockingIOError:
                if _PLACE.search(dump.decode("ascii", "replace")):
                    break
                time.sleep(0.01)
                continue
            if not more:
                break
            dump += more
        found = _PLACE.search(dump.decode("ascii", "replace"))
        return (int(found[1], 16), int(found[2])) if found else (mark, 0)


def _not_counted(steps: int) -> None:
    """Of a worker that has ended, all steps were counted."""


class _Wait:
    """Waiting for one answer."""

    def __init__(
        self,
        worker: Worker,
        deadline: float | None,
        check: Callable[[], None] | None,
        confined: bool,
        steps_allowed: Callable[[int], int | None] | None = None,
    ) -> None:
        self._worker = worker
        self._confined = confined
        self._steps_allowed = steps_allowed
        self._deadline = deadline
        self._check = check
        self.cancelled: GoalCancelled | None = None
        self._state = -1, False
        self._had: float | None = None  # seconds of CPU time, when it was last seen to go on
        self._looked: float | None = None
        # Seconds of waiting: all of it, since it went on, of those asleep, and stopped by a signal.
        self._waited = self._still = self._asleep = self._stopped = 0.0

    def receive(self, length: int) -> bytearray:
        return receive_exactly(self._more, length)

    def _more(self, view: memoryview) -> int:
        while not self._worker.ready():
            self.look()
        return self._worker.receive_into(view)

    def look(self) -> None:
        """Raises WorkerLost: it has stood still for too long."""
        passed = self._passed()
        self._waited += passed
        self._worker.tell_watched()
        if self._deadline is not None and self._waited > self._deadline:
            raise self._worker.stuck(f"gave no answer within {self._deadline:g} s")
        if self._check is not None and self.cancelled is None:
            try:
                self._check()
            except GoalCancelled as error:
                self.cancelled = error
                self._worker.cancel()
                self._waited, self._deadline = 0.0, _OBEY
        status = self._worker.status()
        self._stopped = self._stopped + passed if status and status.state == "T" else 0.0
        if self._stopped >= STOPPED_FOR:
            raise self._worker.stopped()
        state = self._worker.pulse()
        if self._steps_allowed is not None and self._worker.held_at(self._steps_allowed):
            self._state = -1, False  # it is paused where it stands
        if state != self._state:
            self._state, self._had, self._still, self._asleep = state, None, 0.0, 0.0
            return
        if status is None or self._stopped:
            return
        self._still += passed
        self._asleep = self._asleep + passed if status.state not in "RD" else self._asleep
        if not state[1]:
            if self._confined and self._still >= ENGINE:
                raise self._worker.stuck()
        elif self._had is None:
            self._had = status.processor
        elif self._asleep >= LONG_PATIENCE or status.processor - self._had >= PATIENCE:
            raise self._worker.stuck()

    def _passed(self) -> float:
        """Seconds since the last look."""
        now = time.monotonic()
        if self._looked is None:
            self._worker.begin_waiting()
            self._looked = now
        passed, self._looked = min(now - self._looked, _LONGEST_GAP), now
        return passed


def memory_kills() -> int:
    """How many processes the kernel has killed for lack of memory."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0


def _from_outside(status: int) -> bool:
    """Whether a worker was ended from outside: by a signal that it cannot send, or with its
    fork server."""
    return status < 0 or (os.WIFSIGNALED(status) and os.WTERMSIG(status) not in _OWN_DOING)


def _cause(status: int) -> str:
    if status < 0:
        return "with the fork server"
    if os.WIFSIGNALED(status):
        return signal_name(os.WTERMSIG(status))
    return f"exit code {os.waitstatus_to_exitcode(status)}"
