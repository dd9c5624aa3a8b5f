"""The env server: worlds, sessions in them, and coded actions that run beside the world."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from messages.bounds import Mebibytes, NotNegative, Positive, Threads
from messages.bus import SESSION_KILLED, GoalHandle, ServiceError
from messages.program import CHECK, Checked, CheckProgram
from messages.roll_out import ROLL_OUT, RolledOut, RollOut
from messages.system import NOTICE
from messages.world import (
    ACTIVITY,
    CLOSE,
    INTERFACE,
    LOOK,
    MOST_ENVIRONMENTS,
    OPEN,
    PLAY_ON,
    RUN_PROGRAM,
    SIGHT,
    STEP,
    Activity,
    Closed,
    CloseSession,
    Looked,
    Opened,
    OpenSession,
    PlayedOn,
    PlayOn,
    ProgramRan,
    RunProgram,
    SessionName,
    Step,
    Stepped,
    TakeInterface,
    Task,
)
from nodes.common.goals.goal_ids import file_name
from nodes.common.goals.session_ends import UNKNOWN_SESSION
from nodes.common.storage.episode_store import FILE as EPISODES
from nodes.common.storage.episode_store import StoredEpisodes
from nodes.common.storage.whole_files import UnusableFile, write_whole
from nodes.config import ConfigError
from nodes.env_server.film import Film
from nodes.env_server.games import any_task, first_kind, play_of
from nodes.env_server.hosting import Host, HostedSessionLost, Jail, OwnProcess, WorldSetup, clocked
from nodes.env_server.jail.forking import MODULE, NoForkServer, NoRoom, NotWarm, left_over
from nodes.env_server.jail.jailed import JailedHost
from nodes.env_server.live_sights import Sights
from nodes.env_server.one_at_a_time import OneAtATime
from nodes.env_server.quarantine import Quarantine
from nodes.env_server.recorded_session import Recorded
from nodes.env_server.step_count import StepCount
from nodes.env_server.video_model import VideoModel
from nodes.node import Node, NodeFailed
from worlds.play import WorldError

_Played = TypeVar("_Played", PlayOn, RollOut)


class MineClipFiles(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What there is of MineCLIP: docs/mineclip.md."""

    weights: str | None = None  # attn.pth, or avg.pth; seen from the run folder. None: no MineCLIP
    device: str = "cpu"


