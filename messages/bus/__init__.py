"""Topics, services and actions between processes, over ZeroMQ. See docs/architecture.md.

``bus.py`` is what a node has. ``services/``, ``actions/`` and ``topics/`` are the three kinds of
conversation, ``network/`` what is below them. ``serving.py`` is the thread that serves a node's
endpoints (``node_endpoints.py``), ``caller.py`` what calls those of others, ``gate.py`` where work
waits while a node is paused, ``replay_bus.py`` an end that sends recorded messages.
"""

from messages.bus.actions.action_server import GoalHandle
from messages.bus.actions.goal_store import GoalRecord, GoalStore, MemoryGoals
from messages.bus.bus import Bus
from messages.bus.errors import (
    SESSION_KILLED,
    SESSION_LOST,
    AddressError,
    BusClosed,
    BusError,
    DeadlineExceeded,
    GoalCancelled,
    MalformedReply,
    OtherGoal,
    PeerRestarted,
    RemoteError,
    ServiceError,
)
from messages.bus.services.later import Later

__all__ = [
    "SESSION_KILLED",
    "SESSION_LOST",
    "AddressError",
    "Bus",
    "BusClosed",
    "BusError",
    "DeadlineExceeded",
    "GoalCancelled",
    "GoalHandle",
    "GoalRecord",
    "GoalStore",
    "Later",
    "MalformedReply",
    "MemoryGoals",
    "OtherGoal",
    "PeerRestarted",
    "RemoteError",
    "ServiceError",
]
