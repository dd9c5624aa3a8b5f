"""Topics: the socket that a node publishes on, and the connections that it subscribes by.

A subscriber sends a message ``[1, name]`` to the publisher's ROUTER socket, again in each new
connection, and now and then how much it has read (flow.py). The publisher confirms it by an empty
message. A message of a topic is ``[name NUL, header, body, array, ...]``; the NUL keeps a
subscription to ``planner/plan`` from matching ``planner/plans``.

ZeroMQ's own XPUB is not used: it stores subscriptions of any length and number in memory, fifty
times their size, before the process sees one.
"""

import logging
import time
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import zmq

from messages.bus.diagnostics import Diagnostics
from messages.bus.network.connection import Connection
from messages.bus.network.frames import Socket, receive, send
from messages.bus.network.header import VERSION, Header, decode_header, encode_header
from messages.bus.topics.flow import REPORT, Received, Sent
from messages.codec import CodecError, Frames, decode, decode_untyped
from messages.interface import Topic

SUBSCRIPTIONS = "subscriptions"
"""The subject, in diagnostics, of the socket that receives subscriptions."""
TOPICS = "topics"
"""The subject, in diagnostics, of the socket that receives topics."""

MAX_BURST = 256
MAX_NAME = 256
"""Bytes of a subscription's name."""
MAX_EACH = 256
"""Subscriptions of one connection."""
MAX_SUBSCRIBERS = 1024
"""Connections with subscriptions."""
SUBSCRIBE = b"\1"
REJECTED = b"\0refused"
"""The topic of a message with the reason why a subscription was rejected."""
PROBE = b"\0"
"""A message without content: sending it fails if the subscriber has left. It also confirms a
subscription."""

UntypedCallback = Callable[[Header, Any], None]
"""What `subscribe_untyped` calls: the header, and the body as plain dicts, lists and arrays."""
FramesCallback = Callable[[Header, Frames], None]
"""What `subscribe_frames` calls: the header, and the body as it came."""


def topic_filter(name: str) -> bytes:
    """The prefix of a topic's messages; ``critic/*`` matches every topic of the critic."""
    return name[:-1].encode() if name.endswith("*") else name.encode() + b"\0"


