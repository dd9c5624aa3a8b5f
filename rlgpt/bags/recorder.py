"""Takes the messages that come in and passes them on to a bag."""

import time
from contextlib import suppress

from messages.bus.network.header import Header
from messages.calling import CallEvent, calls
from messages.codec import CodecError, Frames, decode
from messages.system import Description, description
from rlgpt.bags.bag_writer import BagFull, Sink
from rlgpt.bags.choice import Choice
from rlgpt.bags.message_maps import NoMap, joined
from rlgpt.bags.message_schemas import Types


class Recorder:
    """Records messages. For the thread that serves the bus.

    Attributes:
        failure: why nothing more can be written; None as long as it can.
        missed: messages that were published and did not arrive.
        unreadable: messages that are no MessagePack map, and were not written.
        described: the nodes whose description has come, which is the first that a subscriber of all
            of a node's topics is sent.
        last_taken: when a message came in last, by the monotonic clock.
    """

    def __init__(self, sink: Sink, choice: Choice) -> None:
        self.failure: str | None = None
        self.missed = 0
        self.unreadable = 0
        self.described: set[str] = set()
        self.last_taken = 0.0
        self._sink = sink
        self._choice = choice
        self._types = Types()
        self._latched = set(choice.latched)
        self._channels: dict[tuple[str, str], int] = {}  # by topic and the epoch of its node
        self._last: dict[str, tuple[str, int]] = {}

    def take(self, header: Header, frames: Frames) -> None:
        """Record a message of a topic, as `Bus.subscribe_frames` hands it over."""
        self.last_taken = time.monotonic()
        name = header.endpoint
        node = name.partition("/")[0]
        if name == description(node).name:
            self.described.add(node)
            with suppress(CodecError):
                endpoints = decode(Description, frames).endpoints
                self._latched |= {each.name for each in endpoints if each.latched}
        if self.failure is not None or not self._choice.takes_topic(name):
            return
        if name == calls(node).name:
            return  # `take_call` has it
        self._count(header)
        try:
            self._write(header, frames, header.endpoint)
        except BagFull as full:
            self.failure = str(full)
        except (NoMap, CodecError):
            self.unreadable += 1

    def take_call(self, header: Header, frames: Frames) -> None:
        """Record a message of a node's `calls`."""
        self.last_taken = time.monotonic()
        if self.failure is not None:
            return
        self._count(header)
        try:
            event = decode(CallEvent, frames[:1])
            if self._choice.takes_call(event.endpoint):
                self._write(header, frames, f"{event.endpoint}/{event.kind}", event)
        except BagFull as full:
            self.failure = str(full)
        except (NoMap, CodecError):
            self.unreadable += 1

    def _write(
        self, header: Header, frames: Frames, topic: str, event: CallEvent | None = None
    ) -> None:
        parts = joined(frames, header.goal if event is None else "")
        channel = self._channels.get((topic, header.epoch))
        if channel is None:
            channel = self._open(header, frames[0], topic, event)
        self._sink.write(channel, header.id, round(header.time * 1e9), parts)

    def _open(self, header: Header, body: bytes, topic: str, event: CallEvent | None) -> int:
        node = topic.partition("/")[0]
        about = {"node": node, "epoch": header.epoch}
        if event is None:
            declared = self._types.topic(topic)
            latched = topic in self._latched or header.kind == "latched"
            if latched or (declared is not None and declared.latched):
                about["latched"] = "true"
            name, definition = self._types.of_message(topic, body)
        else:
            about |= {"service": event.endpoint, "kind": event.kind}
            if self._choice.takes_all_calls(node):
                about["counted"] = calls(node).name
            name, definition = self._types.of_call(event)
        channel = self._sink.add_channel(topic, name, definition, about)
        self._channels[topic, header.epoch] = channel
        return channel

    def _count(self, header: Header) -> None:
        epoch, number = self._last.get(header.endpoint, ("", 0))
        if epoch == header.epoch and header.id > number:
            self.missed += header.id - number - 1
        self._last[header.endpoint] = (header.epoch, header.id)
