"""Where a session is held: in the env server's own process, or in a jailed worker.

This is the one place where one is made. Both ways give the same interface, the same replies and,
for the same seeds, the same numbers.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from threadpoolctl import threadpool_limits

from messages.bus.gate import Gate
from messages.program import CheckProgram, Problem, Program, ProgramReport
from messages.roll_out import RolledOut, RollOut
from messages.world import (
    ChoiceUse,
    Episode,
    Guard,
    GuardReport,
    Interface,
    Opened,
    OpenSession,
    Picture,
    PlayedOn,
    PlayOn,
    Stepped,
    Task,
)
from nodes.common.storage.episode_store import PlayPart
from nodes.env_server.film import Film
from nodes.env_server.games import draw_together, look_ahead, make_world, play_of
from nodes.env_server.live_sights import Sights
from nodes.env_server.programs.checking import problems_of
from nodes.env_server.programs.part_clock import CLOCK, IDLE, SESSION, SpentTime
from nodes.env_server.session import Session
from nodes.env_server.video_model import VideoModel
from nodes.times import watch
from worlds.play import Ints


class HostedSessionLost(Exception):
    """The session was lost with the process that held it; the text has why, for its user.
    ``killed``: it was killed from outside."""

    def __init__(self, text: str, killed: bool = False) -> None:
        super().__init__(text)
        self.killed = killed


class Hosted(Protocol):
    """What the env server calls of a session; see `Session` for what the calls mean.

    All of them raise ValueError for what is invalid, and `HostedSessionLost`.
    """

    name: str
    size: int
    lock: threading.Lock
    film: Any

    def opened(self) -> Opened: ...
    def as_opened(self, request: OpenSession) -> OpenSession:
        """The request that it was opened with, without programs that may not run."""
        ...

    def as_played(self, part: PlayPart) -> PlayPart:
        """What the last call of `take` or `run_program`, ``part``, had the session do: the same
        without programs that may not run."""
        ...

    def take(
        self,
        interface: Interface,
        environments: Sequence[int] = (),
        begins: bool = False,
        guards: Sequence[Guard] = (),
    ) -> None: ...
    def step(self, choices: Ints) -> Stepped: ...
    def play_on(self, request: PlayOn) -> PlayedOn: ...
    def roll_out(self, request: RollOut) -> RolledOut: ...
    def run_program(
        self,
        program: Program,
        check: Callable[[], None] = ...,
        environments: Sequence[int] = (),
        begins: bool = False,
        guards: Sequence[Guard] = (),
    ) -> tuple[int, list[ProgramReport]]: ...
    def episodes(self) -> list[Episode]: ...
    def endings(self) -> list[str]: ...
    def pictures(self) -> list[Picture]: ...
    def choices(self) -> list[ChoiceUse]: ...
    def mistakes(self) -> dict[str, int]: ...
    def guards(self) -> list[GuardReport]: ...
    def close(self) -> None: ...


class Host(Protocol):
    """``jail``: ``on``, ``off (why)`` or ``partial (why)``; ``killed``: how many workers were ended
    for what a program did. ``gate`` holds runs of programs where they are while it is shut."""

    jail: str
    killed: int
    gate: Gate

    def open(
        self, request: OpenSession, film: Film | None, counted: Callable[[int], None]
    ) -> Hosted:
        """Raises ValueError, WorldError."""
        ...

    def check(self, request: CheckProgram) -> list[Problem]: ...
    def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class WorldSetup:
    """The worlds that a host makes sessions in, and what the sessions share."""

    kind: str
    options: dict[str, Any]
    task: Task  # that the kind is tried on
    model: VideoModel | None = None
    sights: Sights | None = None
    ahead: int = 0  # worlds that a training's session may make ahead
    threads: int = 1  # how many draw the pictures of a step


class OwnProcess:
    """Sessions in this process, beside everything else: there is no jail, and ``why``.

    Raises:
        ValueError, WorldError: there is no such world.
    """

    def __init__(self, setup: WorldSetup, why: str) -> None:
        self._setup = setup
        self.jail = f"off ({why})"
        self.killed = 0
        self.gate = Gate()  # the node's, once there is one
        threadpool_limits(1, "blas")  # as in a worker: policies decide by small matrices
        make_world(setup.kind, 1, setup.task, **setup.options)
        self._programs = play_of(setup.kind, setup.task).programs

    def open(
        self, request: OpenSession, film: Film | None, counted: Callable[[int], None]
    ) -> Session:
        setup = self._setup
        world = make_world(setup.kind, request.size, request.task, **setup.options)
        try:
            look_ahead(world, request, setup.ahead)
            draw_together(world, request, setup.threads)
            watcher = None if setup.sights is None else setup.sights.of(request)
            return Session(request, world, film, counted, setup.model, watcher)
        except BaseException:
            world.close()
            raise

    def check(self, request: CheckProgram) -> list[Problem]:
        return problems_of(request, self._programs)

    def close(self) -> None:
        """There is nothing to release."""


def clocked(handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A handler of an env server whose sessions live in its own process: what they spent the time
    on is taken from the clock. A worker has one of its own."""

    def handle(request: Any) -> Any:
        passed = SpentTime(CLOCK.memory)
        CLOCK.switch(SESSION)
        try:
            return handler(request)
        finally:
            CLOCK.switch(IDLE)
            if (own := watch()) is not None:
                own.move(passed.take())

    return handle


Jail = bool | Literal["partial"]
"""The env server's parameter. With ``true`` it does not start where any part of the jail is
missing, with ``partial`` it uses what there is; ``false``: no jail."""
