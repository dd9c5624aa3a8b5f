"""One thread's line to one node: a question goes out, the thread waits for its answer.

The thread owns the DEALER socket, so that an answer wakes it directly. When the connection was lost
and is there again, the question is put again under the same id: the node answers it from memory if
it has done it, and a restarted node refuses what must not be done twice. While an answer is long in
coming, the node is asked now and then whether it still works on it.
"""

import math
import threading
import time
from collections.abc import Callable, Iterable

import zmq

from messages.bus.connection import Connection
from messages.bus.errors import BusClosed, MalformedReply, PeerRestarted, RemoteError
from messages.bus.frames import Socket, receive
from messages.bus.header import MAX_HEADER, VERSION, Header, Kind, decode_header, encode_header
from messages.bus.waiting import CHECK, Limits, Outlook, Wait
from messages.codec import CodecError, Frames

RESTARTED = "restarted"
"""The error code of a server that will not do a repeated request of which it knows nothing."""
NOT_KNOWN = "unknown_request"
"""The error code of a server that is asked after a request that never came."""

TICK = 0.2
"""Seconds between two looks at whether a caller still wants its answer."""

QUICK = 20
"""Milliseconds in which most answers come. So long the thread waits for the answer alone, which is
quicker than polling; then it also watches the connection."""

_ROOM = 4200
"""Bytes that the header of an answer may be longer: it repeats the question's, and says what was
wrong."""


class _Question:
    """A question on its way."""

    __slots__ = ("checked", "door", "first_in", "frames", "goal", "life", "number", "put_in")

    def __init__(self, number: int, door: str, frames: Frames, goal: str) -> None:
        self.number = number
        self.door = door
        self.frames = frames
        self.goal = goal
        self.life: str | None = None  # of the node that it was put to first, "" if not known
        self.first_in = self.put_in = 0  # in which connections it was put first and last
        self.checked = math.inf  # when the node was last asked about it


class Peer:
    """A line to one node, for one thread."""

    def __init__(
        self,
        connection: Connection,
        node: str,
        client: str,
        epoch: str,
        outlook: Outlook | None = None,
    ) -> None:
        self._node = node
        self._client = client
        self._epoch = epoch
        self._outlook = outlook
        self._count = 0
        self._peer = ""  # the life of the node that the connection leads to, once it has spoken
        self._peer_in = 0  # in which connection that was
        self.busy = threading.Lock()
        self._connection = connection
        self._socket = connection.socket
        self._socket.setsockopt(zmq.RCVTIMEO, QUICK)
        self._poller = zmq.Poller()
        self._poller.register(self._socket, zmq.POLLIN)
        self._poller.register(connection.monitor, zmq.POLLIN)

    def ask(
        self,
        door: str,
        frames: Frames,
        limits: Limits,
        goal: str = "",
        also: Iterable[Socket] = (),
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
            for socket in also:
                self._poller.register(socket, zmq.POLLIN)
            try:
                self._count += 1
                return self._ask(_Question(self._count, door, frames, goal), limits, tick)
            except zmq.ContextTerminated:
                self.close()
                raise BusClosed(f"{door}: the bus was closed during the call") from None
            finally:
                for socket in also:
                    self._poller.unregister(socket)

    def _ask(
        self, question: _Question, limits: Limits, tick: Callable[[], None] | None
    ) -> tuple[Header, Frames]:
        if len(encode_header(self._header(question, "request"))) > MAX_HEADER - _ROOM:
            raise CodecError(
                f"{question.door}: the request's header is too long; a goal's id has at most a few "
                f"thousand characters, and this one has {len(question.goal)}"
            )
        connection = self._connection
        connection.watch()
        self._put(question)
        if question.put_in and limits.answer * 1000 >= QUICK:
            reply = self._take(question, None, True)
            if reply is not None:
                return reply
        wait = Wait(question.door, self._node, limits, self._outlook)
        while True:
            left = wait.turn(connection.connected)
            # Also where the connection takes nothing at the moment: that is no event.
            if tick is not None or (connection.connected and question.put_in != connection.times):
                left = min(left, TICK)
            events = dict(self._poller.poll(max(1, math.ceil(min(left, 60.0) * 1000))))
            if self._socket in events and (reply := self._take(question, wait)) is not None:
                return reply
            if connection.monitor in events:
                connection.watch()
            self._put(question)
            self._check(question)
            if tick is not None:
                tick()

    def _put(self, question: _Question) -> None:
        """Send the question, if it was not sent in this connection yet."""
        connection = self._connection
        if not connection.connected or question.put_in == connection.times:
            return
        header = self._header(question, "request", question.life)
        if connection.send([encode_header(header), *question.frames]):
            question.put_in = connection.times
            question.checked = time.monotonic()
            if question.life is None:
                known = self._peer_in == connection.times
                question.life = self._peer if known else ""
                question.first_in = connection.times

    def _check(self, question: _Question) -> None:
        """Ask whether it is still being worked on, if that was not said for long."""
        here = self._connection.connected and question.put_in == self._connection.times
        if here and time.monotonic() - question.checked >= CHECK:
            header = self._header(question, "check", question.life)
            if self._connection.send([encode_header(header), b""]):
                question.checked = time.monotonic()

    def _header(self, question: _Question, kind: Kind, again: str | None = None) -> Header:
        return Header(
            *(VERSION, kind, question.door, self._client, question.number),
            *(self._epoch, time.time(), question.goal, again),
        )

    def _take(
        self, question: _Question, wait: Wait | None, block: bool = False
    ) -> tuple[Header, Frames] | None:
        """The answer to the question, or None if what came are answers to older ones."""
        door = question.door
        while True:
            try:
                frames = receive(self._socket, 2, block)
            except zmq.Again:
                return None
            except CodecError as error:
                raise MalformedReply(f"{door}: the answer does not decode: {error}") from error
            try:
                header = decode_header(frames[0])
            except CodecError as error:
                raise MalformedReply(f"{door}: the answer does not decode: {error}") from error
            if header.id != question.number or header.client != self._client:
                continue
            self._peer, self._peer_in = header.epoch, self._connection.times
            if header.kind == "reply":
                return header, frames[1:]
            if header.kind == "working":
                if wait is not None:
                    wait.heard()
            elif header.code == NOT_KNOWN:
                # It was lost on its way. In one connection the node has one life.
                if question.first_in == self._connection.times:
                    question.life = header.epoch
                question.put_in = 0
            elif header.code == RESTARTED:
                raise PeerRestarted(
                    f"{door}: {self._node} was restarted during the call, which may have been "
                    "done or not"
                )
            else:
                raise RemoteError(door, header.code, header.text)

    def close(self) -> None:
        self._connection.close()

    def __del__(self) -> None:
        # A thread that ends takes its lines with it.
        if hasattr(self, "_connection"):
            self.close()
