"""What an action server remembers of its goals, and the simplest store for it."""

from typing import Any, Literal, Protocol

import msgspec

from messages.interface import Action, Service, Topic

Status = Literal["waiting", "running", "cancelling", "succeeded", "failed", "cancelled"]
FINISHED = frozenset({"succeeded", "failed", "cancelled"})


class GoalRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A goal with all that is stored of it."""

    action: str
    goal: str  # id, chosen by the caller
    status: Status
    request: list[bytes]  # frames of the goal
    result: list[bytes] = []  # frames of the result, if it succeeded
    code: str = ""  # why it failed
    text: str = ""


class GoalStore(Protocol):
    """Where goals are kept. Called from several threads."""

    def load(self, action: str, goal: str) -> GoalRecord | None:
        """The goal, or None if it is not known."""
        ...

    def save(self, record: GoalRecord) -> None:
        """Store the goal; when this returns it survives the end of the process."""
        ...

    def unfinished(self, action: str) -> list[GoalRecord]:
        """Goals that have not ended, oldest first."""
        ...


class MemoryGoals:
    """Goals that do not outlive the process."""

    def __init__(self) -> None:
        self._records: dict[tuple[str, str], GoalRecord] = {}

    def load(self, action: str, goal: str) -> GoalRecord | None:
        return self._records.get((action, goal))

    def save(self, record: GoalRecord) -> None:
        self._records[record.action, record.goal] = record

    def unfinished(self, action: str) -> list[GoalRecord]:
        return [
            record
            for record in list(self._records.values())
            if record.action == action and record.status not in FINISHED
        ]


class GoalQuery(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Query a goal; ``wait`` is how many seconds the server may wait for its result."""

    goal: str
    wait: float = 0.0


class GoalState(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The status of a goal. ``differs``: it was sent before with another request, which counts."""

    goal: str
    status: str
    differs: bool = False


AnyAction = Action[Any, Any, Any]

# How an action is made of services and a topic. The goal's id stands in the header.


def send_service(action: AnyAction) -> Service[Any, Any]:
    return Service(f"{action.name}/send", action.goal, GoalState, idempotent=True)


def result_service(action: AnyAction) -> Service[Any, Any]:
    return Service(f"{action.name}/result", GoalQuery, action.result, idempotent=True)


def cancel_service(action: AnyAction) -> Service[Any, Any]:
    return Service(f"{action.name}/cancel", GoalQuery, GoalState, idempotent=True)


def feedback_topic(action: AnyAction) -> Topic[Any]:
    return Topic(f"{action.name}/feedback", action.feedback)


PENDING = "pending"
UNKNOWN = "unknown_goal"
"""Codes of a reply to `result_service` that has no result; ``cancelled`` is the third."""

MAX_WAIT = 20.0
"""Seconds that a server holds back its reply to `result_service` at most."""
