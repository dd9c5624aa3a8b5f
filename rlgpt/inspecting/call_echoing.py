"""What services and actions are called for, as it happens, a JSON object a line."""

import queue
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from messages.bus import Bus, BusError
from messages.bus.actions.goal_store import PENDING, UNKNOWN
from messages.bus.network.header import Header
from messages.calling import CallEvent, calls
from messages.codec import CodecError, Frames, decode, decode_untyped
from messages.system import Description
from nodes.common.running.exit_codes import FAILED
from rlgpt.inspecting.echoing import awaited, check_printing, launch_ended, spinning
from rlgpt.inspecting.opening import described, find_endpoint, opened
from rlgpt.inspecting.output import json_line
from rlgpt.interfaces import descriptions
from rlgpt.refused import Refused, instead
from rlgpt.runs.run_folder import LaunchEnd

_Event = tuple[CallEvent, Any]
_NIL = msgspec.Raw(msgspec.msgpack.encode(None))


def echo_service(
    name: str, wanted: str | None, count: int = 0, silence: float | None = None
) -> int:
    """Print the requests of a service (``critic/*``: of all of a node's) and the replies to them,
    until ``count`` lines were printed, for ``silence`` seconds there was none, or the launch has
    ended."""
    check_printing(count, silence)
    with opened(wanted) as (run, stack, bus):
        end = LaunchEnd(run)
        found = described(run, stack, bus)
        node = _check("service", name, run, found)
        callers = _Callers(bus, [*stack.nodes], found)
        printed = 0
        with spinning(bus):
            for event, body in _events(end, bus, node, name, silence):
                print(json_line(_line(event, body, callers, name.endswith("/*"))), flush=True)
                printed += 1
                if printed == count:
                    return 0
    if count:
        raise launch_ended(run, printed, count)
    return 0


def echo_action(name: str, wanted: str | None, count: int = 0, silence: float | None = None) -> int:
    """Print the goals of an action (``critic/*``: of all of a node's), their feedback, results and
    cancellations."""
    check_printing(count, silence)
    with opened(wanted) as (run, stack, bus):
        end = LaunchEnd(run)
        found = described(run, stack, bus)
        node = _check("action", name, run, found)
        actions = [e.name for o in found if o.node == node for e in o.endpoints]
        actions = [each for each in actions if name in (each, f"{node}/*")]
        callers = _Callers(bus, [*stack.nodes], found)
        printed, ended = 0, set[str]()
        with spinning(bus):
            for event, body in _events(end, bus, node, name, silence, actions):
                line = _goal_line(event, body, callers, actions, ended)
                if line is None:
                    continue
                print(json_line(line), flush=True)
                printed += 1
                if printed == count:
                    return 0
    if count:
        raise launch_ended(run, printed, count)
    return 0


class _Callers:
    """The names of those who call."""

    def __init__(self, bus: Bus, nodes: list[str], found: list[Description]) -> None:
        self._bus = bus
        self._nodes = nodes
        self._names = {one.epoch: one.node for one in found}

    def name(self, event: CallEvent) -> str | None:
        """The node that sent a request; a command's or a user's program has no name."""
        if event.caller and event.caller not in self._names:
            self._names[event.caller] = ""  # looked up once
            try:
                found = descriptions(self._bus, self._nodes)
            except BusError:
                found = []
            self._names |= {one.epoch: one.node for one in found}
        return self._names.get(event.caller) or None


def _check(kind: str, name: str, run: Path, found: list[Description]) -> str:
    node = name.partition("/")[0]
    nodes = [one.node for one in found]
    if not name.endswith("/*"):
        find_endpoint(kind, name, run, found)
    elif node not in nodes:
        raise Refused(f"there is no node `{node}`{instead(node, nodes)}")
    return node


def _events(
    end: LaunchEnd,
    bus: Bus,
    node: str,
    name: str,
    silence: float | None,
    actions: Sequence[str] = (),
) -> Iterator[_Event]:
    """What comes; of ``actions`` also the feedback."""
    received: queue.SimpleQueue[_Event] = queue.SimpleQueue()
    parts = {f"{action}/{part}" for action in actions for part in ("send", "result", "cancel")}

    def take(header: Header, frames: Frames) -> None:
        try:
            event = decode(CallEvent, frames[:1])
            body = decode_untyped([bytes(event.body), *frames[1:]])
        except CodecError as error:
            bus.report(header.endpoint, str(error))
            return
        if name.endswith("/*") or event.endpoint == name or event.endpoint in parts:
            received.put((event, body))

    def take_feedback(header: Header, body: Any) -> None:
        event = CallEvent(
            endpoint=header.endpoint,
            kind="request",
            client="",
            id=header.id,
            time=header.time,
            goal=header.goal,
            body=_NIL,
        )
        received.put((event, body))

    bus.subscribe_frames(calls(node).name, take)
    for action in actions:
        bus.subscribe_untyped(f"{action}/feedback", take_feedback)
    try:
        yield from awaited(received, silence, end)
    except queue.Empty:
        raise Refused(f"{name} was not called for {silence:g} s", code=FAILED) from None


def _line(event: CallEvent, body: Any, callers: _Callers, named: bool) -> dict[str, Any]:
    line: dict[str, Any] = {"service": event.endpoint} if named else {}
    line |= {"kind": event.kind, "time": event.time, "client": event.client, "id": event.id}
    if event.kind == "request":
        line["caller"] = callers.name(event)
    else:
        line["took"] = round(event.took, 6)
    line |= {key: value for key in ("goal", "code", "text") if (value := getattr(event, key))}
    if event.omitted:
        line["omitted"] = event.omitted
    elif event.kind != "error":
        line["message"] = body
    return line


def _goal_line(
    event: CallEvent, body: Any, callers: _Callers, actions: list[str], ended: set[str]
) -> dict[str, Any] | None:
    """What an event is of a goal; None if it is nothing new. ``ended``: goals whose end was
    printed, as each client that waits for it is sent one."""
    action, _, part = event.endpoint.rpartition("/")
    if action not in actions:
        return None
    line: dict[str, Any] = {"action": action, "time": event.time, "goal": event.goal}
    match part, event.kind:
        case "send", "request":
            ended.discard(event.goal)
            return {"kind": "goal", **line, "caller": callers.name(event), "message": body}
        case "feedback", _:
            return {"kind": "feedback", **line, "message": body}
        case "cancel", "request":
            return {"kind": "cancel", **line, "caller": callers.name(event)}
        case "send", "error":
            return {"kind": "rejected", **line, "code": event.code, "text": event.text}
        case "result", ("reply" | "error"):
            if event.code in (PENDING, UNKNOWN) or event.goal in ended:
                return None
            ended.add(event.goal)
            if event.kind == "error":
                return {"kind": "failed", **line, "code": event.code, "text": event.text}
            if event.code == "cancelled":
                return {"kind": "cancelled", **line}
            return {"kind": "result", **line, "message": body}
    return None
