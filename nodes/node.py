"""The base of every node: a process with a name, a folder, parameters and a place on the bus.

    class Echo(Node):
        name = "echo"

        def setup(self) -> None:
            self.serve(SAY, self.say)

    if __name__ == "__main__":
        Echo.main()

``python -m nodes.echo --run DIR [key=value ...]`` runs it. docs/writing_a_node.md shows it whole.
"""

import argparse
import bdb
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from types import FrameType
from typing import Any, ClassVar

import msgspec

from messages.bus import AddressError, Bus, BusError, GoalCancelled, GoalHandle, GoalStore, Later
from messages.bus.failure_text import disk_failure
from messages.bus.network.address import check_name
from messages.empty import Empty
from messages.files import list_files, read_file
from messages.interface import (
    Action,
    Feedback,
    Goal,
    Message,
    Reply,
    Request,
    Result,
    Service,
    Topic,
)
from messages.pausing import get_pause, pause, set_pause
from messages.system import (
    Description,
    Heartbeat,
    describe,
    description,
    get_parameters,
    heartbeat,
    set_parameters,
)
from nodes.common.parameters.kept_parameters import FILE as CHANGES
from nodes.common.parameters.live_parameters import LiveParameters
from nodes.common.running.debugging import (
    NoDebugger,
    begin_debugging,
    debugged,
    quit_node,
    quittable,
)
from nodes.common.running.exit_codes import (
    ALREADY_RUNNING,
    FAILED,
    INTERRUPTED,
    REFUSED,
    UNUSABLE_FILE,
)
from nodes.common.running.handing_over import HandedOver
from nodes.common.running.launched_name import check_launched_name
from nodes.common.running.logs import LEVELS, LogFile, LogToTerminal, set_level
from nodes.common.running.pausing import Pausing
from nodes.common.running.plain_text import plain_sentence
from nodes.common.running.process import AlreadyRunning, end_with_supervisor, hold, leave, notify
from nodes.common.storage.stored_goals import StoredGoals
from nodes.common.storage.whole_files import UnusableFile
from nodes.config import (
    ConfigError,
    key_folder,
    node_values,
    override,
    read_config,
    read_parameters,
)
from nodes.times import EVERY, Times, purpose_of, spending
from nodes.times import FILE as TIMES

_FORMAT = "%(asctime)s %(levelname)s %(message)s"


class NodeFailed(Exception):
    """The node cannot go on, though its configuration is valid; the text is one sentence. Its
    supervisor starts it again."""


