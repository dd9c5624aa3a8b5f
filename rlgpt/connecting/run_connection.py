"""One end of a run's bus."""

import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from messages.bus import Bus, BusError
from messages.bus.network.curve import TOOLS
from messages.codec import CodecError
from messages.empty import Empty
from messages.interface import Action, Service, Topic
from messages.system import LIST, Endpoint, NodeState, describe
from nodes.config import ConfigError, key_folder, read_config
from rlgpt.composing.conversion import convert
from rlgpt.connecting.handles import ClientGoalHandle, StackError, Subscription, seconds_of
from rlgpt.interfaces import Interface, ask_nodes, declared, descriptions
from rlgpt.launching.machines import LAUNCHER, check_keys
from rlgpt.refused import Refused, instead
from rlgpt.runs import run_folder
from rlgpt.runs.run_folder import LaunchEnd
from rlgpt.runs.typed import not_running, run_word, silent_launcher

Kind = TypeVar("Kind", Topic[Any], Service[Any, Any], Action[Any, Any, Any])


class Connection:
    """One end of a run's bus. Its methods may be called from any thread."""

    def __init__(self, run: str | Path | None = None) -> None:
        if run == "":
            raise StackError("'' names no run: give a run folder, or leave it out for the newest")
        try:
            self.run = run_folder.find(None if run is None else str(run))
            config = read_config(self.run)
            hosts, keys = config.get("hosts"), config.get("keys")
            check_keys(self.run, hosts, keys, [TOOLS])
            self._bus = Bus(self.run, hosts=hosts, keys=key_folder(self.run, keys))
        except Refused as refused:
            raise StackError(refused.sentence) from None
        except (ConfigError, BusError) as error:
            raise StackError(str(error)) from None
        except OSError as error:
            raise StackError(f"there is no run folder {run} ({error.strerror})") from None
        self._nodes = [*map(str, config.get("nodes") or {}), LAUNCHER]
        self._end = LaunchEnd(self.run)
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._channels: dict[str, _Channel] = {}
        self._thread = threading.Thread(
            target=self._bus.spin, args=(self._over,), name="rlgpt-connection", daemon=True
        )
        self._thread.start()
        if unserved := self._unserved():
            self.close()
            raise StackError(unserved)

    def _unserved(self) -> str:
        """The sentence about a run in which no node is running, else empty."""
        if run_folder.launched(self.run):
            return ""
        found, errors = ask_nodes(self._bus, describe, self._nodes)
        return "" if found else str(errors[0]) if errors else not_running(self.run)

    def _launch_ended(self) -> str:
        """The sentence about a launch that has ended since this was connected, else empty: it may
        be resumed. Of a launch on another machine nothing is known."""
        if self._end.has_come():
            return f"{self.run.name} has ended; `rlgpt resume {run_word(self.run)}` goes on with it"
        return ""

    def _check_open(self) -> None:
        if self._over.is_set():
            raise StackError(f"the connection to {self.run.name} is closed")

    def nodes(self) -> list[NodeState]:
        """The nodes of the run with their states, as the launcher has them."""
        self._check_open()
        try:
            return self._bus.call(LIST, Empty()).nodes
        except BusError as error:
            raise StackError(silent_launcher(self.run, error)) from None

    def names(self, kind: str) -> list[str]:
        """The names of all that the nodes offer now: ``topic``, ``service`` or ``action``."""
        self._check_open()
        if kind not in _KINDS:
            raise StackError(f"there is no kind `{kind}`{instead(str(kind), _KINDS)}")
        found = descriptions(self._bus, self._nodes)
        if not found and (unserved := self._unserved()):
            raise StackError(unserved)
        return sorted(each.name for one in found for each in one.endpoints if each.kind == kind)

    def call(
        self, service: str | Service[Any, Any], request: Any = None, timeout: float | None = None
    ) -> Any:
        """Call a service and wait for its reply, a struct of messages/. ``request`` is a dict or
        the request's struct; None: one without fields.

        Raises:
            StackError: there is no such service, the request does not fit it, or it cannot be sent.
            messages.bus.RemoteError: the node rejected the request or failed, with the reason.
            messages.bus.DeadlineExceeded: no reply within ``timeout`` seconds.
        """
        found = self._find(service, Service)
        message = _message(found, found.request, request)
        try:
            return self._bus.call(found, message, seconds_of(timeout))
        except CodecError as error:
            raise StackError(f"{found.name}: {error}") from None

    def send_goal(
        self, action: str | Action[Any, Any, Any], goal: Any = None, goal_id: str | None = None
    ) -> ClientGoalHandle:
        """Send a goal and return at once. It is pursued through restarts of its node; the same
        ``goal_id`` sent again, from here or after this process has ended, picks it up.

        Raises:
            StackError: there is no such action, the goal does not fit it, or its id cannot be one.
        """
        found = self._find(action, Action)
        message = _message(found, found.goal, goal)
        if goal_id is None:
            goal_id = f"python/{secrets.token_hex(4)}"
        return ClientGoalHandle(
            self._bus, found, _checked_id(goal_id), message, self._unserved, self._launch_ended
        )

    def subscribe(
        self, topic: str | Topic[Any], timeout: float | None = None, keep: int = 1000
    ) -> Subscription:
        """The messages of a topic from now on, and the last one before if the topic is latched.

        Iterate over it; the iteration ends after ``timeout`` seconds of silence, or when it is
        closed, and raises StackError where the launch has ended. Of messages that are not taken
        the newest ``keep`` are kept. Messages of a type that messages/ does not declare are dicts.

        Raises:
            StackError: there is no such topic.
        """
        found = self._find(topic, Topic)
        with self._lock:
            self._check_open()
            channel = self._channels.get(found.name)
            if channel is None:
                channel = self._channels[found.name] = _Channel(self._bus, found)
        return channel.subscribe(timeout, keep, self._launch_ended)

    def close(self) -> None:
        """Close the connection. Subscriptions end; goals go on in their nodes."""
        self._over.set()
        self._bus.wake()
        self._thread.join(5.0)
        self._bus.close()
        with self._lock:
            for channel in self._channels.values():
                channel.close()

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<rlgpt.Connection to {self.run}>"

    def _find(self, wanted: str | Kind, kind: type[Kind]) -> Kind:
        """The endpoint of a name, or ``wanted`` itself if it is one."""
        self._check_open()
        if isinstance(wanted, kind):
            return wanted
        what = _NAMES[kind]
        if not isinstance(wanted, str):
            raise StackError(f"{wanted!r} is no {what} and no name of one")
        node = wanted.partition("/")[0]
        if node not in self._nodes:
            raise StackError(
                f"there is no {what} `{wanted}`: there is no node `{node}` in {self.run.name}"
                f"{instead(node, self._nodes)}"
            )
        ours = {name: each for name, each in declared(node).items() if isinstance(each, kind)}
        if wanted in ours:
            return ours[wanted]
        described, errors = ask_nodes(self._bus, describe, [node])
        if errors:
            raise StackError(f"{wanted}: {errors[0]}")
        offered = {
            each.name: each
            for one in described.values()
            for each in one.endpoints
            if each.kind == what
        }
        if wanted in offered:
            return _undeclared(offered[wanted], kind)
        known = list(offered or ours)
        raise StackError(f"there is no {what} `{wanted}`{instead(wanted, known)}")


