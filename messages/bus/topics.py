"""Topics: the socket that a node publishes on, and the connections that it listens by.

Who wants to hear a topic says so: a message ``[1, name]`` to the publisher's ROUTER socket, again
in each new connection. A message of a topic is ``[name NUL, header, body, array, ...]``; the NUL
keeps a subscription to ``planner/plan`` from matching ``planner/plans``.

ZeroMQ's own XPUB is not used: it takes subscriptions of any length and number into memory, fifty
times their size, before the process sees one.
"""

import logging
import time
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import zmq

from messages.bus.connection import Connection
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
MAX_NAME = 256
"""Bytes of what is subscribed to."""
MAX_EACH = 256
"""Subscriptions of one connection."""
MAX_SUBSCRIBERS = 1024
"""Connections with subscriptions."""
SUBSCRIBE = b"\1"
REFUSED = b"\0refused"
"""The topic of a message that says why a subscription was refused."""
ARE_YOU_THERE = b"\0"
"""A message without content: sending it fails if the subscriber has left."""

Plain = Callable[[Header, Any], None]
"""What `listen` calls: the header, and the body as plain dicts, lists and arrays."""


def subscription(name: str) -> bytes:
    """What to subscribe to: a topic's name, or ``critic/*`` for all that the critic says."""
    return name[:-1].encode() if name.endswith("*") else name.encode() + b"\0"


class Publisher:
    """The node's ROUTER socket for topics. In the serving thread only."""

    def __init__(self, socket: Socket, epoch: str, diagnostics: Diagnostics) -> None:
        self._socket = socket
        self._epoch = epoch
        self._diagnostics = diagnostics
        self._subscribers: dict[bytes, set[bytes]] = {}  # what each is subscribed to, by route
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
        message: Frames = [topic, encode_header(header), *frames]
        for route, wanted in list(self._subscribers.items()):
            if any(map(topic.startswith, wanted)):
                self._send(route, message)

    def read(self) -> None:
        """Take subscriptions; a new one is given the last values of latched topics."""
        for _ in range(MAX_BURST):
            try:
                route, *frames = receive(self._socket, 2)
            except zmq.Again:
                return
            except CodecError as error:
                self._diagnostics.report(SUBSCRIPTIONS, str(error))
                continue
            if len(frames) != 1 or frames[0][:1] != SUBSCRIBE:
                self._diagnostics.report(SUBSCRIPTIONS, "a message is no subscription; dropped")
                continue
            self._subscribe(route, frames[0][1:])

    def forget_those_who_left(self) -> None:
        """To be called now and then: who subscribed to what is never published would stay."""
        for route in list(self._subscribers):
            self._send(route, [ARE_YOU_THERE])

    def _subscribe(self, route: bytes, wanted: bytes) -> None:
        own = self._subscribers.get(route, set())
        if len(wanted) > MAX_NAME:
            why = f"a topic's name has at most {MAX_NAME} bytes, not {len(wanted)}"
        elif len(own) >= MAX_EACH and wanted not in own:
            why = f"a connection has at most {MAX_EACH} subscriptions"
        elif not own and len(self._subscribers) >= MAX_SUBSCRIBERS:
            why = f"a node has at most {MAX_SUBSCRIBERS} subscribers"
        else:
            self._subscribers[route] = own | {wanted}
            for topic, (header, value) in list(self._latched.items()):
                if topic.startswith(wanted):
                    again = msgspec.structs.replace(header, kind="latched")
                    self._send(route, [topic, encode_header(again), *value])
            return
        why = f"a subscription is refused: {why}"
        self._diagnostics.report(SUBSCRIPTIONS, why)
        self._send(route, [REFUSED, why.encode()])

    def _send(self, route: bytes, frames: Frames) -> None:
        try:
            send(self._socket, [route, *frames])
        except zmq.Again:
            if frames[0] is not ARE_YOU_THERE:
                self._diagnostics.report(SUBSCRIPTIONS, "a message was dropped: the queue is full")
        except zmq.ZMQError as error:
            if error.errno != zmq.EHOSTUNREACH:
                raise
            self._subscribers.pop(route, None)


class Listener:
    """What one connection to a node's topics is subscribed to. In one thread only."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._names: dict[bytes, int] = {}  # in which connection each was subscribed to, 0 for none

    @property
    def sockets(self) -> tuple[Socket, Socket]:
        """Call `read` when one of them has something."""
        return self._connection.socket, self._connection.monitor

    def subscribe(self, name: str) -> None:
        self._names.setdefault(subscription(name), 0)
        self.refresh()

    def refresh(self) -> None:
        """Subscribe where the connection is a new one; to be called now and then."""
        connection = self._connection
        connection.watch()
        if not connection.connected:
            return
        for name, times in self._names.items():
            if times == connection.times:
                continue
            if connection.send([SUBSCRIBE + name]):
                self._names[name] = connection.times

    def read(self) -> Iterable[Frames]:
        """The messages that have come, each ``[topic, header, body, ...]``.

        Raises:
            CodecError: the next one cannot be read, or a subscription was refused.
        """
        self.refresh()
        for _ in range(MAX_BURST):
            try:
                frames = receive(self._connection.socket, 3)
            except zmq.Again:
                return
            if frames[0] == ARE_YOU_THERE:
                continue
            if frames[0] == REFUSED:
                why = b" ".join(map(bytes, frames[1:2]))[:500].decode(errors="replace")
                raise CodecError(" ".join(why.split()))
            yield frames

    def close(self) -> None:
        self._connection.close()


class _Heard:
    """What is known of one topic that is listened to."""

    __slots__ = ("callbacks", "last", "latched", "message")

    def __init__(self, topic: Topic[Any]) -> None:
        self.message = topic.message
        self.latched = topic.latched
        self.callbacks: list[Callable[[Any], None]] = []
        self.last: Frames | None = None


class Subscriber:
    """Who listens to what, and the connections, one to each node that is listened to. In the
    serving thread only."""

    def __init__(
        self,
        connect: Callable[[str, Callable[[Listener], None]], Listener],
        diagnostics: Diagnostics,
        log: logging.Logger,
    ) -> None:
        self._connect = connect
        self._listeners: dict[str, Listener] = {}
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
        listener = self._listeners.get(node)
        if listener is None:
            listener = self._listeners[node] = self._connect(node, self.read)
        listener.subscribe(name)

    def refresh(self) -> None:
        """Subscribe again where it could not be done yet; to be called now and then."""
        for listener in self._listeners.values():
            listener.refresh()

    def close(self) -> None:
        for listener in self._listeners.values():
            listener.close()

    def read(self, listener: Listener) -> None:
        """Take what has come in and call those who listen."""
        try:
            for frames in listener.read():
                try:
                    self._take(frames)
                except CodecError as error:
                    self._diagnostics.report(TOPICS, f"{error}; dropped")
        except CodecError as error:  # the rest is read in the next turn
            self._diagnostics.report(TOPICS, str(error))

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