class Node:
    """Subclass it, name it, declare its parameters, and serve its endpoints in `setup`."""

    name: ClassVar[str]

    kind_of: ClassVar[str] = ""
    """The kind of a replica (``env_server_2``): the name of the first one (``env_server``), whose
    endpoints it has under its own name. Empty: it is the first."""

    class Parameters(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
        """What every node has. A subclass declares its own; it must not be frozen."""

        log_level: LEVELS = "info"  # entries below it are not written to the log

    works_on: ClassVar[str] = "agents"
    """What the time is spent on in which the node works itself (`nodes/times.py`)."""

    live: ClassVar[Set[str]] = frozenset()
    """Names of the parameters that may be set while the node runs; ``log_level`` always may."""

    steps: ClassVar[Set[str] | None] = None
    """Names of the services that wait while the node is paused. None: all but those that every node
    has."""

    handed_over: ClassVar[tuple[str, ...]] = ()
    """Patterns of the files in the node's folder that the report reads: if the node is on another
    machine than the launcher, they are copied there (docs/several_machines.md)."""

    def __init__(
        self, run: Path, config: Mapping[str, Any], bus: Bus, overrides: Sequence[str] = ()
    ) -> None:
        self.run = run
        self.folder = run / self.name
        self.config = dict(config)
        self.bus = bus
        self.epoch = bus.epoch
        self.log = logging.getLogger(f"node.{self.name}")
        values = override(node_values(config, self.name), overrides)
        self.parameters: Any = read_parameters(
            self.Parameters, values, f"nodes.{self.name}.parameters"
        )
        self._live = LiveParameters(self, fixed=override({}, overrides))
        self._pausing = Pausing(self.name, self.folder, bus, self.log)
        self.notes: list[str] = []  # sentences for the user, shown by `rlgpt node list`
        self.stop = threading.Event()
        self.failure = ""  # why it ends, if it cannot go on
        self._began = time.monotonic()
        self._time_spent = Times(self.folder / TIMES, self.works_on, lambda: bus.away)
        self._goals: StoredGoals | None = None
        self._topics: set[str] = set()

    # For subclasses

    def setup(self) -> None:
        """Serve the node's endpoints. Called once, before the node is ready."""

    def shutdown(self) -> None:
        """Release what the node holds. Called once, when it stops serving: requests that fail by it
        are not answered, and are for the node's next process."""

    def check_parameters(self, wanted: Any) -> None:
        """Raise ConfigError where parameters that are about to be set do not fit the launch."""

    def parameters_changed(self, names: set[str]) -> None:
        """Live parameters were set; ``self.parameters`` has the new values."""

    def fail(self, sentence: str) -> None:
        """End this process soon, as one that failed, so that its supervisor starts another. From
        any thread."""
        self.failure = self.failure or sentence
        self.stop.set()
        self.bus.wake()

    # Shorthands

    def serve(
        self,
        service: Service[Request, Reply],
        handler: Callable[[Request], Reply | Later[Reply]],
        background: bool = False,
    ) -> None:
        """See `Bus.serve`. While the node is paused, requests wait (`steps`)."""
        held = self.steps is None or service.name in self.steps
        gate = self._pausing.gate if held else None
        own = service.at(self.name) if service.node == self.kind_of else service
        timed = self._time_spent.timed(own.name, handler, purpose_of)
        self.bus.serve(own, quittable(timed), background, gate)

    def serve_action(
        self,
        action: Action[Goal, Feedback, Result],
        handler: Callable[[GoalHandle[Goal, Feedback]], Result],
    ) -> None:
        """See `Bus.serve_action`. Goals and results are kept in ``<folder>/goals.sqlite``. A goal
        that comes while the node is paused begins when it goes on."""

        def work(goal: GoalHandle[Goal, Feedback]) -> Result:
            with spending("waiting"):
                self._pausing.gate.wait(action.name, goal.check, counts=False)
            return handler(goal)

        own = action.at(self.name) if action.node == self.kind_of else action
        timed = self._time_spent.timed(own.name, work, purpose_of)
        self.bus.serve_action(own, quittable(timed), self.goals())

    def advertise(self, topic: Topic[Any]) -> None:
        """Name a topic that the node publishes. Belongs in `setup`: the description of a node that
        is ready has all its topics, so that they can be listed and subscribed to from then on."""
        self.bus.advertise(self.own(topic))
        self._topics.add(topic.name)

    def publish(self, topic: Topic[Message], message: Message) -> None:
        """See `Bus.publish`. Raises BusError for a topic that was not advertised."""
        if topic.name not in self._topics:
            raise BusError(
                f"{topic.name} is not advertised; call self.advertise(...) with it in setup"
            )
        self.bus.publish(self.own(topic), message)

    def own(self, topic: Topic[Message]) -> Topic[Message]:
        """A topic of this node's kind as its own."""
        return topic.at(self.name) if topic.node == self.kind_of else topic

    def subscribe(self, topic: Topic[Message], callback: Callable[[Message], None]) -> None:
        """See `Bus.subscribe`."""
        self.bus.subscribe(topic, quittable(callback))

    def call(
        self,
        service: Service[Request, Reply],
        request: Request,
        timeout: float | None = None,
        *,
        absence: float | None = None,
    ) -> Reply:
        """See `Bus.call`. While the node is paused, it waits before."""
        self.wait_while_paused(service.name)
        with self._time_spent.calling(service.name, service.node):
            return self.bus.call(service, request, timeout, absence=absence)

    def run_goal(
        self,
        action: Action[Goal, Feedback, Result],
        goal_id: str,
        goal: Goal,
        on_feedback: Callable[[Feedback], None] | None = None,
        timeout: float | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Result:
        """See `Bus.run_goal`. While the node is paused, it waits before."""

        def check() -> None:
            if cancelled is not None and cancelled():
                raise GoalCancelled(f"{goal_id} was cancelled")

        self.wait_while_paused(action.name, check)
        with self._time_spent.calling(action.name, action.node):
            return self.bus.run_goal(action, goal_id, goal, on_feedback, timeout, cancelled)

    def note_waiting(self, service: Service[Any, Any], whose: str) -> Callable[[], None]:
        """Count a request as waiting, without a thread, until the returned function is called."""
        return self._time_spent.waits(service.name, whose)

    def wait_while_paused(self, what: str, check: Callable[[], None] = lambda: None) -> None:
        """Block while the node is paused, unless it may take a step. ``check`` is called meanwhile
        and raises to end the wait.

        Raises:
            BusClosed: the node stops.
        """

        def go_on() -> None:
            self.bus.check_open()
            check()

        if not self.bus.here:  # which answers, among others, the request to go on
            with spending("waiting"):
                self._pausing.gate.wait(what, go_on)

    def goals(self) -> GoalStore:
        """The node's table of goals."""
        if self._goals is None:
            self._goals = StoredGoals(self.folder / "goals.sqlite")
        return self._goals

    # What every node has

    def open_endpoints(self) -> None:
        """Serve the endpoints that every node has, then the node's own."""
        name, serve = self.name, self.bus.serve  # these answer while the node is paused
        serve(describe(name), self._describe)
        serve(get_parameters(name), self._live.read)
        serve(set_parameters(name), self._live.change)
        serve(get_pause(name), self._pausing.get)
        serve(set_pause(name), self._pausing.set)
        files = HandedOver(self.folder.resolve(), ("node.log", CHANGES, TIMES, *self.handed_over))
        serve(list_files(name), files.list, background=True)
        serve(read_file(name), files.read, background=True)
        for topic in (description(name), heartbeat(name), pause(name)):
            self.advertise(topic)
        level: LEVELS = getattr(self.parameters, "log_level", "info")
        if level != "info":
            set_level(level)
        self._pausing.begin(lambda state: self.publish(pause(name), state))
        self.setup()
        self._beat()
        self.bus.every(1.0, self._beat)
        self.bus.every(EVERY, self._time_spent.write)
        self.publish(description(name), self._describe(Empty()))

    def close(self) -> None:
        """Close the bus and the table of goals, and write down where the time went."""
        self._time_spent.write()
        self.bus.close()
        if self._goals is not None:
            self._goals.close()

    def _beat(self) -> None:
        self.publish(
            heartbeat(self.name),
            Heartbeat(
                node=self.name,
                epoch=self.epoch,
                pid=os.getpid(),
                uptime=time.monotonic() - self._began,
                busy=self.bus.busy,
                notes=[*self.notes, *self._pausing.note],
                paused=self._pausing.gate.shut,
            ),
        )

    def _describe(self, _: Empty) -> Description:
        return Description(
            node=self.name,
            epoch=self.epoch,
            pid=os.getpid(),
            endpoints=self.bus.endpoints,
            uses=self.bus.used,
        )

    # The process

    @classmethod
    def main(cls, arguments: Sequence[str] | None = None) -> None:
        """Run the node as this process, until it is stopped; does not return."""
        try:
            code = run_node(cls, arguments)
        except SystemExit as error:  # of the arguments, or a signal to a node that was not ready
            code = error.code if isinstance(error.code, int) else FAILED
        except bdb.BdbQuit:
            quit_node()
        leave(code)


def _program() -> str:
    """How this process was started, for its usage: ``python -m MODULE``, or a file."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    if spec is None:
        return f"python {sys.argv[0]}"
    return f"python -m {spec.name.removesuffix('.__main__')}"


def run_node(kind: type[Node], arguments: Sequence[str] | None = None) -> int:
    """Run a node until SIGTERM or SIGINT; returns the exit code."""
    parser = argparse.ArgumentParser(prog=_program(), description=kind.__doc__)
    parser.add_argument("--run", type=Path, required=True, help="the run folder")
    parser.add_argument("--name", help=f"its name, where {kind.name} is another node's")
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="parameters")
    options = parser.parse_args(arguments)
    if options.name and options.name != kind.name:
        try:
            check_name(options.name)
        except AddressError as error:
            parser.error(str(error))
        kind = type(kind.__name__, (kind,), {"name": options.name, "kind_of": kind.name})
    end_with_supervisor()
    ending = _Ending()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, ending.signalled)
    try:
        check_launched_name(kind.name)
        run = options.run.resolve()
        config = read_config(run)
        folder = run / kind.name
        folder.mkdir(exist_ok=True)
        lock = hold(folder / "lock", kind.name)
        _log_to(folder / "node.log")
    except AlreadyRunning as error:
        return _refuse(kind, error, ALREADY_RUNNING)
    except ConfigError as error:
        return _refuse(kind, error, REFUSED)
    except OSError as error:
        return _refuse(kind, disk_failure(error, options.run) or error, UNUSABLE_FILE)
    with lock:
        try:
            begin_debugging()
        except NoDebugger as error:
            return _refuse(kind, error, REFUSED)
        return _serve(kind, run, config, options.overrides, ending)


class _Ending:
    """The effect of a signal: a node that serves shuts down in order, one that is not ready yet
    ends at once, with nothing lost. A second Ctrl-C ends the node at once; so does the first while
    the serving thread waits for a debugger's user, without whom the node could not end in order."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.served: Bus | None = None  # once the node is ready

    def signalled(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGINT and (self.stop.is_set() or debugged(frame)):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            leave(INTERRUPTED)
        self.stop.set()
        if self.served is None:
            raise SystemExit(0)
        self.served.wake()


def _serve(
    kind: type[Node], run: Path, config: dict[str, Any], overrides: list[str], ending: _Ending
) -> int:
    log = logging.getLogger(f"node.{kind.name}")
    bus: Bus | None = None
    node: Node | None = None
    try:
        # Parameters are checked before anything is bound.
        values = override(node_values(config, kind.name), overrides)
        read_parameters(kind.Parameters, values, f"nodes.{kind.name}.parameters")
        keys = key_folder(run, config.get("keys"))
        # It listens once it is ready: connected clients expect a reply in time.
        bus = Bus(run, kind.name, config.get("hosts"), keys=keys, log=log, bind=False)
        node = kind(run, config, bus, overrides)
        node.stop = ending.stop
        node.open_endpoints()
        bus.bind()
        log.info("%s is ready (process %d, epoch %s)", kind.name, os.getpid(), node.epoch)
        ending.served = bus
        notify("READY=1")
        try:
            bus.spin(ending.stop)
        finally:
            bus.stop_answering()  # or else what ends now would end the goals of others
        notify("STOPPING=1")
        node.shutdown()
        if node.failure:
            raise NodeFailed(node.failure)
        log.info("%s stops", kind.name)
        return 0
    except (ConfigError, AddressError) as error:
        return _refuse(kind, error, REFUSED)
    except UnusableFile as error:
        return _refuse(kind, error, UNUSABLE_FILE)
    except (NodeFailed, BusError) as error:
        # A child process or another node was absent or rejected a call: a restart may succeed.
        log.error("%s ends: %s", kind.name, error)
        return FAILED
    except bdb.BdbQuit:
        raise
    except Exception as error:
        # Before it is ready, its own files are all that it writes.
        why = disk_failure(error, run / kind.name)
        if why and ending.served is None:
            return _refuse(kind, why, UNUSABLE_FILE)
        log.exception("%s failed", kind.name)
        return FAILED
    finally:
        if node is not None:
            node.close()
        elif bus is not None:
            bus.close()


def _refuse(kind: type[Node], why: object, code: int) -> int:
    print(f"{kind.name}: {plain_sentence(str(why))}", file=sys.stderr)
    return code


def _log_to(path: Path) -> None:
    logging.basicConfig(
        level=logging.INFO,
        format=_FORMAT,
        handlers=[LogFile(path), LogToTerminal()],
        force=True,
    )
    threading.excepthook = _log_failed_thread


def _log_failed_thread(failed: threading.ExceptHookArgs) -> None:
    name = failed.thread.name if failed.thread is not None else "a thread"
    error = failed.exc_value
    if isinstance(error, OSError) and (why := disk_failure(error)):
        logging.getLogger("node").error("%s failed: %s", name, why)
    else:
        logging.getLogger("node").error("%s failed", name, exc_info=error)
