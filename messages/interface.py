"""What a conversation is made of: topics, services and actions, declared as typed constants.

The words are ROS 2's. A name is ``<node>/<what>``: the node before the slash owns the door, so a
peer finds its address from the name alone.
"""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import msgspec

Message = TypeVar("Message", bound=msgspec.Struct)
Request = TypeVar("Request", bound=msgspec.Struct)
Reply = TypeVar("Reply", bound=msgspec.Struct)
Goal = TypeVar("Goal", bound=msgspec.Struct)
Feedback = TypeVar("Feedback", bound=msgspec.Struct)
Result = TypeVar("Result", bound=msgspec.Struct)


UNHURRIED = 24 * 3600.0
"""Seconds for an answer that the node asked puts an end to itself, by limits of its own: a caller
that gave up before would not hear why. That it was restarted is noticed at once."""


@dataclass(frozen=True)
class _Named:
    name: str

    @property
    def node(self) -> str:
        """The node that owns this door: the part of the name before the slash."""
        return self.name.partition("/")[0]


@dataclass(frozen=True)
class Topic(_Named, Generic[Message]):
    """One node says, anyone listens. A latched topic gives its last value to late joiners."""

    message: type[Message]
    latched: bool = False


@dataclass(frozen=True)
class Service(_Named, Generic[Request, Reply]):
    """One question, one answer, always with a deadline.

    ``idempotent`` says whether a request may be put again to a *restarted* server. Within one life
    of the server a request is never done twice, whatever this says.
    """

    request: type[Request]
    reply: type[Reply]
    idempotent: bool = False
    timeout: float = 10.0  # seconds


class Call(Protocol):
    """Asks a service and waits for the answer: `Bus.call`, as what calls may be given it."""

    def __call__(
        self, service: Service[Request, Reply], request: Request, timeout: float | None = None
    ) -> Reply: ...


@dataclass(frozen=True)
class Action(_Named, Generic[Goal, Feedback, Result]):
    """A goal that takes a while: feedback as it goes, one result, may be cancelled.

    A goal is named by its caller. Its server remembers the goal and its result on disk, so that the
    same goal sent again (by a caller or to a server that was restarted) is picked up, not repeated.
    """

    goal: type[Goal]
    feedback: type[Feedback]
    result: type[Result]
