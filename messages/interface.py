"""The endpoints of a conversation: topics, services and actions, declared as typed constants.

The words are ROS 2's. A name is ``<node>/<what>``: the node before the slash owns the endpoint, so
a client finds its address from the name alone.
"""

from dataclasses import dataclass, replace
from typing import Generic, Protocol, Self, TypeVar

import msgspec

Message = TypeVar("Message", bound=msgspec.Struct)
Request = TypeVar("Request", bound=msgspec.Struct)
Reply = TypeVar("Reply", bound=msgspec.Struct)
Goal = TypeVar("Goal", bound=msgspec.Struct)
Feedback = TypeVar("Feedback", bound=msgspec.Struct)
Result = TypeVar("Result", bound=msgspec.Struct)


LIMITED_BY_SERVER = 24 * 3600.0
"""Seconds for a reply that the server bounds by limits of its own: a caller that gave up earlier
would not get the reason. A restart of the server is noticed at once."""


@dataclass(frozen=True)
class _Named:
    name: str

    @property
    def node(self) -> str:
        """The node that owns this endpoint: the part of the name before the slash."""
        return self.name.partition("/")[0]

    def at(self, node: str) -> Self:
        """The same endpoint of another node of the kind, as of a second env server."""
        return replace(self, name=f"{node}/{self.name.partition('/')[2]}")


@dataclass(frozen=True)
class Topic(_Named, Generic[Message]):
    """One node publishes, any process may subscribe. A latched topic sends its last value to new
    subscribers."""

    message: type[Message]
    latched: bool = False


@dataclass(frozen=True)
class Service(_Named, Generic[Request, Reply]):
    """One request, one reply, always with a deadline.

    ``idempotent``: a request may be sent again to a *restarted* server. A server that was not
    restarted never does a request twice, idempotent or not.
    """

    request: type[Request]
    reply: type[Reply]
    idempotent: bool = False
    timeout: float = 10.0  # seconds


class Call(Protocol):
    """Calls a service and waits for the reply: the type of `Bus.call`, for code that is given
    it."""

    def __call__(
        self, service: Service[Request, Reply], request: Request, timeout: float | None = None
    ) -> Reply: ...


@dataclass(frozen=True)
class Action(_Named, Generic[Goal, Feedback, Result]):
    """A goal that takes long: feedback while it runs, one result, can be cancelled.

    The caller chooses the goal's id. The server stores the goal and its result on disk, so that the
    same goal sent again (by a restarted caller or to a restarted server) is picked up, not
    repeated.
    """

    goal: type[Goal]
    feedback: type[Feedback]
    result: type[Result]
