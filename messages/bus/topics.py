"""Topics: the XPUB socket that a node says things on, the SUB socket that it listens with.

A message of a topic is ``[name NUL, header, body, array, ...]``; the NUL keeps a subscription to
``planner/plan`` from matching ``planner/plans``.
"""

import logging
import time
from collections.abc import Callable
from typing import Any

import msgspec
import zmq

from messages.bus.diagnostics import Diagnostics
from messages.bus.frames import Socket, receive, send
from messages.bus.header import VERSION, Header, decode_header, encode_header
from messages.codec import CodecError, Frames, decode, decode_untyped
from messages.interface import Topic

SUBSCRIPTIONS = "subscriptions"
"""What diagnostics call the socket that subscriptions come in by."""
TOPICS = "topics"
"""What diagnostics call the socket that topics come in by."""

MAX_BURST = 256

Plain = Callable[[Header, Any], None]
"""What `listen` calls: the header, and the body as plain dicts, lists and arrays."""


def subscription(name: str) -> bytes:
    """What to subscribe to: a topic's name, or ``critic/*`` for all that the critic says."""
    return name[:-1].encode() if name.endswith("*") else name.encode() + b"\0"


class Publisher:
    """The node's XPUB socket. In the serving thread only."""

    def __init__(self, socket: Socket, epoch: str, diagnostics: Diagnostics) -> None:
        self._socket = socket
        self._epoch = epoch
        self._diagnostics = diagnostics
        self._latched: dict[bytes, tuple[Header, Frames]] = {}
        self._counts: dict[str, int] = {}

    def say(self, name: str, latched: bool, frames: Frames, goal: str) -> None:
        """Publish what was encoded before."""
        count = self._counts[name] = self._counts.get(name, 0) + 1
        header = Header(
            *(VERSION, "message", name, self._epoch, count, self._epoch, time.time(), goal)
        )
        topic = name.encode() + b"\0"
        if latched:
            self._latched[topic] = (header, frames)
        self._send([topic, encode_header(header), *frames])

    def read(self) -> None:
        """Take subscriptions; a new one is given the last values of latched topics."""
        for _ in range(MAX_BURST):
            try:
                frames = receive(self._socket, 1)
            except zmq.Again:
                return
            except CodecError as error:
                self._diagnostics.report(SUBSCRIPTIONS, str(error))
                continue
            asked = frames[0]
            if len(frames) > 1 or asked[:1] not in (b"\0", b"\1"):
                self._diagnostics.report(SUBSCRIPTIONS, "a message is no subscription; dropped")
                continue
            if asked[:1] == b"\0":
                continue
            for topic, (header, value) in list(self._latched.items()):
                if topic.startswith(asked[1:]):
                    again = msgspec.structs.replace(header, kind="latched")
                    self._send([topic, encode_header(again), *value])

    def _send(self, frames: Frames) -> None:
        try:
            send(self._socket, frames)
        except zmq.Again:
            self._diagnostics.report(SUBSCRIPTIONS, "a message was dropped: the queue is full")


class _Heard:
    """What is known of one topic that is listened to."""

    __slots__ = ("callbacks", "last", "latched", "message")

    def __init__(self, topic: Topic[Any]) -> None:
        self.message = topic.message
        self.latched = topic.latched
        self.callbacks: list[Callable[[Any], None]] = []
        self.last: Frames | None = None


class Subscriber:
    """Who listens to what, and the SUB sockets, one for each node that is listened to. In the
    serving thread only."""

    def __init__(
        self,
        connect: Callable[[str, Callable[[Socket], None]], Socket],
        diagnostics: Diagnostics,
        log: logging.Logger,
    ) -> None:
        self._connect = connect
        self._sockets: dict[str, Socket] = {}
        self._diagnostics = diagnostics
        self._log = log
        self._heard: dict[str, _Heard] = {}
        self._plain: dict[bytes, list[Plain]] = {}
        self._last: dict[str, tuple[str, int]] = {}

    def subscribe(self, topic: Topic[Any], callback: Callable[[Any], None]) -> None:
        heard = self._heard.get(topic.name)
        if heard is None:
            heard = self._heard[topic.name] = _Heard(topic)
            self._open(topic.name)
        heard.callbacks.append(callback)
        if heard.last is not None:
            self._deliver(topic.name, heard, [callback], heard.last)

    def listen(self, name: str, callback: Plain) -> None:
        self._plain.setdefault(subscription(name), []).append(callback)
        self._open(name)

    def _open(self, name: str) -> None:
        node = name.partition("/")[0]
        socket = self._sockets.get(node)
        if socket is None:
            socket = self._sockets[node] = self._connect(node, self.read)
        socket.setsockopt(zmq.SUBSCRIBE, subscription(name))

    def read(self, socket: Socket) -> None:
        """Take what has come in and call those who listen."""
        for _ in range(MAX_BURST):
            try:
                frames = receive(socket, 3)
            except zmq.Again:
                return
            except CodecError as error:
                self._diagnostics.report(TOPICS, str(error))
                continue
            try:
                self._take(frames)
            except CodecError as error:
                self._diagnostics.report(TOPICS, f"{error}; dropped")

    def _take(self, frames: list[Any]) -> None:
        if len(frames) < 3:
            raise CodecError(f"a message of {len(frames)} frames is of no topic")
        header = decode_header(frames[1])
        if header.version != VERSION or header.kind not in ("message", "latched"):
            raise CodecError(f"a {header.kind} of version {header.version} is of no topic")
        name = header.door
        if frames[0] != name.encode() + b"\0":
            raise CodecError(f"a message says that it is of two topics, one is {name[:80]!r}")
        heard = self._heard.get(name)
        listeners = [
            callback
            for prefix, callbacks in self._plain.items()
            if frames[0].startswith(prefix)
            for callback in callbacks
        ]
        if heard is None and not listeners:
            return
        epoch, number = self._last.get(name, ("", 0))
        if header.kind == "latched" and epoch == header.epoch and header.id <= number:
            return  # it was said again for the sake of somebody else
        self._last[name] = (header.epoch, header.id)
        if heard is not None:
            if heard.latched:
                heard.last = frames[2:]
            self._deliver(name, heard, heard.callbacks, frames[2:])
        if listeners:
            try:
                value = decode_untyped(frames[2:])
            except CodecError as error:
                self._diagnostics.report(name, f"{error}; dropped")
                return
            for callback in listeners:
                self._run(name, callback, header, value)

    def _deliver(
        self, name: str, heard: _Heard, callbacks: list[Callable[[Any], None]], frames: Frames
    ) -> None:
        try:
            message = decode(heard.message, frames)
        except CodecError as error:
            self._diagnostics.report(name, f"{error}; dropped")
            return
        for callback in list(callbacks):
            self._run(name, callback, message)

    def _run(self, name: str, callback: Callable[..., None], *arguments: Any) -> None:
        try:
            callback(*arguments)
        except Exception as error:
            self._log.exception("%s: the listener failed", name)
            self._diagnostics.report(name, f"the listener failed: {error!r}", "error")
