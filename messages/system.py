"""The system conversation: what every node answers and says, and what the launcher is asked."""

import msgspec

from messages.empty import Empty
from messages.interface import Service, Topic


class Heartbeat(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Said once a second by the thread that serves."""

    node: str
    epoch: str  # new with each start of the node
    pid: int
    uptime: float  # seconds
    busy: list[str]  # goals being worked on
    notes: list[str] = []  # what its user is to know of it as long as it runs


NOTICE = "notice"
"""The level of a diagnostic that says whom its node waits for, ``about`` whom, and when that is
over."""


class Diagnostic(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Something that is not right. ``count``: how often this was seen since the node started."""

    node: str
    level: str  # "warning", "error", or `NOTICE`
    about: str  # the door it came through, or what was being done
    message: str
    count: int = 1


class Door(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    kind: str  # "topic", "service" or "action"
    types: list[str]
    fingerprint: str  # of the types' schemas: differs between versions of a message


class Description(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Who a node is and which doors it has."""

    node: str
    epoch: str
    pid: int
    doors: list[Door]


Plain = str | int | float | bool | None
ParameterValue = Plain | list[Plain]
"""What lies deeper than a list goes as JSON text."""


class Parameters(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """A node's parameters as JSON values; ``live`` ones may be set while it runs."""

    values: dict[str, ParameterValue]
    live: list[str]


class SetParameters(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    values: dict[str, ParameterValue]


class NodeName(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    node: str


class NodeState(msgspec.Struct, frozen=True, kw_only=True):
    """A node as its supervisor sees it."""

    node: str
    state: str  # "starting", "ready", "stopped", "waiting" (to be restarted), "released", "failed"
    pid: int
    restarts: int
    uptime: float  # seconds
    memory: int  # resident bytes
    notes: list[str] = []  # what it said of itself with its heartbeat


def whereabouts(state: NodeState) -> str:
    """What has become of a node that does not answer, as a clause."""
    match state.state:
        case "released":
            return f"which is not the launcher's: start it with `rlgpt run {state.node}`"
        case "failed":
            return f"which failed: mend it, then `rlgpt node restart {state.node}`"
        case "stopped":
            return "which was stopped"
        case "ready":
            return "which runs, and cannot be reached"
        case _:
            return "which is being restarted" if state.restarts else "which is starting"


class NodeStates(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    nodes: list[NodeState]


BUSY = 30.0
"""Seconds in which a node finds the time for a question about itself, whatever it is doing."""


def heartbeat(node: str) -> Topic[Heartbeat]:
    return Topic(f"{node}/heartbeat", Heartbeat, latched=True)


def diagnostics(node: str) -> Topic[Diagnostic]:
    return Topic(f"{node}/diagnostics", Diagnostic)


def description(node: str) -> Topic[Description]:
    return Topic(f"{node}/description", Description, latched=True)


def describe(node: str) -> Service[Empty, Description]:
    return Service(f"{node}/describe", Empty, Description, idempotent=True, timeout=BUSY)


def get_parameters(node: str) -> Service[Empty, Parameters]:
    return Service(f"{node}/get_parameters", Empty, Parameters, idempotent=True, timeout=BUSY)


def set_parameters(node: str) -> Service[SetParameters, Parameters]:
    return Service(
        f"{node}/set_parameters", SetParameters, Parameters, idempotent=True, timeout=BUSY
    )


LIST = Service("launcher/list", Empty, NodeStates, idempotent=True, timeout=5.0)
RESTART = Service("launcher/restart", NodeName, NodeState, timeout=30.0)
KILL = Service("launcher/kill", NodeName, NodeState, timeout=30.0)
RELEASE = Service("launcher/release", NodeName, NodeState, idempotent=True, timeout=30.0)
RECLAIM = Service("launcher/reclaim", NodeName, NodeState, idempotent=True, timeout=30.0)