_NAMES: dict[Any, str] = {Topic: "topic", Service: "service", Action: "action"}
_KINDS = list(_NAMES.values())
_LONGEST_ID = 1_000


class _Unknown(msgspec.Struct):
    """Stands for the type of a topic that messages/ does not declare."""


def _undeclared(found: Endpoint, kind: type[Kind]) -> Any:
    if kind is Topic:
        return Topic(found.name, _Unknown, found.latched)
    raise StackError(
        f"the types of `{found.name}` are not declared in messages/: give the {_NAMES[kind]} "
        "itself in place of its name, from the module that declares it"
    )


def _checked_id(goal_id: object) -> str:
    """Raises StackError: a goal cannot have such an id."""
    if not isinstance(goal_id, str) or not goal_id:
        raise StackError(f"a goal's id is a text, not {goal_id!r}")
    if len(goal_id) > _LONGEST_ID or not goal_id.isprintable():
        raise StackError(
            f"a goal's id has at most {_LONGEST_ID:,} characters, all of which can be printed"
        )
    return goal_id


def _message(interface: Interface, kind: type[Any], value: Any) -> Any:
    if isinstance(value, kind):
        return value
    if isinstance(value, msgspec.Struct):
        raise StackError(
            f"{interface.name} takes {kind.__name__} or a dict, not {type(value).__name__}"
        )
    try:
        return convert({} if value is None else value, kind)
    except ValueError as error:
        raise StackError(f"{interface.name}: {error}") from None


class _Channel:
    """One topic of a connection: received once, passed to every subscription."""

    def __init__(self, bus: Bus, topic: Topic[Any]) -> None:
        self._latched = topic.latched
        self._last: list[Any] = []
        self._subscriptions: list[Subscription] = []
        self._lock = threading.Lock()
        if topic.message is _Unknown:
            bus.subscribe_untyped(topic.name, lambda _, body: self._take(body))
        else:
            bus.subscribe(topic, self._take)

    def subscribe(self, timeout: float | None, keep: int, ended: Callable[[], str]) -> Subscription:
        made = Subscription(timeout, keep, self._forget, ended)
        with self._lock:
            for message in self._last:
                made.put(message)
            self._subscriptions.append(made)
        return made

    def close(self) -> None:
        with self._lock:
            subscriptions = list(self._subscriptions)
        for each in subscriptions:
            each.close()

    def _take(self, message: Any) -> None:
        with self._lock:
            if self._latched:
                self._last = [message]
            for each in self._subscriptions:
                each.put(message)

    def _forget(self, subscription: Subscription) -> None:
        with self._lock:
            if subscription in self._subscriptions:
                self._subscriptions.remove(subscription)
