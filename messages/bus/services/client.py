"""One thread's client of one node: it sends a request and waits for the reply.

The thread owns the DEALER socket, so that a reply wakes it directly. After a reconnection the
request is sent again under the same id: the node replies from memory if it has done it, and a
restarted node rejects what must not be done twice. While the reply takes long, the client checks
regularly whether the node still works on the request.
"""

import math
import threading
import time
import weakref
from collections.abc import Callable, Iterable

import zmq

from messages.bus.errors import (
    BusClosed,
    DeadlineExceeded,
    MalformedReply,
    PeerRestarted,
    RemoteError,
)
from messages.bus.network.connection import AGAIN, Connection
from messages.bus.network.frames import Socket, receive
from messages.bus.network.header import (
    MAX_HEADER,
    SAME_VERSION,
    VERSION,
    Header,
    Kind,
    decode_header,
    encode_header,
)
from messages.bus.services.waiting import NodeStatus, RequestLimits, Wait
from messages.codec import CodecError, Frames

RESTARTED = "restarted"
"""The error code of a server that rejects a repeated request because it does not know it."""
NOT_KNOWN = "unknown_request"
"""The error code of a server that gets a check of a request that never arrived."""
DELAYED = "delayed"
"""The code of a confirmation that a request is being worked on, of a node that has a reason to take
long; its text is the reason, as a clause about the node."""

TICK = 0.2
"""Seconds between two checks whether the caller still wants its reply."""

QUICK = 20
"""Milliseconds in which most replies arrive. For so long the thread waits for the reply alone,
which is quicker than polling; then it also watches the connection."""

_ROOM = 4200
"""Bytes by which the header of a reply may be longer: it repeats the request's, and holds the error
text."""


class _Request:
    """A request on its way."""

    __slots__ = ("checked", "endpoint", "epoch", "first_in", "frames", "goal", "number", "sent_in")

    def __init__(self, number: int, endpoint: str, frames: Frames, goal: str) -> None:
        self.number = number
        self.endpoint = endpoint
        self.frames = frames
        self.goal = goal
        self.epoch: str | None = None  # of the node that it was sent to first, "" if not known
        self.first_in = self.sent_in = 0  # in which connections it was sent first and last
        self.checked = math.inf  # when it was last checked


