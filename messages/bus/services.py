"""The serving side of services: each question is done once and answered, if need be, again.

A line asks one question at a time and numbers them, so that it is enough to remember the last
answer for each line: what has a lower number nobody waits for any more.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import zmq

from messages.bus.client import RESTARTED
from messages.bus.diagnostics import Diagnostics
from messages.bus.frames import Socket, keep, receive, send
from messages.bus.header import VERSION, Header, decode_header, encode_header
from messages.codec import CodecError, Frames, encode

MAX_LINES = 4096
"""Lines whose last answer is remembered."""
MAX_REMEMBERED = 256 << 20
"""Bytes of answers that are remembered."""

MAX_TEXT = 4000
"""Bytes of what is said about an error."""

SOCKET = "requests"
"""What diagnostics call the socket that questions come in by."""


class _Line:
    """What is remembered of one asking line."""

    __slots__ = ("answer", "id", "route", "size")

    def __init__(self, id: int, route: bytes) -> None:
        self.id = id
        self.route = route
        self.answer: Frames | None = None  # None while it is being done
        self.size = 0


class Call:
    """A question that waits for its answer. Answer it once, from any thread."""

    __slots__ = ("_line", "_services", "frames", "header")

    def __init__(self, services: "Services", line: _Line, header: Header, frames: Frames) -> None:
        self._services = services
        self._line = line
        self.header = header
        self.frames = frames

    def reply(self, message: Any) -> None:
        """Answer. Raises CodecError if the message cannot be written."""
        self.reply_frames(keep(encode(message)))

    def reply_frames(self, frames: Frames, code: str = "") -> None:
        """Answer with what was encoded before."""
        self._services.answer(self._line, self.header, "reply", frames, code, "")

    def fail(self, code: str, text: str) -> None:
        """Answer with an error."""
        # By bytes: the header that it stands in has its limit.
        text = text.encode(errors="replace")[:MAX_TEXT].decode(errors="ignore")
        self._services.answer(self._line, self.header, "error", [b""], code, text)


class Services:
    """The node's ROUTER socket, its doors, and the last answers."""

    def __init__(
        self,
        socket: Socket,
        epoch: str,
        diagnostics: Diagnostics,
        post: Callable[[Callable[[], None]], None],
    ) -> None:
        self._socket = socket
        self._epoch = epoch
        self._diagnostics = diagnostics
        self._post = post
        self._doors: dict[str, tuple[Callable[[Call], None], bool]] = {}
        self._lines: OrderedDict[str, _Line] = OrderedDict()
        self._remembered = 0

    def add(self, door: str, respond: Callable[[Call], None], idempotent: bool) -> None:
        self._doors[door] = (respond, idempotent)

    def read(self) -> None:
        """Take one question that has come in. In the serving thread."""
        try:
            frames = receive(self._socket, 3)
        except zmq.Again:
            return
        except CodecError as error:
            self._diagnostics.report(SOCKET, str(error))
            return
        self._take(frames)

    def _take(self, frames: list[Any]) -> None:
        if len(frames) < 3:
            self._diagnostics.report(
                SOCKET, f"a message of {len(frames) - 1} frames is no request; dropped"
            )
            return
        try:
            header = decode_header(frames[1])
        except CodecError as error:
            self._diagnostics.report(SOCKET, f"{error}; dropped")
            return
        if header.kind != "request":
            self._diagnostics.report(
                SOCKET, f"a message of kind {header.kind} is no request; dropped"
            )
            return
        line = self._lines.get(header.client)
        if line is not None:
            if header.id < line.id:
                return
            if header.id == line.id:
                line.route = frames[0]
                if line.answer is not None:
                    self._send(line)
                return
        self._forget(header.client)
        line = _Line(header.id, frames[0])
        self._lines[header.client] = line
        call = Call(self, line, header, frames[2:])
        found = self._doors.get(header.door)
        if header.version != VERSION:
            text = f"this node reads version {VERSION} of the protocol, not {header.version}"
            self._diagnostics.report(SOCKET, text)
            call.fail("version", text)
        elif found is None:
            names = ", ".join(sorted(self._doors)) or "none"
            self._diagnostics.report(SOCKET, f"asked for unknown service {header.door[:80]!r}")
            call.fail("unknown_service", f"there is no such service here; there are: {names}")
        elif header.again is not None and header.again != self._epoch and not found[1]:
            call.fail(RESTARTED, "this node was restarted during the call")
        else:
            found[0](call)

    def _forget(self, client: str) -> None:
        old = self._lines.pop(client, None)
        if old is not None:
            self._remembered -= old.size
        while len(self._lines) >= MAX_LINES or self._remembered > MAX_REMEMBERED:
            # What is still being done is kept: asked for again it would be done twice.
            oldest = next((name for name, line in self._lines.items() if line.answer), None)
            if oldest is None:
                return
            self._remembered -= self._lines.pop(oldest).size

    def answer(
        self, line: _Line, question: Header, kind: Any, frames: Frames, code: str, text: str
    ) -> None:
        """Remember and send an answer. From any thread."""
        header = Header(
            *(VERSION, kind, question.door, question.client, question.id),
            *(self._epoch, time.time(), question.goal, None, code, text),
        )
        out: Frames = [encode_header(header), *frames]
        self._post(lambda: self._finish(line, question, out))

    def _finish(self, line: _Line, question: Header, frames: Frames) -> None:
        current = self._lines.get(question.client)
        if current is line:
            line.size = sum(map(len, frames))
            self._remembered += line.size
        elif current is not None:
            return  # the line has gone on to its next question
        line.answer = frames
        self._send(line)

    def _send(self, line: _Line) -> None:
        try:
            send(self._socket, [line.route, *(line.answer or ())])
        except zmq.Again:
            self._diagnostics.report(SOCKET, "an answer was dropped: the asker does not read")
