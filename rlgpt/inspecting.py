"""Looks into a running stack: nodes, topics, services and parameters."""

import contextlib
import queue
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from messages.bus import Bus, BusError, RemoteError
from messages.bus.curve import TOOLS
from messages.codec import CodecError
from messages.empty import Empty
from messages.system import (
    KILL,
    LIST,
    RESTART,
    Description,
    NodeName,
    NodeState,
    ParameterValue,
    SetParameters,
    get_parameters,
    set_parameters,
)
from nodes.config import key_folder
from nodes.exit_codes import FAILED
from nodes.plain_text import plain_json
from rlgpt import run_folder
from rlgpt.configuration import Stack, load
from rlgpt.interfaces import AWAY, descriptions
from rlgpt.machines import check_keys
from rlgpt.refused import Refused, instead, near
from rlgpt.terminal import plain_table, print_table


@contextlib.contextmanager
def connected(run: Path, stack: Stack) -> Iterator[Bus]:
    """A bus without a name, which can only call and subscribe."""
    check_keys(run, stack.hosts, stack.keys, [TOOLS])
    try:
        bus = Bus(run=run, node=None, hosts=stack.hosts, keys=key_folder(run, stack.keys))
    except BusError as error:
        raise Refused(str(error)) from None
    try:
        yield bus
    finally:
        bus.close()


@contextlib.contextmanager
def _opened(wanted: str | None) -> Iterator[tuple[Path, Stack, Bus]]:
    run = run_folder.find(wanted)
    stack = load(run)
    with connected(run, stack) as bus:
        yield run, stack, bus


# ---- nodes


def _launcher_states(run: Path, bus: Bus) -> list[NodeState]:
    if not run_folder.launched(run):
        raise Refused(f"{run.name} is not running; `rlgpt resume {run.name}` starts it again")
    try:
        return bus.call(LIST, Empty()).nodes
    except BusError as error:
        raise Refused(f"the launcher of {run.name} does not answer: {error}", code=FAILED) from None


def list_nodes(wanted: str | None) -> int:
    """Print every node of a run with its state."""
    with _opened(wanted) as (run, _, bus):
        states = _launcher_states(run, bus)
    table = plain_table("node", "state", "pid", "restarts", "up", "memory", "notes")
    for s in states:
        up = f"{s.uptime:.0f} s" if s.pid else ""
        memory = f"{s.memory / 2**20:.0f} MiB" if s.pid else ""
        notes = "; ".join(s.notes)
        table.add_row(s.node, s.state, str(s.pid or "-"), str(s.restarts), up, memory, notes)
    print_table(table)
    return 0


def control(what: str, node: str, wanted: str | None) -> int:
    """``restart`` or ``kill`` a node, and wait until it is ready again."""
    service = {"restart": RESTART, "kill": KILL}[what]
    began = time.monotonic()
    with _opened(wanted) as (run, _, bus):
        _launcher_states(run, bus)
        try:
            state = bus.call(service, NodeName(node=node))
        except RemoteError as error:
            raise Refused(error.message) from None
        except BusError as error:
            raise Refused(f"the launcher of {run.name} does not answer: {error}", FAILED) from None
        # The launcher gives up when it takes too long: `patience`, in the launch file.
        while state.state in ("starting", "waiting"):
            time.sleep(0.02)
            state = next(s for s in _launcher_states(run, bus) if s.node == node)
    if state.state != "ready":
        raise Refused(f"{node} is {state.state}; see {run.name}/{node}/output.log", code=FAILED)
    print(f"{node} is ready again, as process {state.pid}, {time.monotonic() - began:.1f} s later")
    return 0


# ---- endpoints


def _running(run: Path, stack: Stack, bus: Bus) -> list[Description]:
    found = descriptions(bus, [*stack.nodes, "launcher"])
    if not found:
        raise Refused(f"no node of {run.name} is running; `rlgpt resume {run.name}` starts them")
    return found


def list_endpoints(kind: str, wanted: str | None) -> int:
    """Print every topic, or every service and action, of the nodes that run."""
    with _opened(wanted) as (run, stack, bus):
        found = _running(run, stack, bus)
    kinds = ("topic",) if kind == "topic" else ("service", "action")
    table = plain_table("name", "kind", "types", "fingerprint")
    for description in found:
        for endpoint in sorted(description.endpoints, key=lambda d: d.name):
            if endpoint.kind in kinds:
                table.add_row(
                    endpoint.name, endpoint.kind, " -> ".join(endpoint.types), endpoint.fingerprint
                )
    print_table(table)
    return 0


