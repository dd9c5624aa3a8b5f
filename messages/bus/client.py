"""One thread's line to one node: a question goes out, the thread waits for its answer.

The thread owns the DEALER socket, so that an answer wakes it directly. A monitor tells when the
peer went away and came back. Then the question is put again under the same id: the peer answers it
from memory if it has done it, and a restarted peer refuses what must not be done twice.
"""

import contextlib
import threading
import time
from collections.abc import Callable
from typing import cast

import zmq
from zmq.utils.monitor import recv_monitor_message

from messages.bus.errors import (
    BusClosed,
    DeadlineExceeded,
    MalformedReply,
    PeerRestarted,
    RemoteError,
)
from messages.bus.frames import Socket, limit, receive, send
from messages.bus.header import MAX_HEADER, VERSION, Header, decode_header, encode_header
from messages.codec import CodecError, Frames

RESTARTED = "restarted"
"""The error code of a server that will not do a repeated request of which it knows nothing."""

TICK = 0.2
"""Seconds between two looks at whether a caller still wants its answer."""

QUICK = 20
"""Milliseconds in which most answers come. So long the thread waits for the answer alone, which is
quicker than polling; then it also watches the connection."""

_ROOM = 4200
"""Bytes that the header of an answer may be longer: it repeats the question's, and says what was
wrong."""

_NEWS = int(zmq.EVENTS)
_READABLE = int(zmq.POLLIN)
_EVENTS = zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED


class Peer:
    """A line to one node, for one thread."""

    def __init__(
        self,
        context: "zmq.Context[Socket]",
        node: str,
        address: str,
        client: str,
        epoch: str,
        secure: Callable[[Socket], None] | None,
    ) -> None:
        self._node = node
        self._client = client
        self._epoch = epoch
        self._count = 0
        self._connected = False
        self._peer = ""  # the life of the node that the connection leads to, once it has spoken
        self.busy = threading.Lock()
        self._socket: Socket = context.socket(zmq.DEALER)
        monitor: Socket | None = None
        try:
            limit(self._socket, address)
            self._socket.setsockopt(zmq.RCVTIMEO, QUICK)
            if secure is not None:
                secure(self._socket)
            monitor = self._socket.get_monitor_socket(_EVENTS)
            monitor.setsockopt(zmq.LINGER, 0)
            self._socket.connect(address)
        except BaseException:
            if monitor is not None:
                monitor.close()
            self._socket.close()
            raise
        self._monitor: Socket = monitor
        self._poller = zmq.Poller()
        self._poller.register(self._socket, zmq.POLLIN)
        self._poller.register(self._monitor, zmq.POLLIN)

    def ask(
        self,
        door: str,
        frames: Frames,
        timeout: float,
        goal: str = "",
        also: Socket | None = None,
        tick: Callable[[], None] | None = None,
    ) -> tuple[Header, Frames]:
        """Ask and wait. ``tick`` is called about every `TICK` seconds and when ``also`` has
        something to read; what it raises ends the wait.

        Raises:
            DeadlineExceeded, PeerRestarted, RemoteError, MalformedReply, BusClosed
            CodecError: the header is too long to be read.
        """
        with self.busy:
            if self._socket.closed:
                raise BusClosed(f"{door}: the bus is closed")
            if also is not None:
                self._poller.register(also, zmq.POLLIN)
            try:
                return self._ask(door, frames, timeout, goal, tick)
            except zmq.ContextTerminated:
                self.close()
                raise BusClosed(f"{door}: the bus was closed during the call") from None
            finally:
                if also is not None:
                    self._poller.unregister(also)

    def _ask(
        self,
        door: str,
        frames: Frames,
        timeout: float,
        goal: str,
        tick: Callable[[], None] | None,
    ) -> tuple[Header, Frames]:
        if self._monitor_has_news():
            self._watch()
        self._count += 1
        number = self._count
        deadline = time.monotonic() + timeout
        header = Header(
            VERSION, "request", door, self._client, number, self._epoch, time.time(), goal
        )
        if len(encode_header(header)) > MAX_HEADER - _ROOM:
            raise CodecError(
                f"{door}: the request's header is too long; a goal's id has at most a few "
                f"thousand characters, and this one has {len(goal)}"
            )
        asked = self._connected  # if not, the question waits in the queue and cannot be lost
        asked_life = self._peer
        waiting = not self._put(header, frames)
        if timeout * 1000 >= QUICK and (reply := self._take(number, door, True)) is not None:
            return reply
        while True:
            now = time.monotonic()
            left = deadline - now
            if left <= 0:
                raise DeadlineExceeded(
                    f"{door}: no answer from {self._node} within {timeout:g} seconds"
                )
            slice_ = min(left, TICK) if tick is not None or waiting else left
            events = dict(self._poller.poll(max(1, int(slice_ * 1000))))
            if self._socket in events and (reply := self._take(number, door)) is not None:
                return reply
            if self._monitor in events and (established := self._watch()):
                # Several turns of the connection may be read at once: the question went out with
                # the first, and was lost with it if there was another.
                lost = asked or established > 1
                if lost and self._connected:
                    header = Header(
                        *(VERSION, "request", door, self._client, number, self._epoch),
                        *(time.time(), goal, asked_life),
                    )
                    waiting = not self._put(header, frames)
                asked = True
            if waiting:
                waiting = not self._put(header, frames)
            if tick is not None:
                tick()

    def _put(self, header: Header, frames: Frames) -> bool:
        """False where the queue to the peer is full; then it is tried again."""
        try:
            send(self._socket, [encode_header(header), *frames])
        except zmq.Again:
            return False
        return True

    def _take(self, number: int, door: str, wait: bool = False) -> tuple[Header, Frames] | None:
        """The answer to question ``number``, or None if what came are answers to older ones."""
        while True:
            try:
                frames = receive(self._socket, 2, wait)
            except zmq.Again:
                return None
            except CodecError as error:
                raise MalformedReply(f"{door}: the answer does not decode: {error}") from error
            try:
                header = decode_header(frames[0])
            except CodecError as error:
                raise MalformedReply(f"{door}: the answer does not decode: {error}") from error
            if header.id != number or header.client != self._client:
                continue
            self._peer = header.epoch
            if header.kind == "reply":
                return header, frames[1:]
            if header.code == RESTARTED:
                raise PeerRestarted(
                    f"{door}: {self._node} was restarted during the call, which may have been "
                    "done or not"
                )
            raise RemoteError(door, header.code, header.text)

    def _watch(self) -> int:
        """Read what happened to the connection: how often it was (re-)established."""
        established = 0
        while self._monitor_has_news():
            event = recv_monitor_message(self._monitor, zmq.NOBLOCK)["event"]
            if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self._connected = True
                established += 1
            elif event == zmq.EVENT_DISCONNECTED:
                self._connected = False
                self._peer = ""
        return established

    def _monitor_has_news(self) -> bool:
        return cast(int, self._monitor.getsockopt(_NEWS)) & _READABLE != 0

    def close(self) -> None:
        if not self._socket.closed:
            with contextlib.suppress(zmq.ZMQError):  # the context may have ended already
                self._socket.disable_monitor()
            self._monitor.close()
            self._socket.close()

    def __del__(self) -> None:
        # A thread that ends takes its lines with it.
        if hasattr(self, "_poller"):
            self.close()
