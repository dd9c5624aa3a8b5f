"""The system conversation: the endpoints of every node, and those of the launcher."""

import msgspec

from messages.empty import Empty
from messages.interface import Service, Topic


class Heartbeat(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Published once a second by the serving thread."""

    node: str
    epoch: str  # new with each start of the node
    pid: int
    uptime: float  # seconds
    busy: list[str]  # goals being worked on
    notes: list[str] = []  # sentences for its user, shown as long as it runs
    paused: bool = False


NOTICE = "notice"
"""The level of a diagnostic with the node that its node waits for (``about``), and of the one that
ends the wait."""


class Diagnostic(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """A problem. ``count``: how often it was seen since the node started."""

    node: str
    level: str  # "warning", "error", or `NOTICE`
    about: str  # the endpoint, or another subject
    message: str
    count: int = 1


class Endpoint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A topic, service or action of a node."""

    name: str
    kind: str  # "topic", "service" or "action"
    types: list[str]
    fingerprint: str  # of the types' schemas: differs between versions of a message
    latched: bool = False  # of a topic


class Description(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """A node's name, process and endpoints, and those of other nodes that it uses."""

    node: str
    epoch: str
    pid: int
    endpoints: list[Endpoint]
    uses: list[str] = []  # topics subscribed to, services and actions called so far


Plain = str | int | float | bool | None
ParameterValue = Plain | list[Plain]
"""Values nested deeper than a list are JSON text."""


class Parameters(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """A node's parameters as JSON values; ``live`` ones may be set while it runs. ``configured``:
    what the run's configuration has of those that were set and not reset since."""

    values: dict[str, ParameterValue]
    live: list[str]
    configured: dict[str, ParameterValue] = {}


class SetParameters(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """``reset``: names of parameters that are to be as the run's configuration has them again."""

    values: dict[str, ParameterValue] = {}
    reset: list[str] = []
    by: str = ""  # who sets them, for the run's record


class NodeName(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    node: str
    debugged: bool = False  # of a node that is released: it will run under a debugger


class NodeState(msgspec.Struct, frozen=True, kw_only=True):
    """A node's state, as its supervisor has it."""

    node: str
    state: str  # "starting", "ready", "stopped", "waiting" (to be restarted), "released", "failed"
    pid: int
    restarts: int
    uptime: float  # seconds
    memory: int  # resident bytes
    notes: list[str] = []  # of its last heartbeat
    paused: bool = False  # as its last heartbeat has it
    debugged: bool = False  # released to a user's debugger


DEBUGGED = "which is under a debugger"


def status_clause(state: NodeState) -> str:
    """The state of a node that does not answer, as a clause."""
    match state.state:
        case "released" if state.debugged:
            return DEBUGGED
        case "released":
            return f"which is not the launcher's: start it with `rlgpt run {state.node}`"
        case "failed":
            return f"which failed: fix it, then `rlgpt node restart {state.node}`"
        case "stopped":
            return "which was stopped"
        case "ready":
            return "which runs, but cannot be reached"
        case _:
            return "which is being restarted" if state.restarts else "which is starting"


class NodeStates(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    nodes: list[NodeState]


class Crash(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """A node's process has ended by itself, or was killed; it is started again, or not."""

    node: str
    how: str  # "was ended by SIGSEGV"


BUSY = 30.0
"""Seconds within which a busy node answers a request about itself."""


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


CRASHES = Topic("launcher/crashes", Crash)
LIST = Service("launcher/list", Empty, NodeStates, idempotent=True, timeout=5.0)
RESTART = Service("launcher/restart", NodeName, NodeState, timeout=30.0)
KILL = Service("launcher/kill", NodeName, NodeState, timeout=30.0)
RELEASE = Service("launcher/release", NodeName, NodeState, idempotent=True, timeout=30.0)
RECLAIM = Service("launcher/reclaim", NodeName, NodeState, idempotent=True, timeout=30.0)
