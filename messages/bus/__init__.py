"""Topics, services and actions between processes, over ZeroMQ. See docs/architecture.md."""

from messages.bus.action_server import GoalHandle
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
from messages.bus.goal_store import GoalRecord, GoalStore, MemoryGoals
from messages.bus.later import Later

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