class EnvServer(Node):
    """Owns worlds. Sessions live in memory: after a restart they are unknown, and the user of
    one opens it again and plays its episodes from the start."""

    name = "env_server"
    works_on = "session"

    class Parameters(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
        world: dict[str, Any] = msgspec.field(default_factory=dict)  # its kind, and its options
        most_environments: Positive = MOST_ENVIRONMENTS  # in one session
        longest_film: NotNegative = 1200  # frames; 0: nothing is filmed
        jail: Jail = True  # "partial": as much of it as the kernel supports; false: none
        jail_memory: Mebibytes = 1024  # that a jailed session may take beyond its world
        # Made by a thread for a training, 0.7 to 1.3 MB each (docs/sessions.md); 0: no such thread.
        worlds_ahead: NotNegative = 64
        picture_threads: Threads = 2  # that draw the pictures of a step at once (docs/sessions.md)
        mineclip: MineClipFiles | None = None

    parameters: Parameters
    handed_over = ("videos/*.mp4", "steps", "jail.json", "quarantine.json")
    # The worlds stand; what there is can still be looked at.
    steps = frozenset({STEP.name, PLAY_ON.name, ROLL_OUT.name})
    fork_server = MODULE  # what jailed workers are forked from

    def setup(self) -> None:
        self._steps = StepCount(self.folder / "steps")
        self._quarantine = Quarantine(self.folder / "quarantine.json")
        pulses = self.folder / "pulses"
        self._steps.add(left_over(pulses))
        self._writing_jail = threading.Lock()
        self._jail_written = b""
        self._killed_before = _killed(self.folder / "jail.json")
        self._sights = Sights(lambda sight: self.publish(SIGHT, sight))
        self._host = self._hosted(pulses)
        self._host.gate = self._pausing.gate
        self._write_jail()
        if self._host.jail != "on":
            self.notes = [f"jail: {self._host.jail}"]
            self.log.warning(
                "jail: %s: coded actions are confined by their language alone, or nearly so, see "
                "docs/programs.md", self._host.jail,
            )  # fmt: skip
        self._episodes = StoredEpisodes(self.folder / EPISODES)
        self._sessions: dict[str, Recorded] = {}
        self._names = OneAtATime()
        self._stop = threading.Event()
        self.advertise(ACTIVITY)
        self.advertise(SIGHT)
        own = clocked if isinstance(self._host, OwnProcess) else _as_it_is
        self.serve(OPEN, own(self.open_session), background=True)
        self.serve(INTERFACE, own(self.take_interface))
        self.serve(STEP, own(self.step))
        self.serve(PLAY_ON, own(self.play_on), background=True)
        self.serve(ROLL_OUT, own(self.roll_out), background=True)
        self.serve(LOOK, own(self.look))
        self.serve(CLOSE, own(self.close_session), background=True)
        self.serve(CHECK, own(self.check_program), background=True)
        self.serve_action(RUN_PROGRAM, own(self.run_program))
        self._reporter = threading.Thread(target=self._report, name="activity", daemon=True)
        self._reporter.start()

    def shutdown(self) -> None:
        self._stop.set()
        self._reporter.join(timeout=5.0)
        for session in list(self._sessions.values()):
            # One that is in use is abandoned: its user gets an error once the process has ended.
            if session.lock.acquire(timeout=1.0):
                session.close()
        self._episodes.close()
        self._host.close()

    # ---- services

    def open_session(self, request: OpenSession) -> Opened:
        if not request.session:
            raise ServiceError("A session needs a name.", code="invalid")
        if not 1 <= request.size <= self.parameters.most_environments:
            raise ServiceError(
                f"A session has 1 to {self.parameters.most_environments} environments, "
                f"not {request.size}.",
                code="invalid",
            )
        if request.task.game != self._game:
            raise ServiceError(
                f"The task {request.task.id!r} is of the game {request.task.game}, and this env "
                f"server's world of {self._game}: launch a task and a world of one game.",
                code="invalid",
            )
        # The first caller may have been killed: what was opened for it is forgotten, not lost.
        with self._names.of(request.session):
            self._forget(request.session)
            return self._opened(request)

    def _opened(self, request: OpenSession) -> Opened:
        film = None
        if request.record and self.parameters.longest_film:
            film = Film(
                self._film_path(request.session),
                lambda why: self.bus.report(f"session {request.session}", why, "error"),
                self.parameters.longest_film,
            )
        try:
            hosted = self._host.open(request, film, self._steps.add)
        except BaseException as error:
            if film is not None:
                film.close()
                film.path.unlink(missing_ok=True)
            if isinstance(error, WorldError):
                raise ServiceError(str(error), code="no_world") from error
            if isinstance(error, ValueError):
                raise _invalid(error) from error
            if isinstance(error, HostedSessionLost):
                raise _gone(error) from error
            raise
        finally:
            self._write_jail()
        session = Recorded(
            hosted,
            request,
            self._episodes,
            lambda why: self.bus.report(f"session {request.session}", why, "error"),
        )
        self._sessions[request.session] = session
        try:
            with session.lock, _VALID:  # its first features may be invalid
                return session.opened()
        except ServiceError:
            self._forget(request.session)
            raise

    def take_interface(self, request: TakeInterface) -> Opened:
        with self._using(request.session) as session, _VALID:
            session.take(request.interface, request.environments, request.begins, request.guards)
            return session.opened()

    def step(self, request: Step) -> Stepped:
        with self._using(request.session) as session, _VALID:
            return session.step(np.asarray(request.choices))

    def play_on(self, request: PlayOn) -> PlayedOn:
        request = self._single_while_paused(request)
        with self._using(request.session) as session, _VALID:
            return session.play_on(request)

    def roll_out(self, request: RollOut) -> RolledOut:
        request = self._single_while_paused(request)
        with self._using(request.session) as session, _VALID:
            return session.roll_out(request)

    def look(self, request: SessionName) -> Looked:
        with self._using(request.session) as session:
            return Looked(episodes=session.episodes())

    def close_session(self, request: CloseSession) -> Closed:
        with self._names.of(request.session):  # it may be being opened
            return self._closed(request)

    def _closed(self, request: CloseSession) -> Closed:
        with self._using(request.session, wait=True) as session:
            episodes, pictures, guards = session.episodes(), session.pictures(), session.guards()
            choices, mistakes = session.choices(), session.mistakes()
            del self._sessions[request.session]
            session.close(request.whole)
        video = None
        if session.film is not None and not session.film.lost:
            video = str(session.film.path.relative_to(self.run))
        return Closed(
            episodes=episodes,
            video=video,
            pictures=pictures,
            guards=guards,
            choices=choices,
            mistakes=mistakes,
        )

    def check_program(self, request: CheckProgram) -> Checked:
        try:
            return Checked(problems=self._host.check(request))
        except WorldError as error:
            raise ServiceError(str(error), code="no_world") from error
        finally:
            self._write_jail()

    # ---- the action

    def run_program(self, goal: GoalHandle[RunProgram, Activity]) -> ProgramRan:
        with self._using(goal.request.session, wait=True) as session:
            try:
                with _VALID:
                    steps, reports = session.run_program(
                        goal.request.program,
                        self._checked(goal),
                        goal.request.environments,
                        goal.request.begins,
                        goal.request.guards,
                    )
            finally:
                self._write_jail()
            return ProgramRan(steps=steps, reports=reports, episodes=session.episodes())

    # ---- inside

    def _single_while_paused(self, request: _Played) -> _Played:
        """While the node is paused, one decision is let through at a time."""
        return msgspec.structs.replace(request, single=True) if self._host.gate.shut else request

    def _checked(self, goal: GoalHandle[RunProgram, Activity]) -> Callable[[], None]:
        """What a run calls before each step. A jailed worker is paused from outside."""
        if not isinstance(self._host, OwnProcess):
            return goal.check

        def check() -> None:
            goal.check()
            self.wait_while_paused(RUN_PROGRAM.name, goal.check)

        return check

    def _hosted(self, pulses: Path) -> Host:
        """Where sessions will live. The world is tried on the launch's task before any
        caller waits for one."""
        options = dict(self.parameters.world)
        given = self.config.get("task")
        model, parameters = self._video_model(), self.parameters
        try:
            task = None if given is None else msgspec.convert(given, Task)
            kind = options.pop("kind", "") or first_kind(task)
            task = task or any_task(kind)
            why = play_of(kind, task).unjailable(kind)
            self._game = task.game
            setup = WorldSetup(
                kind=kind,
                options=options,
                task=task,
                model=model,
                sights=self._sights,
                ahead=parameters.worlds_ahead,
                threads=parameters.picture_threads,
            )
            if parameters.jail:
                return self._jailed(setup, why, pulses)
            return OwnProcess(setup, f"jail=false: {why}" if why else "jail=false")
        except (ValueError, WorldError, NotWarm) as error:
            raise ConfigError(str(error)) from error
        except NoRoom as error:  # another process would fare no better
            raise UnusableFile(str(error)) from error
        except NoForkServer as error:
            raise NodeFailed(f"{error}, and without it there is no jail") from error

    def _jailed(self, setup: WorldSetup, why: str, pulses: Path) -> JailedHost:
        """``why`` the world cannot be jailed, if it cannot.

        Raises:
            ConfigError: there can be no such jail here.
            ValueError, NoForkServer: see `JailedHost`.
        """
        key = "nodes.env_server.parameters.jail"
        if why:
            raise ConfigError(f"{why}: set {key}=false, and coded actions are held by their "
                              "language alone")  # fmt: skip
        host = JailedHost(
            setup,
            self._quarantine,
            self.parameters.jail_memory,
            module=self.fork_server,
            pulses=pulses,
            failed=self.fail,
            slow=lambda sentence: self.bus.report("world", sentence, NOTICE),
        )
        if host.missing and self.parameters.jail != "partial":
            host.close()
            raise ConfigError(
                f"there is no whole jail for coded actions here: {', '.join(host.missing)}; set "
                f"{key}=partial to use what there is of it, or {key}=false to go without"
            )
        return host

    def _video_model(self) -> VideoModel | None:
        files = self.parameters.mineclip
        if files is None or files.weights is None:
            return None
        # Torch is loaded only where it is needed.
        from models.mineclip import MineClip, WeightsError

        try:
            model = MineClip(self.run / Path(os.path.expanduser(files.weights)), files.device)
        except WeightsError as error:
            raise ConfigError(str(error)) from error
        self.log.info(
            "MineCLIP: %s on %s, %.3g s a frame", files.weights, files.device, model.seconds
        )
        return model

    def _write_jail(self) -> None:
        """For the report, whenever it has changed."""
        killed = self._killed_before + self._host.killed
        state = msgspec.json.encode({"jail": self._host.jail, "killed": killed})
        with self._writing_jail:
            if state != self._jail_written:
                write_whole(self.folder / "jail.json", state)
                self._jail_written = state

    def _forget(self, name: str) -> None:
        old = self._sessions.pop(name, None)
        if old is not None:
            with old.lock:
                old.close()

    @contextmanager
    def _using(self, name: str, wait: bool = False) -> Iterator[Recorded]:
        """The session of that name, for this caller alone. Where a program runs in it, ``wait``
        until it is over; the serving thread cannot, and its caller is refused.

        Raises:
            ServiceError: there is none, it is in use, or its process ended: then it is forgotten.
        """
        session = self._sessions.get(name)
        if session is None:
            raise _unknown(name)
        if not session.lock.acquire(blocking=wait):
            raise ServiceError(
                f"A program is running in session {name!r}: wait for its result.", code="busy"
            )
        try:
            if self._sessions.get(name) is not session:  # closed while this caller waited
                raise _unknown(name)
            yield session
        except HostedSessionLost as error:
            if self._sessions.get(name) is session:
                del self._sessions[name]
            with suppress(HostedSessionLost):
                session.close()
            self._write_jail()
            raise _gone(error) from error
        finally:
            session.lock.release()

    def _film_path(self, session: str) -> Path:
        return self.folder / "videos" / f"{file_name(session)}.mp4"

    def _report(self) -> None:
        before, then = int(self._steps), time.monotonic()
        while not self._stop.wait(1.0):
            steps, now = int(self._steps), time.monotonic()
            sessions = list(self._sessions.values())
            activity = Activity(
                sessions=len(sessions),
                environments=sum(session.size for session in sessions),
                steps=steps,
                steps_per_second=(steps - before) / (now - then),
            )
            before, then = steps, now
            self.publish(ACTIVITY, activity)
            self._sights.wanted = self.bus.subscribed(self.own(SIGHT))


class _Valid:
    """A ValueError of what is done inside is answered as `invalid`. One for all, as each step is
    done in it."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ValueError):
            raise _invalid(error) from error


_VALID = _Valid()


def _as_it_is(handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return handler


def _killed(path: Path) -> int:
    """How many programs earlier processes of this node have killed."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return int(msgspec.json.decode(path.read_bytes())["killed"])
    return 0


def _gone(lost: HostedSessionLost) -> ServiceError:
    return ServiceError(str(lost), code=SESSION_KILLED if lost.killed else UNKNOWN_SESSION)


def _unknown(name: str) -> ServiceError:
    return ServiceError(
        f"There is no session {name!r}; sessions do not outlive the env server: open it again.",
        code=UNKNOWN_SESSION,
    )


def _invalid(error: ValueError) -> ServiceError:
    why = str(error)
    return ServiceError(f"{why[:1].upper()}{why[1:]}.", code="invalid")