def echo(topic: str, wanted: str | None, count: int, silence: float | None) -> int:
    """Print the messages of ``topic``, one JSON object a line, until ``count`` messages were
    printed or for ``silence`` seconds none was published. The type need not be known here."""
    if count < 0:
        raise Refused(f"--count {count}: 0 is without end, else at least one message")
    if silence is not None and not 0.0 <= silence <= threading.TIMEOUT_MAX:
        raise Refused(f"--timeout {silence:g}: seconds of silence, 0 or more")
    with _opened(wanted) as (run, stack, bus):
        known = [
            d.name for f in _running(run, stack, bus) for d in f.endpoints if d.kind == "topic"
        ]
        if topic not in known:
            raise Refused(
                f"there is no topic `{topic}`{near(topic, known)} (`rlgpt topic list` has them)"
            )
        received: queue.SimpleQueue[Any] = queue.SimpleQueue()
        over = threading.Event()
        bus.subscribe_untyped(topic, lambda _, body: received.put(body))
        serving = threading.Thread(target=bus.spin, args=(over,), daemon=True)
        serving.start()
        try:
            printed = 0
            while not count or printed < count:
                print(_written(received.get(timeout=silence)), flush=True)
                printed += 1
        except queue.Empty:
            sentence = f"nothing was published on {topic} for {silence:g} s"
            raise Refused(sentence, code=FAILED) from None
        finally:
            over.set()
            serving.join(5.0)
    return 0


def _written(body: Any) -> str:
    """A message as one line of JSON; of an array, its type and shape and, if it is short, what is
    in it."""

    def other(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            array = {"dtype": str(value.dtype), "shape": list(value.shape)}
            return array | ({"values": value.tolist()} if value.size <= 16 else {})
        return str(value)

    return plain_json(msgspec.json.encode(body, enc_hook=other).decode())


# ---- parameters


def _unanswered(node: str, run: Path, error: BusError) -> str:
    """Why a node did not answer, as far as it is known from outside."""
    if run_folder.launched(run):
        return f"{node} of {run.name} does not answer: {error}"
    return f"{node} of {run.name} is not running; `rlgpt resume {run.name}` starts it again"


def show_parameters(node: str | None, name: str | None, wanted: str | None) -> int:
    """Print the parameters of one node or of all, or the value of one parameter."""
    with _opened(wanted) as (run, stack, bus):
        if node is not None:
            stack.check_node(node)
        names = [node] if node is not None else list(stack.nodes)
        table = plain_table("node", "parameter", "value", "")
        answers = 0
        for each in names:
            try:
                parameters = bus.call(get_parameters(each), Empty(), absence=AWAY)
            except BusError as error:
                if node is not None:
                    raise Refused(_unanswered(node, run, error)) from None
                continue
            answers += 1
            if name is not None:
                if name not in parameters.values:
                    known = instead(name, parameters.values)
                    raise Refused(f"{node} has no parameter `{name}`{known}")
                print(plain_json(msgspec.json.encode(parameters.values[name]).decode()))
                return 0
            for key, value in parameters.values.items():
                text = msgspec.json.encode(value).decode()
                table.add_row(each, key, text, "live" if key in parameters.live else "")
    if not answers:
        raise Refused(f"no node of {run.name} is running; `rlgpt resume {run.name}` starts them")
    print_table(table)
    return 0


def set_parameter(node: str, assignment: str, wanted: str | None) -> int:
    """Set one parameter of a running node. The value is read as JSON, else as text."""
    key, equals, text = assignment.partition("=")
    if not equals:
        raise Refused(f"`{assignment}` sets nothing; write {assignment}=VALUE")
    try:
        value = msgspec.json.decode(text, type=ParameterValue)
    except msgspec.DecodeError:
        value = text
    with _opened(wanted) as (run, stack, bus):
        stack.check_node(node)
        try:
            bus.call(set_parameters(node), SetParameters(values={key: value}), absence=AWAY)
        except RemoteError as error:
            raise Refused(error.message) from None
        except CodecError as error:
            raise Refused(f"`{assignment}` cannot be sent: {error}") from None
        except BusError as error:
            raise Refused(_unanswered(node, run, error)) from None
    print(f"{node}: {key} = {msgspec.json.encode(value).decode()}")
    return 0