class Publisher:
    """The node's ROUTER socket for topics. For the serving thread only."""

    def __init__(self, socket: Socket, epoch: str, diagnostics: Diagnostics) -> None:
        self._socket = socket
        self._epoch = epoch
        self._diagnostics = diagnostics
        self._subscribers: dict[bytes, set[bytes]] = {}  # what each is subscribed to, by route
        self._wanted: frozenset[bytes] = frozenset()  # what any of them is subscribed to
        self._sent: dict[bytes, Sent] = {}  # by route
        self._latched: dict[bytes, tuple[Header, Frames]] = {}
        # Routes and latched topics whose last values they have not been sent.
        self._missed: set[tuple[bytes, bytes]] = set()
        self._counts: dict[str, int] = {}

    def publish(self, name: str, latched: bool, frames: Frames, goal: str) -> None:
        """Publish a message that was encoded before. A subscriber that does not read costs a
        bounded amount of memory: what exceeds it is dropped and counted."""
        header = self._header(name, goal)
        topic = name.encode() + b"\0"
        if latched:
            self._latched[topic] = (header, frames)
        routes = [
            route
            for route, wanted in self._subscribers.items()
            if any(map(topic.startswith, wanted))
        ]
        self._publish(name, routes, [topic, encode_header(header), *frames])

    def wanted(self, topic: bytes) -> bool:
        """Whether a topic has a subscriber by its name, which ends with a NUL."""
        return topic in self._wanted

    def publish_by_name(self, name: str, frames: Frames, goal: str) -> None:
        """Publish a message to those that subscribe to the topic by its name, and not to those that
        subscribe to all of the node's."""
        topic = name.encode() + b"\0"
        routes = [route for route, wanted in self._subscribers.items() if topic in wanted]
        self._publish(name, routes, [topic, encode_header(self._header(name, goal)), *frames])

    def _publish(self, name: str, routes: list[bytes], message: Frames) -> None:
        for route in routes:
            if not self._offer(route, message):
                why = f"{name}: a message was dropped: a subscriber does not read"
                self._diagnostics.report(SUBSCRIPTIONS, why)
                if message[0] in self._latched:
                    self._missed.add((route, message[0]))

    def send_missed(self) -> None:
        """Send the last values of latched topics to subscribers that are new, or that did not read
        when they were published; to be called regularly."""
        for route, topic in list(self._missed):
            header, value = self._latched[topic]
            again = msgspec.structs.replace(header, kind="latched")
            if self._offer(route, [topic, encode_header(again), *value]):
                self._missed.discard((route, topic))

    def read(self) -> None:
        """Receive subscriptions; a new one is sent the last values of latched topics."""
        for _ in range(MAX_BURST):
            try:
                route, *frames = receive(self._socket, 2)
            except zmq.Again:
                return
            except CodecError as error:
                self._diagnostics.report(SUBSCRIPTIONS, str(error))
                continue
            if len(frames) == 1 and frames[0][:1] == REPORT:
                if (sent := self._sent.get(route)) is not None:
                    sent.reported(frames[0])
                continue
            if len(frames) != 1 or frames[0][:1] != SUBSCRIBE:
                self._diagnostics.report(SUBSCRIPTIONS, "a message is no subscription; dropped")
                continue
            self._subscribe(route, frames[0][1:])

    def subscribed(self, name: str) -> bool:
        """Whether there may be a subscriber of a topic: one that has left without a word counts for
        some seconds more. May be called from any thread."""
        topic = name.encode() + b"\0"
        return any(
            topic.startswith(wanted)
            for subscriptions in list(self._subscribers.values())
            for wanted in subscriptions
        )

    def drop_departed(self) -> None:
        """Drop subscribers that have left; to be called regularly. Without it, a subscriber of a
        topic that is never published on would stay."""
        for route in list(self._subscribers):
            self._send(route, [PROBE])

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
            self._sent.setdefault(route, Sent())
            self._wanted |= {wanted}
            self._missed |= {(route, topic) for topic in self._latched if topic.startswith(wanted)}
            self.send_missed()
            self._send(route, [PROBE])  # the subscriber may wait for this: see `TopicReader`
            return
        why = f"a subscription is rejected: {why}"
        self._diagnostics.report(SUBSCRIPTIONS, why)
        self._send(route, [REJECTED, why.encode()])

    def _offer(self, route: bytes, message: Frames) -> bool:
        """Send a message of a topic; False: so much waits for the subscriber that it is not sent,
        as its memory would be this node's."""
        sent = self._sent.get(route)
        if sent is None:  # it has left meanwhile
            return True
        return sent.has_room(sum(map(len, message))) and self._send(route, message)

    def _send(self, route: bytes, frames: Frames) -> bool:
        """False: so many messages wait for the subscriber that it is not sent."""
        try:
            send(self._socket, [route, *frames])
        except zmq.Again:
            return False
        except zmq.ZMQError as error:
            if error.errno != zmq.EHOSTUNREACH:
                raise
            self._subscribers.pop(route, None)
            self._sent.pop(route, None)
            self._wanted = frozenset().union(*self._subscribers.values())
            return True
        if (sent := self._sent.get(route)) is not None and frames[0] is not PROBE:
            sent.add(frames)
        return True

    def _header(self, name: str, goal: str) -> Header:
        count = self._counts[name] = self._counts.get(name, 0) + 1
        return Header(
            *(VERSION, "message", name, self._epoch, count, self._epoch, time.time(), goal)
        )


