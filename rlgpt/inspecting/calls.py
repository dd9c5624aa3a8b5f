"""Calls from the command line: a service, a goal of an action, a message on a topic."""

import contextlib
import secrets
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from messages.bus import (
    Bus,
    BusError,
    DeadlineExceeded,
    GoalCancelled,
    RemoteError,
)
from messages.bus.actions.goal_store import UNKNOWN
from messages.codec import CodecError
from messages.interface import Action, Service, Topic
from messages.undecodable import UNDECODABLE
from nodes.common.running.exit_codes import FAILED
from nodes.common.running.process import AlreadyRunning, hold
from nodes.config import key_folder
from rlgpt.composing.configuration import Stack
from rlgpt.composing.conversion import convert
from rlgpt.inspecting.opening import check_kind, described, find_endpoint, opened
from rlgpt.inspecting.output import json_line
from rlgpt.interfaces import declared
from rlgpt.refused import Refused, did_you_mean
from rlgpt.runs.run_folder import LaunchEnd
from rlgpt.runs.typed import run_option, run_word

WAIT = 30.0
"""Seconds for the reply of a service, unless the command has another."""


def call_service(name: str, text: str | None, wanted: str | None, timeout: float = WAIT) -> int:
    """Call a service and print its reply as JSON. ``text``: the request as JSON, ``-`` for standard
    input, None for one without fields."""
    _check_timeout(timeout, 24 * 3600.0, "a day")
    with opened(wanted) as (run, stack, bus):
        find_endpoint("service", name, run, described(run, stack, bus))
        service = _declared(name, Service)
        request = _message(name, text, service.request)
        with _as_sentences(name):
            print(json_line(bus.call(service, request, timeout)))
    return 0


def send_goal(
    name: str,
    text: str | None,
    wanted: str | None,
    goal_id: str | None = None,
    feedback: bool = False,
    timeout: float | None = None,
) -> int:
    """Send a goal, wait for its result and print it as JSON; with ``feedback`` the feedback before
    it, a line each. Ctrl-C leaves the goal running: the id that is printed on standard error sends
    it again, or cancels it. Raises Refused, also where the launch ends before the goal does."""
    if timeout is not None:
        _check_timeout(timeout, 365 * 24 * 3600.0, "a year")
    with opened(wanted) as (run, stack, bus):
        end = LaunchEnd(run)
        find_endpoint("action", name, run, described(run, stack, bus))
        action = _declared(name, Action)
        goal = _message(name, text, action.goal)
        goal_id = goal_id or f"command/{secrets.token_hex(4)}"
        print(f"goal {goal_id}", file=sys.stderr, flush=True)

        def show(message: Any) -> None:
            print(json_line({"feedback": message}), flush=True)

        def given_up() -> bool:
            if end.has_come():
                raise Refused(_left_open(run, name, goal_id), code=FAILED)
            return False

        with _as_sentences(name):
            on_feedback = show if feedback else None
            result = bus.run_goal(action, goal_id, goal, on_feedback, timeout, given_up, same=True)
            print(json_line({"result": result} if feedback else result))
    return 0


def _left_open(run: Path, name: str, goal_id: str) -> str:
    again = f"`rlgpt action send_goal {name} ... --id {shlex.quote(goal_id)}{run_option(run)}`"
    resume = f"`rlgpt resume {run_word(run)}`"
    return (
        f"{run.name} has ended before the goal; {resume} goes on with it, and {again} waits for it "
        "again"
    )


def _check_timeout(timeout: float, longest: float, shown: str) -> None:
    if not 0.0 < timeout <= longest:
        raise Refused(f"--timeout {timeout:g}: more than 0 seconds, at most {shown}")


def cancel_goal(name: str, goal_id: str, wanted: str | None) -> int:
    """Cancel a goal, and print its status."""
    with opened(wanted) as (run, stack, bus):
        find_endpoint("action", name, run, described(run, stack, bus))
        with _as_sentences(name):
            status = bus.cancel_goal(_declared(name, Action), goal_id)
    if status == UNKNOWN:
        listed = f"`rlgpt action info {name}{run_option(run)}`"
        raise Refused(f"{name} has no goal `{goal_id}` ({listed})", code=FAILED)
    print(f"{goal_id}: {status}")
    return 0


