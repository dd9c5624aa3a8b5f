"""Sessions in jailed workers: each has a worker of its own, and one more checks programs."""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from messages.bus.gate import Gate
from messages.program import Checked, CheckProgram, Problem, Program, ProgramReport
from messages.roll_out import RolledOut, RollOut
from messages.world import (
    RUN_PROGRAM,
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
    RunProgram,
    Step,
    Stepped,
)
from messages.world import TakeInterface as Take
from nodes.common.storage.episode_store import PlayPart
from nodes.env_server.film import Film
from nodes.env_server.hosting import HostedSessionLost, WorldSetup
from nodes.env_server.jail import worker_wire
from nodes.env_server.jail.fork_server import Spec
from nodes.env_server.jail.forking import MODULE, ForkServer, NoForkServer, NotWarm
from nodes.env_server.jail.worker import Worker, WorkerLost
from nodes.env_server.pausable_run import PausableRun
from nodes.env_server.programs.pulse import mark_of
from nodes.env_server.quarantine import Quarantine, programs_of
from worlds.play import Ints, WorldError

LOG = logging.getLogger("env_server")
_ANSWERING = 110.0  # seconds for one answer, programs and engine together
_CHECKING = 30.0
_ENDING = 5.0
_WORKERS = 5  # that are tried in turn, where none was ended by a program