class Client:
    """Sends requests to one node, from one thread."""

    def __init__(
        self,
        connection: Connection,
        node: str,
        id: str,
        epoch: str,
        status: NodeStatus | None = None,
    ) -> None:
        self._node = node
        self._id = id
        self._epoch = epoch
        self._status = status
        self._count = 0
        self._server_epoch = ""  # of the connected node, once it has replied
        self._server_epoch_in = 0  # in which connection that was
        self.busy = threading.Lock()
        self._connection = connection
        # When a thread ends, its clients end too. The traceback of a failed call may hold one in a
        # cycle, of which a `__del__` is called in any order: after the sockets', which warn.
        weakref.finalize(self, connection.close).atexit = False
        self._socket = connection.socket
        self._socket.setsockopt(zmq.RCVTIMEO, QUICK)
        self._poller = zmq.Poller()
        self._poller.register(self._socket, zmq.POLLIN)
        self._poller.register(connection.monitor, zmq.POLLIN)

    def request(
        self,
        endpoint: str,
        frames: Frames,
        limits: RequestLimits,
        goal: str = "",
        also: Iterable[Socket] = (),
        tick: Callable[[], None] | None = None,
    ) -> tuple[Header, Frames]:
        """Send a request and wait for the reply. ``tick`` is called about every `TICK` seconds and
        when ``also`` has something to read; an exception that it raises ends the wait.

        Raises:
            DeadlineExceeded, PeerRestarted, RemoteError, MalformedReply, BusClosed
            CodecError: the header is too long to be read.
        """
        with self.busy:
            if self._socket.closed:
                raise BusClosed(f"{endpoint}: the bus is closed")
            for socket in also:
                self._poller.register(socket, zmq.POLLIN)
            try:
                self._count += 1
                return self._wait(_Request(self._count, endpoint, frames, goal), limits, tick)
            except zmq.ContextTerminated:
                self.close()
                raise BusClosed(f"{endpoint}: the bus was closed during the call") from None
            finally:
                for socket in also:
                    self._poller.unregister(socket)

    def _wait(
        self, request: _Request, limits: RequestLimits, tick: Callable[[], None] | None
    ) -> tuple[Header, Frames]:
        if len(encode_header(self._header(request, "request"))) > MAX_HEADER - _ROOM:
            raise CodecError(
                f"{request.endpoint}: the request's header is too long; a goal's id has at most a "
                f"few thousand characters, and this one has {len(request.goal)}"
            )
        connection = self._connection
        connection.watch()
        self._send(request)
        if request.sent_in and limits.reply * 1000 >= QUICK:
            reply = self._take(request, None, True)
            if reply is not None:
                return reply
        wait = Wait(request.endpoint, self._node, limits, self._status)
        while True:
            try:
                left = wait.turn(connection.connected, connection.rejected)
            except DeadlineExceeded:
                # This process may have been held up: what has come meanwhile is not late.
                if (reply := self._take(request, wait)) is not None:
                    return reply
                left = wait.turn(connection.connected, connection.rejected)
            # Also if the connection accepts nothing at the moment: that is no event.
            if tick is not None or (connection.connected and request.sent_in != connection.times):
                left = min(left, TICK)
            if connection.rejected:
                left = min(left, AGAIN)
            events = dict(self._poller.poll(max(1, math.ceil(min(left, 60.0) * 1000))))
            if self._socket in events and (reply := self._take(request, wait)) is not None:
                return reply
            if connection.monitor in events or connection.rejected:
                connection.watch()
            self._send(request)
            self._check(request, wait.interval)
            if tick is not None:
                tick()

    def _send(self, request: _Request) -> None:
        """Send the request, if it was not sent in this connection yet."""
        connection = self._connection
        if not connection.connected or request.sent_in == connection.times:
            return
        header = self._header(request, "request", request.epoch)
        if connection.send([encode_header(header), *request.frames]):
            request.sent_in = connection.times
            request.checked = time.monotonic()
            if request.epoch is None:
                known = self._server_epoch_in == connection.times
                request.epoch = self._server_epoch if known else ""
                request.first_in = connection.times

    def _check(self, request: _Request, interval: float) -> None:
        """Ask whether it is still being worked on, if that was not confirmed for long."""
        here = self._connection.connected and request.sent_in == self._connection.times
        if here and time.monotonic() - request.checked >= interval:
            header = self._header(request, "check", request.epoch)
            if self._connection.send([encode_header(header), b""]):
                request.checked = time.monotonic()

    def _header(self, request: _Request, kind: Kind, again: str | None = None) -> Header:
        return Header(
            version=VERSION,
            kind=kind,
            endpoint=request.endpoint,
            client=self._id,
            id=request.number,
            epoch=self._epoch,
            time=time.time(),
            goal=request.goal,
            again=again,
        )

    def _take(
        self, request: _Request, wait: Wait | None, block: bool = False
    ) -> tuple[Header, Frames] | None:
        """The reply to the request, or None if only replies to older ones have come."""
        endpoint = request.endpoint
        while True:
            try:
                frames = receive(self._socket, 2, block)
            except zmq.Again:
                return None
            except CodecError as error:
                raise MalformedReply(f"{endpoint}: the reply does not decode: {error}") from error
            try:
                header = decode_header(frames[0])
            except CodecError as error:
                raise MalformedReply(f"{endpoint}: the reply does not decode: {error}") from error
            # What came by a new connection is of a new one here too.
            self._connection.watch()
            if header.id != request.number or header.client != self._id:
                continue
            if header.version != VERSION:
                raise MalformedReply(
                    f"{endpoint}: {self._node} answers in version {header.version} of the "
                    f"protocol, and this process reads version {VERSION}; {SAME_VERSION}"
                )
            self._server_epoch, self._server_epoch_in = header.epoch, self._connection.times
            if header.kind == "reply":
                return header, frames[1:]
            if header.kind == "working":
                if wait is not None:
                    wait.confirm(header.text if header.code == DELAYED else "")
            elif header.code == NOT_KNOWN:
                # It was lost on its way. In one connection the node has one epoch.
                if request.first_in == self._connection.times:
                    request.epoch = header.epoch
                request.sent_in = 0
            elif header.code == RESTARTED:
                raise PeerRestarted(
                    f"{endpoint}: {self._node} was restarted during the call, which may have been "
                    "done or not"
                )
            elif header.kind == "error":
                raise RemoteError(endpoint, header.code, header.text)
            else:
                raise MalformedReply(f"{endpoint}: a {header.kind} came in place of the reply")

    def close(self) -> None:
        self._connection.close()
