"""The process from which workers are forked: a single thread that has loaded everything.

python -m nodes.env_server.jail.fork_server FD < SPEC

Over the socket FD it first reports whether the world of SPEC can be made, then forks a worker for
each request (three file descriptors come along: socket, shared memory, pipe), and reaps those that
it is asked to. It runs no coded actions. When the env server ends it ends too, with its
workers.
"""

import contextlib
import gc
import os
import signal
import socket
import sys
import traceback
import unicodedata  # noqa: F401 - by then it could not be loaded any more
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from messages.program import CheckProgram, Program
from messages.world import OpenSession, Pictures, SeedRange, Task
from nodes.common.running.process import end_with_parent
from nodes.env_server.filmed_steps import HEIGHT, WIDTH
from nodes.env_server.game_fault import Refusal
from nodes.env_server.games import play_of
from nodes.env_server.jail import confined
from nodes.env_server.jail.confine import missing
from nodes.env_server.programs.checking import problems_of
from nodes.env_server.session import Session
from worlds.play import Play, WorldError
from worlds.registry import cause
from worlds.runtime import Runtime

FAULT = b"fault "
"""How the answer to a request for a worker begins that cannot be of use; a sentence follows."""


class Spec(msgspec.Struct, frozen=True, kw_only=True):
    """The world that sessions will ask for."""

    kind: str
    options: dict[str, Any]
    task: Task


class FirstReport(msgspec.Struct, frozen=True, kw_only=True):
    """Reported first: is there such a world, and what is missing of the jail?"""

    error: str = ""
    missing: list[str] = []


def main(arguments: list[str]) -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal; the env server decides
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # blocked while this was imported
    control = socket.socket(fileno=int(arguments[0]))
    spec = msgspec.json.decode(sys.stdin.buffer.read(), type=Spec)
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the env server has ended
        _serve(control, spec)
    return 0


def _serve(control: socket.socket, spec: Spec) -> None:
    try:
        play = play_of(spec.kind, spec.task)
        play.make_world(spec.kind, 1, spec.task, **spec.options).close()
    except (ValueError, WorldError) as error:
        control.send(msgspec.json.encode(FirstReport(error=str(error)[:2000])))
        return
    except Exception as error:  # an option that was not checked before
        traceback.print_exc()
        sentence = (
            f"the {spec.kind} world cannot be created with these options: "
            f"{type(error).__name__}: {error}"
        )
        control.send(msgspec.json.encode(FirstReport(error=sentence[:2000])))
        return
    control.send(msgspec.json.encode(FirstReport(missing=missing())))
    fault = _fault(spec, lambda: warm_language(play))
    request = _Request(control, play.programs)
    if request.what == "early":
        # Checking programs does not have to wait until kernels are loaded, or even compiled.
        request.handle(fault)
        request = None
    elif not request.what:
        return
    fault = fault or _fault(spec, lambda: warm_world(spec, play))
    if len(os.listdir("/proc/self/task")) != 1:
        print("the fork server has more than one thread: forks may hang", file=sys.stderr)
    gc.collect()
    gc.freeze()  # else collections of the workers would copy what they share
    while request is None or request.what:
        if request is not None:
            request.handle(fault)
        request = _Request(control, play.programs)


def _fault(spec: Spec, warm: Callable[[], None]) -> str:
    """Warm up; a sentence if the game fails at it, as it would again in another fork server."""
    try:
        warm()
    except MemoryError:
        raise
    except Exception as error:
        traceback.print_exc()
        game = spec.task.game
        why = str(error) if isinstance(error, Refusal) else cause(game, error)
        return f"the game {game!r} cannot be warmed up: {why}"
    return ""


class _Request:
    """The next one. ``what``: ``fork``, ``early`` (fork before all is warm), ``reap``; empty when
    the env server ended."""

    def __init__(self, control: socket.socket, programs: Runtime) -> None:
        self._control = control
        self._programs = programs
        asked, self._files, _, _ = socket.recv_fds(control, 64, 3)
        self.what, _, self._number = asked.decode().partition(" ")

    def handle(self, fault: str) -> None:
        """``fault``: why no worker of this game can be of use; empty if nothing is wrong."""
        if self.what == "reap":
            status = -1
            with contextlib.suppress(ChildProcessError):
                status = os.waitpid(int(self._number), 0)[1]
            self._control.send(str(status).encode())
            return
        if fault:
            for file in self._files:
                os.close(file)
            self._control.send(FAULT + fault[:2000].encode())
            return
        pid = os.fork()
        if not pid:
            _become_worker(self._control, self._files, self._programs)
        for file in self._files:
            os.close(file)
        opened = os.pidfd_open(pid)
        try:
            socket.send_fds(self._control, [str(pid).encode()], [opened])
        finally:
            os.close(opened)


def _become_worker(control: socket.socket, files: list[int], programs: Runtime) -> None:
    """Does not return."""
    code = 1
    try:
        parent = os.getppid()
        end_with_parent(signal.SIGKILL)
        if os.getppid() == parent:
            control.close()
            sock, shared, dump = files
            confined.run_worker(socket.socket(fileno=sock), shared, dump, programs)
            code = 0
    finally:
        os._exit(code)


def warm_language(play: Play) -> None:
    """Load what checking and compiling need, a name that no game has included."""
    warm = play.warm_up()
    wrong = ("def action(obs):\n    x = (\n", "import os\n", "def action(obs):\n    unknown()\n")
    for source in (warm.program, *wrong):
        problems_of(CheckProgram(program=Program(name="warm", source=source)), play.programs)
    reward = CheckProgram(program=Program(name="warm", source=warm.reward), kind="reward")
    problems_of(reward, play.programs)


def warm_world(spec: Spec, play: Play) -> None:
    """Play a little with everything that there is, so that every kernel is loaded."""
    warm = play.warm_up()
    task = msgspec.structs.replace(spec.task, success=warm.task.success, horizon=1000)
    interface = warm.interface
    request = OpenSession(
        session="warm",
        task=task,
        size=2,
        seeds=SeedRange(first=0, count=4),
        interface=interface,
        pictures=Pictures(),
    )
    world = play.make_world(spec.kind, 2, task, **spec.options)
    session = Session(request, world)
    session.opened()
    for success in warm.conditions:
        session.take(msgspec.structs.replace(interface, success=success, autocraft=True))
        session.step(np.array([1, 2], np.int64))
    session.take(interface)
    for choice in (0, len(interface.actions)):
        session.step(np.array([choice, 1], np.int64))
    session.run_program(Program(name="warm", source=warm.program, max_steps=8))
    world.rgb(0, HEIGHT, WIDTH)
    play.load(world)
    session.episodes()
    session.pictures()
    session.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
