"""The topic of a node with the requests, replies and errors of its services and actions."""

from typing import Literal

import msgspec

from messages.interface import Topic


class CallEvent(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """A request that a node has begun to work on, or the reply or error that it has sent. An action
    is three services, ``<action>/send``, ``/result`` and ``/cancel``.

    The arrays of ``body`` are the further frames of this message:
    ``decode(kind, [event.body, *frames[1:]])`` reads it.
    """

    endpoint: str  # the service
    kind: Literal["request", "reply", "error"]
    client: str  # the sending client's id
    id: int  # of that client's request; its reply has the same
    caller: str = ""  # of a request: the epoch of the process that sent it
    time: float  # seconds since 1970 by the sender's clock
    took: float = 0.0  # of a reply or error: seconds since the request was received
    goal: str = ""  # the goal that this is about
    code: str = ""  # of an error, or a goal's state
    text: str = ""  # of an error: one sentence
    body_type: str = ""  # the name of the body's type; "" of an error
    omitted: str = ""  # why there is no body, in words
    body: msgspec.Raw  # MessagePack, as it was sent; nil if there is none


def calls(node: str) -> Topic[CallEvent]:
    """The topic on which a node publishes its `CallEvent`s while it has a subscriber by its name.
    ``<node>/*`` does not include it."""
    return Topic(f"{node}/calls", CallEvent)
