"""A worker's own process: it makes its world, confines itself, and answers until it is to end.

A process of its own, forked by the fork server; it never returns there.
"""

import faulthandler
import logging
import mmap
import signal
import socket
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from messages.bus import GoalCancelled
from messages.codec import CodecError, decode
from messages.program import Checked, CheckProgram
from messages.roll_out import RollOut
from messages.world import PlayOn, ProgramRan, Step, View
from messages.world import TakeInterface as Take
from nodes.common.running.process import show_as
from nodes.env_server.filmed_steps import FrameCount
from nodes.env_server.game_fault import GameFault, playing
from nodes.env_server.games import draw_together, look_ahead, play_of
from nodes.env_server.jail import worker_wire
from nodes.env_server.jail.confine import confine
from nodes.env_server.live_sights import PicturePace
from nodes.env_server.programs import part_clock
from nodes.env_server.programs.checking import problems_of
from nodes.env_server.programs.part_clock import CLOCK
from nodes.env_server.programs.pulse import ALLOWED, CANCEL, PULSE, SIZE, STEPPED, STEPS, WATCHED
from nodes.env_server.session import Session, check_request
from worlds.play import Run, WorldError
from worlds.runtime import Runtime

SESSION, CHECKER = "rlgpt session", "rlgpt checker"
"""What a worker is shown as, by what it is for."""
_HELD = 0.02  # seconds between two looks whether a run that is held may go on
WHERE = signal.SIGUSR1
"""The signal on which a worker writes its traceback to its pipe."""


