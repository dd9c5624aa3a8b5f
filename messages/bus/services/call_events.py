"""Publishes the requests and replies of a node's services while they have a subscriber."""

import msgspec

from messages.bus.network.frames import keep
from messages.bus.network.header import Header
from messages.bus.topics.topic_sockets import Publisher
from messages.calling import CallEvent, calls
from messages.codec import CodecError, Frames, encode
from messages.undecodable import UNDECODABLE

_NOTHING = msgspec.Raw(b"\xc0")
_WHOLE = msgspec.msgpack.Decoder(msgspec.Raw)


class CallEvents:
    """Publishes call events. For the serving thread only."""

    def __init__(self, node: str, publisher: Publisher) -> None:
        self._publisher = publisher
        self._topic = calls(node).name
        self._key = self._topic.encode() + b"\0"

    @property
    def wanted(self) -> bool:
        """Whether there is a subscriber; otherwise nothing is encoded."""
        return self._publisher.wanted(self._key)

    def publish(self, header: Header, frames: Frames, body_type: str, took: float = 0.0) -> None:
        """Publish one event. ``header`` and ``frames``: of the request, the reply or the error."""
        body, omitted = _NOTHING, ""
        if header.kind == "error" or frames[0] == b"":  # a goal's state has no body either
            body_type, frames = "", frames[:1]
        else:
            try:
                body = _WHOLE.decode(frames[0])
            except UNDECODABLE:
                frames, omitted = frames[:1], "it is not MessagePack"
        event = _event(header, body_type, took, omitted, body)
        try:
            first = encode(event)[0]
        except CodecError as error:
            frames = frames[:1]
            first = encode(_event(header, body_type, took, str(error), _NOTHING))[0]
        self._publisher.publish_by_name(self._topic, keep([first, *frames[1:]]), header.goal)


def _event(
    header: Header, body_type: str, took: float, omitted: str, body: msgspec.Raw
) -> CallEvent:
    return CallEvent(
        endpoint=header.endpoint,
        kind=header.kind if header.kind in ("request", "reply") else "error",
        client=header.client,
        id=header.id,
        caller=header.epoch if header.kind == "request" else "",
        time=header.time,
        took=took,
        goal=header.goal,
        code=header.code,
        text=header.text,
        body_type=body_type,
        omitted=omitted,
        body=body,
    )