def publish(
    name: str, text: str | None, wanted: str | None, count: int = 1, rate: float = 1.0
) -> int:
    """Publish a message on a topic, ``count`` times (0: until Ctrl-C), ``rate`` times a second, in
    place of the node that owns it, which must not be running: a topic has one publisher."""
    if count < 0 or not 0.0 < rate <= 1000.0:
        raise Refused("--count is 0 or more, --rate more than 0 and at most 1000 in a second")
    with opened(wanted) as (run, stack, _):
        node = name.partition("/")[0]
        stack.check_node(node)
        topic = _declared(name, Topic)
        message = _message(name, text, topic.message)
        with _in_place_of(node, run), _bus_of(node, run, stack) as bus:
            bus.advertise(topic)
            bus.publish(topic, message)
            _spin(bus, 1.0)  # subscribers connect; a latched topic's value reaches them now
            sent = 1 if topic.latched else 0
            while not count or sent < count:
                bus.publish(topic, message)
                sent += 1
                _spin(bus, 1.0 / rate)
    print(f"{name}: published {sent} times" if sent != 1 else f"{name}: published")
    return 0


@contextlib.contextmanager
def _in_place_of(node: str, run: Path) -> Iterator[None]:
    (run / node).mkdir(exist_ok=True)
    try:
        lock = hold(run / node / "lock", node)
    except AlreadyRunning:
        raise Refused(
            f"{node} is running, and only it publishes on its topics; leave it out of the launch "
            f"(`rlgpt launch NAME -{node}`) to publish in its place"
        ) from None
    with lock:
        yield


@contextlib.contextmanager
def _bus_of(node: str, run: Path, stack: Stack) -> Iterator[Bus]:
    try:
        bus = Bus(run, node, stack.hosts, keys=key_folder(run, stack.keys))
    except BusError as error:
        raise Refused(str(error)) from None
    try:
        yield bus
    finally:
        bus.close()


def _spin(bus: Bus, seconds: float) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        bus.spin_once(left)


def _declared(name: str, kind: type[Any]) -> Any:
    """The declaration of an endpoint in messages/. Raises Refused: a node that is not ours declares
    its own, which are not known here."""
    known = declared(name.partition("/")[0])
    found = known.get(name)
    if not isinstance(found, kind):
        what = kind.__name__.lower()
        if found is not None:
            check_kind(what, name, type(found).__name__.lower())
        every = {each.partition("/")[2] for each in declared("any")}  # they are near to no name
        those = [n for n, each in known.items() if isinstance(each, kind)]
        if hint := did_you_mean(name, [n for n in those if n.partition("/")[2] not in every]):
            raise Refused(f"messages/ declares no {what} `{name}`{hint}")
        raise Refused(
            f"the types of the {what} `{name}` are not declared in messages/, which is all that "
            "the command line knows; use it from Python (docs/connecting.md)"
        )
    return found


def _message(name: str, text: str | None, kind: type[Any]) -> Any:
    shown = f"`rlgpt interface show {kind.__name__}` has its fields"
    source = _standard_input() if text == "-" else text or "{}"
    try:
        value = msgspec.json.decode(source)
    except UNDECODABLE as error:
        raise Refused(f"{name} takes JSON, and this is none: {error}; {shown}") from None
    try:
        return convert(value, kind)
    except ValueError as error:
        raise Refused(f"{name} takes {kind.__name__}: {error}; {shown}") from None


def _standard_input() -> bytes:
    """Nothing if it was closed."""
    return sys.stdin.buffer.read() if sys.stdin is not None else b""


@contextlib.contextmanager
def _as_sentences(name: str) -> Iterator[None]:
    """Errors of a call as sentences."""
    try:
        yield
    except RemoteError as error:
        raise Refused(error.message, code=FAILED) from None
    except GoalCancelled:
        raise Refused(f"{name}: the goal was cancelled", code=FAILED) from None
    except DeadlineExceeded as error:
        raise Refused(f"{error}; --timeout waits longer", code=FAILED) from None
    except BusError as error:
        raise Refused(str(error), code=FAILED) from None
    except CodecError as error:
        raise Refused(f"{name}: {error}", code=FAILED) from None