def run_worker(sock: socket.socket, shared: int, dump: int, programs: Runtime) -> None:
    """``shared``: the memory of the pulse. ``dump``: where tracebacks go, of `WHERE` and of what
    kills the interpreter. ``programs``: of the game whose programs it checks."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    page = memoryview(mmap.mmap(shared, mmap.PAGESIZE))
    memory = page[:SIZE].cast("q")
    PULSE.attach(memory)
    CLOCK.attach(page[SIZE : SIZE + 8 * part_clock.PLACES].cast("q"))
    # Written by a handler in C, so that a loop in C does not delay it.
    faulthandler.enable(file=dump, all_threads=False)
    faulthandler.register(WHERE, file=dump, all_threads=False, chain=False)
    logging.basicConfig(level=logging.INFO, handlers=[_LogToServer(sock)], force=True)
    ConfinedWorker(sock, memory, dump, programs).serve()


class ConfinedWorker:
    def __init__(
        self, sock: socket.socket, memory: memoryview, dump: int, programs: Runtime
    ) -> None:
        self._programs = programs
        self._sock = sock
        self._memory = memory
        self._dump = dump
        self._session: Session | None = None
        self._confined = False

    def serve(self) -> None:
        going = True
        while going:
            try:
                ask = decode(_ASK, worker_wire.read(self._receive))
            except (EOFError, OSError):
                return  # the env server ended
            except CodecError as error:
                answer: Any = worker_wire.Refused(why="failed", text=str(error))
            else:
                CLOCK.switch(part_clock.SESSION)
                going = not isinstance(ask, worker_wire.End)
                answer = self._answer(ask)
            PULSE.leave()
            CLOCK.switch(part_clock.IDLE)
            worker_wire.write(self._sock, answer)

    def _answer(self, ask: Any) -> Any:
        try:
            return self._do(ask)
        except WorldError as error:
            return worker_wire.Refused(why="no_world", text=str(error))
        except ValueError as error:
            return worker_wire.Refused(why="invalid", text=str(error))
        except GoalCancelled:
            return worker_wire.Cancelled()
        except (MemoryError, SystemError) as error:
            # A program that fills the memory may catch the error and go on, so that it is the
            # engine that finds none. Compiled code reports it by a SystemError.
            traceback.clear_frames(error.__traceback__)
            return worker_wire.Refused(why="memory", text=type(error).__name__)
        except BaseException as error:  # SystemExit too: a program cannot end the worker by it
            logging.getLogger("env_server").error("%s", traceback.format_exc(limit=-8))
            if isinstance(error, GameFault):
                return worker_wire.Refused(why="failed", text=str(error)[:500])
            return worker_wire.Refused(why="failed", text=f"{type(error).__name__}: {error}"[:500])

    def _do(self, ask: Any) -> Any:
        if isinstance(ask, worker_wire.Make):
            return self._make(ask)
        if isinstance(ask, worker_wire.Confine):
            show_as(CHECKER)
            self._confine(ask.memory)
            return worker_wire.Done()
        # No text from outside is even parsed before the worker is confined.
        if not self._confined:
            raise RuntimeError("a worker works only once it is confined")
        if isinstance(ask, CheckProgram):
            return Checked(problems=problems_of(ask, self._programs))
        session = self._session
        if session is None:
            raise RuntimeError("there is no session yet")
        if isinstance(ask, Step):
            return session.step(np.asarray(ask.choices))
        if isinstance(ask, PlayOn):
            return session.play_on(ask)
        if isinstance(ask, RollOut):
            return session.roll_out(ask)
        if isinstance(ask, Take):
            session.take(ask.interface, ask.environments, ask.begins, ask.guards)
            return session.opened()
        if isinstance(ask, worker_wire.Run):
            return self._run(session, ask)
        if isinstance(ask, worker_wire.Show):
            with playing(session.task.game):
                return worker_wire.Pictured(
                    pictures=session.pictures(),
                    choices=session.choices(),
                    mistakes=session.mistakes(),
                )
        if isinstance(ask, worker_wire.End):
            session.close()
            return worker_wire.Done()
        with playing(session.task.game):
            return worker_wire.Standing(
                episodes=session.episodes(), endings=session.endings(), guards=session.guards()
            )

    def _make(self, ask: worker_wire.Make) -> worker_wire.Made:
        show_as(SESSION)
        request = ask.request
        check_request(request, request.size)  # before its seeds are used
        CLOCK.switch(part_clock.WORLD)
        play = play_of(ask.kind, request.task)
        world = play.make_world(ask.kind, request.size, request.task, **ask.options)
        # Whatever the world imports or loads when it is first played, it has to load now.
        first = np.zeros(1, np.int64)
        with playing(request.task.game):
            world.reset(first, first + request.seeds.first)
            play.load(world)
        # No thread can be started any more later.
        maker = look_ahead(world, request, ask.ahead)
        drawers = draw_together(world, request, ask.threads)
        self._confine(ask.memory, [*drawers, *([] if maker is None else [maker])])
        CLOCK.switch(part_clock.SESSION)
        film = _Frames(self._sock, ask.frames) if ask.frames else None
        model = None if ask.model is None else AskedModel(self._sock, self._receive, *ask.model)
        watcher = _Watcher(self._sock, self._memory)
        session = self._session = Session(request, world, film, self._count, model, watcher)
        if ask.over:
            session.end_all_episodes()
        return worker_wire.Made(opened=session.opened(), episodes=session.episodes())

    def _confine(self, memory: int, threads: Sequence[Run] = ()) -> None:
        confine((self._sock.fileno(), self._dump), memory, threads)
        self._confined = True

    def _run(self, session: Session, ask: worker_wire.Run) -> ProgramRan:
        memory = self._memory

        def check() -> None:
            while True:
                if memory[CANCEL] == ask.number:
                    raise GoalCancelled("it is not wanted any more")
                if not memory[ALLOWED] or memory[STEPPED] < memory[ALLOWED] - 1:
                    break
                time.sleep(_HELD)  # the env server is paused
            memory[STEPPED] += 1

        request = ask.request
        steps, reports = session.run_program(
            request.program, check, request.environments, request.begins, request.guards
        )
        with playing(session.task.game):
            return ProgramRan(steps=steps, reports=reports, episodes=session.episodes())

    def _count(self, steps: int) -> None:
        self._memory[STEPS] += steps

    def _receive(self, length: int) -> bytearray:
        return receive_exactly(self._sock.recv_into, length)


class _Frames(FrameCount):
    """Forwards frames to the env server, which writes the film."""

    def __init__(self, sock: socket.socket, longest: int) -> None:
        super().__init__(longest)
        self._sock = sock

    def add(self, rgb: np.ndarray) -> None:
        self.left -= 1
        worker_wire.write(self._sock, worker_wire.Frame(rgb=rgb))

    def close(self) -> None:
        """Do nothing: the env server closes the film."""


class _Watcher:
    """Forwards sights to the env server, which publishes them."""

    def __init__(self, sock: socket.socket, memory: memoryview) -> None:
        self._sock = sock
        self._memory = memory
        self._pause = PicturePace()

    def wants_sight(self) -> bool:
        return bool(self._memory[WATCHED]) and self._pause.over()

    def show(self, steps: int, view: View, picture: np.ndarray, above: np.ndarray) -> None:
        seen = worker_wire.Seen(steps=steps, view=view, picture=picture, above=above)
        worker_wire.write(self._sock, seen)


class AskedModel:
    """Forwards calls of the video model to the env server, which has it."""

    def __init__(
        self,
        sock: socket.socket,
        receive: Callable[[int], bytearray],
        height: int,
        width: int,
        seconds: float,
    ) -> None:
        self._sock, self._receive = sock, receive
        self.height, self.width, self.seconds = height, width, seconds

    def embed(self, frames: np.ndarray) -> np.ndarray:
        parts = range(0, len(frames), worker_wire.FRAMES)
        return np.concatenate(
            [
                self._ask(worker_wire.Embed(frames=frames[at : at + worker_wire.FRAMES]))
                for at in parts
            ]
        )

    def reward(self, clips: np.ndarray, prompt: str, negatives: Sequence[str] = ()) -> np.ndarray:
        return self._ask(worker_wire.Rate(clips=clips, prompt=prompt, negatives=list(negatives)))

    def _ask(self, question: worker_wire.Embed | worker_wire.Rate) -> np.ndarray:
        worker_wire.write(self._sock, question)
        estimate = decode(worker_wire.Estimate, worker_wire.read(self._receive))
        if estimate.error:
            raise ValueError(estimate.error)
        return np.asarray(estimate.values)


class _LogToServer(logging.Handler):
    """What is logged is sent to the env server, whose log it is."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__()
        self._sock = sock

    def emit(self, record: logging.LogRecord) -> None:
        try:
            worker_wire.write(
                self._sock, worker_wire.Logged(level=record.levelno, text=record.getMessage())
            )
        except OSError:
            self.handleError(record)


def receive_exactly(recv_into: Callable[[memoryview], int], length: int) -> bytearray:
    """Raises EOFError: the other end is closed."""
    data = bytearray(length)
    view, got = memoryview(data), 0
    while got < length:
        more = recv_into(view[got:])
        if not more:
            raise EOFError
        got += more
    return data


_ASK: Any = worker_wire.Ask