class TopicReader:
    """The subscriptions of one connection to a node's topics. For one thread only."""

    def __init__(self, connection: Connection, node: str) -> None:
        self._connection = connection
        self._node = node
        self._names: dict[bytes, int] = {}  # in which connection each was subscribed to, 0 for none
        self._confirmed_in = 0  # in which connection the publisher has confirmed a subscription
        self._received = Received()

    @property
    def sockets(self) -> tuple[Socket, Socket]:
        """Call `read` when one of them is readable."""
        return self._connection.socket, self._connection.monitor

    @property
    def confirmed(self) -> bool:
        """Whether the publisher has a subscription of this connection: what it publishes from now
        on arrives."""
        connection = self._connection
        return connection.connected and self._confirmed_in == connection.times

    def subscribe(self, name: str) -> None:
        self._names.setdefault(topic_filter(name), 0)
        self.refresh()

    def refresh(self) -> None:
        """Subscribe again in a new connection; to be called regularly."""
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
            CodecError: the next one cannot be read, or a subscription was rejected.
        """
        self.refresh()
        for _ in range(MAX_BURST):
            try:
                frames = receive(self._connection.socket, 3)
            except zmq.Again:
                return
            if frames[0] == PROBE:
                self._confirmed_in = self._connection.times
                continue
            if frames[0] == REJECTED:
                why = b" ".join(map(bytes, frames[1:2]))[:500].decode(errors="replace")
                raise CodecError(" ".join(why.split()))
            # Keys prove who sends; what it sends is of its own topics then, and of no other node's.
            if not bytes(frames[0]).startswith(f"{self._node}/".encode()):
                other = bytes(frames[0][:80])
                raise CodecError(f"{self._node} sent a message of another node, {other!r}; dropped")
            self._received.add(frames, self._connection.times)
            report = self._received.report
            if report is not None and self._connection.send([report]):
                self._received.sent()
            yield frames

    def close(self) -> None:
        self._connection.close()


class _Subscription:
    """One subscribed topic: its type, its callbacks and its last value."""

    __slots__ = ("callbacks", "last", "latched", "message")

    def __init__(self, topic: Topic[Any]) -> None:
        self.message = topic.message
        self.latched = topic.latched
        self.callbacks: list[Callable[[Any], None]] = []
        self.last: Frames | None = None


class Subscriber:
    """The callbacks of each topic, and the connections, one to each publishing node. For the
    serving thread only."""

    def __init__(
        self,
        connect: Callable[[str, Callable[[TopicReader], None]], TopicReader],
        diagnostics: Diagnostics,
        log: logging.Logger,
    ) -> None:
        self._connect = connect
        self._readers: dict[str, TopicReader] = {}
        self._diagnostics = diagnostics
        self._log = log
        self._subscriptions: dict[str, _Subscription] = {}
        self._untyped: dict[bytes, list[UntypedCallback]] = {}
        self._frames: dict[bytes, list[FramesCallback]] = {}
        self._last: dict[str, tuple[str, int]] = {}

    def subscribe(self, topic: Topic[Any], callback: Callable[[Any], None]) -> None:
        subscription = self._subscriptions.get(topic.name)
        if subscription is None:
            subscription = self._subscriptions[topic.name] = _Subscription(topic)
            self._open(topic.name)
        subscription.callbacks.append(callback)
        if subscription.last is not None:
            self._deliver(topic.name, subscription, [callback], subscription.last)

    def subscribe_untyped(self, name: str, callback: UntypedCallback) -> None:
        self._untyped.setdefault(topic_filter(name), []).append(callback)
        self._open(name)

    def subscribe_frames(self, name: str, callback: FramesCallback) -> None:
        self._frames.setdefault(topic_filter(name), []).append(callback)
        self._open(name)

    def _open(self, name: str) -> None:
        node = name.partition("/")[0]
        reader = self._readers.get(node)
        if reader is None:
            reader = self._readers[node] = self._connect(node, self.read)
        reader.subscribe(name)

    def refresh(self) -> None:
        """Send the subscriptions that could not be sent yet; to be called regularly."""
        for reader in self._readers.values():
            reader.refresh()

    def close(self) -> None:
        for reader in self._readers.values():
            reader.close()

    def read(self, reader: TopicReader) -> None:
        """Receive messages and call their callbacks."""
        try:
            for frames in reader.read():
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
        name = header.endpoint
        if frames[0] != name.encode() + b"\0":
            raise CodecError(f"a message names two topics, one is {name[:80]!r}")
        subscription = self._subscriptions.get(name)
        untyped = _matching(self._untyped, frames[0])
        unread = _matching(self._frames, frames[0])
        if subscription is None and not untyped and not unread:
            return
        epoch, number = self._last.get(name, ("", 0))
        if header.kind == "latched" and epoch == header.epoch and header.id <= number:
            return  # it was sent again to another subscription
        self._last[name] = (header.epoch, header.id)
        if subscription is not None:
            if subscription.latched:
                subscription.last = frames[2:]
            self._deliver(name, subscription, subscription.callbacks, frames[2:])
        for callback in unread:
            self._run(name, callback, header, frames[2:])
        if untyped:
            try:
                value = decode_untyped(frames[2:])
            except CodecError as error:
                self._diagnostics.report(name, f"{error}; dropped")
                return
            for callback in untyped:
                self._run(name, callback, header, value)

    def _deliver(
        self,
        name: str,
        subscription: _Subscription,
        callbacks: list[Callable[[Any], None]],
        frames: Frames,
    ) -> None:
        try:
            message = decode(subscription.message, frames)
        except CodecError as error:
            self._diagnostics.report(name, f"{error}; dropped")
            return
        for callback in list(callbacks):
            self._run(name, callback, message)

    def _run(self, name: str, callback: Callable[..., None], *arguments: Any) -> None:
        try:
            callback(*arguments)
        except Exception as error:
            self._log.exception("%s: a subscriber's callback failed", name)
            self._diagnostics.report(name, f"a subscriber's callback failed: {error!r}", "error")


def _matching(callbacks: dict[bytes, list[Any]], topic: bytes) -> list[Any]:
    return [
        callback
        for prefix, those in callbacks.items()
        if topic.startswith(prefix)
        for callback in those
    ]