class JailedHost:
    """``memory``: MiB that a worker may take beyond its world. ``module``: the fork server's.
    ``pulses``: a folder for what workers share with this process, see `ForkServer`. The setup's
    ``model`` stays in this process, workers call it. ``failed`` is called with a sentence when no
    process can be forked any more, ``slow`` when the first session waits for a compiler.

    Raises:
        ValueError: there is no such world.
        NoForkServer: no process can be forked here.
    """

    def __init__(
        self,
        setup: WorldSetup,
        quarantine: Quarantine,
        memory: int,
        *,
        module: str = MODULE,
        pulses: Path | None = None,
        failed: Callable[[str], None] = lambda sentence: None,
        slow: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self.killed = 0
        self.gate = Gate()  # the node's, once there is one
        self.quarantine = quarantine
        self._setup, self._memory = setup, memory
        self._checking = threading.Lock()
        self._checker: Worker | None = None
        spec = Spec(kind=setup.kind, options=setup.options, task=setup.task)
        self._server = ForkServer(spec, module, pulses, self._renew_checker, failed, slow)
        tried = self._server.start()
        if tried.error:
            self._server.close()
            raise ValueError(tried.error)
        self.missing = tried.missing
        self.jail = f"partial ({', '.join(tried.missing)})" if tried.missing else "on"
        try:
            with self._checking:  # a fork server that ends is renewed in another thread
                self._have_checker()
        except BaseException:
            self._server.close()
            raise

    def open(
        self, request: OpenSession, film: Film | None, counted: Callable[[int], None]
    ) -> "JailedSession":
        return JailedSession(self, request, film, counted)

    def check(self, request: CheckProgram) -> list[Problem]:
        if problems := self.quarantine.problems(request.program.source):
            return problems
        with self._checking:
            for _ in range(_WORKERS):
                try:
                    checked: Checked = self._have_checker().ask(request, deadline=_CHECKING)
                    return checked.problems
                except ValueError as error:
                    return [Problem(line=1, message=f"the program cannot be read: {error}"[:300])]
                except WorkerLost as lost:
                    self._checker = None
                    if self.blame(lost, [request.program]):
                        return self.quarantine.problems(request.program.source)
                    why = lost
                except NoForkServer as error:
                    raise _no_world(error) from error
        raise WorldError(f"no program can be checked: {why}, {_WORKERS} times in a row")

    def worker(
        self, counted: Callable[[int], None], film: Film | None, request: OpenSession
    ) -> Worker:
        """Raises WorldError: there can be none, which is no program's doing."""

        def add(rgb: Any) -> None:
            if film is not None and film.left > 0:
                film.add(rgb)

        try:
            setup = self._setup
            sights = None if setup.sights is None else setup.sights.of(request)
            return Worker(self._server, counted, add, model=setup.model, sights=sights)
        except NoForkServer as error:
            raise _no_world(error) from error

    def making(self, request: OpenSession, film: Film | None, over: bool) -> worker_wire.Make:
        setup, model = self._setup, self._setup.model
        return worker_wire.Make(
            request=request,
            kind=setup.kind,
            options=setup.options,
            frames=0 if film is None else film.left,
            over=over,
            memory=self._memory,
            ahead=setup.ahead,
            threads=setup.threads,
            model=None if model is None else (model.height, model.width, model.seconds),
        )

    def blame(self, lost: WorkerLost, programs: Iterable[Program]) -> bool:
        """A worker was lost with these programs in it: whether one of them is to blame, which is
        then not run again. If it is not known which, all of them are."""
        if not lost.blamed:
            LOG.error("%s, and no program ran in it then", lost)
            return False
        self.killed += 1
        given = list(programs)
        guilty = [program for program in given if mark_of(program.source) == lost.mark]
        for program in guilty or given:
            self.quarantine.add(program, lost.line if guilty else 0, str(lost))
        return True

    def close(self) -> None:
        self._server.close()  # first: then no thread waits for it any more
        if self._checker is not None:
            self._checker.close()

    def _have_checker(self) -> Worker:
        """The lock is held. Raises NoForkServer."""
        if self._checker is not None and self._checker.epoch == self._server.epoch:
            return self._checker
        if self._checker is not None:
            self._checker.close()
            self._checker = None
        why = ""
        for _ in range(_WORKERS):
            checker = Worker(self._server, early=True)
            try:
                checker.ask(worker_wire.Confine(memory=self._memory))
            except WorkerLost as lost:
                why = str(lost)
                continue
            self._checker = checker
            return checker
        raise NoForkServer(f"{why}, {_WORKERS} times in a row, before it was given anything to do")

    def _renew_checker(self) -> None:
        """There is another fork server: it forks its first worker, as at the start."""
        with self._checking, contextlib.suppress(NoForkServer):
            self._have_checker()


def _no_world(error: NoForkServer) -> WorldError:
    known = isinstance(error, NotWarm)
    return WorldError(str(error) if known else f"{error}; the env server's log has why")


class JailedSession:
    """`Session`'s interface over a worker."""

    def __init__(
        self,
        host: JailedHost,
        request: OpenSession,
        film: Film | None,
        counted: Callable[[int], None],
    ) -> None:
        self.name = request.session
        self.size = request.size
        self.lock = threading.Lock()
        self.film = film
        self._host = host
        self._request = request
        self._counted = counted
        self._interface = request.interface
        self._guards = list(request.guards)
        self._episodes: list[Episode] = []
        self._sent: Take | RunProgram | None = None  # the last of them
        self._cut: list[Episode] | None = None  # how they stood when a program was ended in its run
        self._worker = self._begin(over=False)

    def opened(self) -> Opened:
        return self._opened

    def as_opened(self, request: OpenSession) -> OpenSession:
        return self._begun_with

    def as_played(self, part: PlayPart) -> PlayPart:
        sent = self._sent
        if isinstance(sent, RunProgram):
            return msgspec.structs.replace(part, program=sent.program, guards=sent.guards)
        if isinstance(sent, Take):
            return msgspec.structs.replace(part, interface=sent.interface, guards=sent.guards)
        return part

    def take(
        self,
        interface: Interface,
        environments: Sequence[int] = (),
        begins: bool = False,
        guards: Sequence[Guard] = (),
    ) -> None:
        self._interface, self._guards = interface, list(guards)
        self._sent = Take(
            session=self.name,
            interface=self._host.quarantine.interface_without_quarantined(interface),
            environments=list(environments),
            begins=begins,
            guards=self._host.quarantine.guards_without_quarantined(guards),
        )
        self._opened = self._ask(self._sent)

    def step(self, choices: Ints) -> Stepped:
        return self._ask(Step(session=self.name, choices=choices))

    def play_on(self, request: PlayOn) -> PlayedOn:
        return self._ask(request)

    def roll_out(self, request: RollOut) -> RolledOut:
        return self._ask(request)

    def run_program(
        self,
        program: Program,
        check: Callable[[], None] = lambda: None,
        environments: Sequence[int] = (),
        begins: bool = False,
        guards: Sequence[Guard] = (),
    ) -> tuple[int, list[ProgramReport]]:
        held = self._host.quarantine.report(program, environments or range(self.size))
        if held is not None:  # a subtask, and a stage that is pictured, begin with it all the same
            program = self._host.quarantine.program_unless_quarantined(program)
        self._sent = request = RunProgram(
            session=self.name,
            program=program,
            environments=list(environments),
            begins=begins,
            guards=self._host.quarantine.guards_without_quarantined(guards),
        )
        stood = self.episodes()
        before, self._ran = self._ran, 0
        try:
            run = worker_wire.Run(request=request, number=self._worker.number())
            pausable = PausableRun(self._host.gate, RUN_PROGRAM.name)
            try:
                ran = self._worker.ask(run, check=check, steps_allowed=pausable.steps_allowed)
            finally:
                pausable.end()
        except WorkerLost as lost:
            if not self._host.blame(lost, [program, *programs_of(guards)]):
                raise self._gone(lost) from lost
            rows = self._playing(environments)
            found = (each for each in programs_of(guards) if mark_of(each.source) == lost.mark)
            guard = next(found, None)
            report = ProgramReport(
                program=program.name,
                status="killed",
                count=len(rows) or 1,
                steps=self._ran,
                line=lost.line if guard is None else 0,
                error=str(lost) if guard is None else f"{guard.name}: {lost}",
                environments=rows,
            )
            steps = self._ran
            self._worker = self._begin(over=True)
            self._cut = [_cut_off(episode) for episode in stood]
            return steps, [report]
        finally:
            self._ran += before
        if self._cut is None:
            self._episodes = ran.episodes
        return ran.steps, ran.reports if held is None else [held]

    def episodes(self) -> list[Episode]:
        """The episodes as they stand. None goes on after a program was ended: those that were over
        by then are what they were, and the others are cut off as they stood before its run."""
        if self._cut is None:
            self._episodes = self._ask(worker_wire.Look()).episodes
        return self._cut or self._episodes

    def endings(self) -> list[str]:
        """See `Session.endings`."""
        if self._cut is None:
            return self._ask(worker_wire.Look()).endings
        cut = "a program in it was ended by force"
        return [cut if episode.ended == "horizon" else "" for episode in self._cut]

    def pictures(self) -> list[Picture]:
        return self._shown().pictures if self._request.pictures else []

    def choices(self) -> list[ChoiceUse]:
        return self._shown().choices if self._acted() else []

    def mistakes(self) -> dict[str, int]:
        return self._shown().mistakes if self._acted() else {}

    def _acted(self) -> bool:
        return self._interface is not None and not self._request.autoreset

    def _shown(self) -> worker_wire.Pictured:
        return self._ask(worker_wire.Show())

    def guards(self) -> list[GuardReport]:
        """The guards' reports of the present worker: what guards did in one that was ended is not
        known."""
        return self._ask(worker_wire.Look()).guards

    def close(self) -> None:
        try:
            self._worker.ask(worker_wire.End(), deadline=_ENDING)
        except WorkerLost as lost:
            LOG.debug("session %s: %s when it was closed", self.name, lost)
        finally:
            self._worker.close()
            if self.film is not None:
                self.film.close()

    # ---- inside

    def _begin(self, over: bool) -> Worker:
        """A new worker with the session in it. If a program of the prefix or the interface stopped
        the worker, the next worker runs without that program. If the worker was killed from
        outside, the next one is the same."""
        request = self._request
        if over:
            request = msgspec.structs.replace(
                request,
                prefix=[],
                lead=[],
                interface=self._interface,
                guards=self._guards,
                guard=None,
            )
        programs = self._programs(request)
        kills_left = _WORKERS  # workers that may still be lost by no program's doing
        programs_left = len(programs)  # workers that may still be lost by a program's doing
        while True:
            worker = self._host.worker(self._count, self.film, request)
            allowed = self._host.quarantine.without_quarantined(request)
            try:
                made: worker_wire.Made = worker.ask(self._host.making(allowed, self.film, over))
            except WorkerLost as lost:
                if self._host.blame(lost, programs):
                    programs_left -= 1
                else:
                    kills_left -= 1
                if programs_left < 0 or kills_left < 1:
                    raise self._gone(lost) from lost
            except BaseException:
                worker.close()
                raise
            else:
                self._opened, self._episodes = made.opened, made.episodes
                if not over:
                    self._begun_with = allowed
                return worker

    def _ask(self, message: Any) -> Any:
        try:
            return self._worker.ask(message, deadline=_ANSWERING)
        except WorkerLost as lost:
            self._host.blame(lost, self._programs(self._request, self._interface))
            raise self._gone(lost) from lost

    def _gone(self, lost: WorkerLost) -> HostedSessionLost:
        left_out = ": what stopped it does nothing there" if lost.blamed else ""
        return HostedSessionLost(
            f"The session {self.name!r} was lost, for {lost}: open it again and play its episodes "
            f"from the start{left_out}.",
            lost.killed,
        )

    def _programs(self, request: OpenSession, interface: Interface | None = None) -> list[Program]:
        """All programs that may run in the session now."""
        guards = [*request.guards, *self._guards, *([request.guard] if request.guard else [])]
        leads = [*request.lead, *request.guarded]
        found = [*request.prefix, *programs_of(guards)]
        found += [lead.program for lead in leads if lead.program is not None]
        for each in (request.interface, interface, *(lead.interface for lead in leads)):
            if each is not None:
                found += each.macros
                found += [
                    Program(name="a reward", source=term.source)
                    for term in each.rewards
                    if term.kind == "code"
                ]
        return found

    def _playing(self, environments: Sequence[int]) -> list[int]:
        """In which episodes a program was stopped, as far as it is known."""
        rows = set(environments) or set(range(self.size))
        playing = [e.environment for e in self._episodes if e.ended == "running"]
        return [row for row in playing if row in rows]

    _ran = 0  # primitive steps since the run that is under way began

    def _count(self, steps: int) -> None:
        self._ran += steps
        self._counted(steps)


def _cut_off(episode: Episode) -> Episode:
    if episode.ended != "running":
        return episode
    return msgspec.structs.replace(episode, ended="horizon")
