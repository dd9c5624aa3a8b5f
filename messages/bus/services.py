"""The serving side of services: each question is done once and answered, if need be, again.

A line asks one question at a time and numbers them, so that it is enough to remember the last
answer for each line: what has a lower number nobody waits for any more. A line's id counts within
the connection that uses it: what another connection says under the same id is another line. Only a
question that is put again, because its connection was lost, is looked for under its id alone.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import zmq

from messages.bus.admission import Admission
from messages.bus.client import NOT_KNOWN, RESTARTED
from messages.bus.diagnostics import Diagnostics
from messages.bus.errors import OVERLOADED
from messages.bus.frames import Socket, TooLarge, keep, receive, send
from messages.bus.header import VERSION, Header, Kind, decode_header, encode_header
from messages.codec import CodecError, Frames, encode

MAX_LINES = 2048
"""Lines whose last answer is remembered."""
MAX_REMEMBERED = 64 << 20
"""Bytes of answers that are remembered."""
KEPT = 60.0
"""Seconds that an answer is remembered, should its connection be lost on the way."""
MAX_CLIENT = 64
"""Characters of a line's id."""

MAX_TEXT = 4000
"""Bytes of what is said about an error."""

SOCKET = "requests"
"""What diagnostics call the socket that questions come in by."""

_Key = tuple[bytes, str]


class _Line:
    """What is remembered of one asking line."""

    __slots__ = ("answer", "answered", "client", "id", "left", "routes", "size", "taken")

    def __init__(self, header: Header, route: bytes, taken: int) -> None:
        self.client = header.client
        self.id = header.id
        self.routes = [route]  # a question that was put again is asked by several connections
        self.answer: Frames | None = None  # None while it is being done, and once it is forgotten
        self.answered = 0.0  # when, 0 while it is being done
        self.size = 0  # bytes of the answer
        self.taken = taken  # bytes of the question
        self.left = False  # the line has gone on to its next question


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
        self._services.answer(self._line, self.header, "error", [b""], code, _short(text))


class Services:
    """The node's ROUTER socket, its doors, and the last answers."""

    def __init__(
        self,
        socket: Socket,
        epoch: str,
        diagnostics: Diagnostics,
        post: Callable[[Callable[[], None]], None],
        relieve: Callable[[], None],
    ) -> None:
        self._relieve = relieve
        self._socket = socket
        self._epoch = epoch
        self._diagnostics = diagnostics
        self._post = post
        self._doors: dict[str, tuple[Callable[[Call], None], bool]] = {}
        self._lines: OrderedDict[_Key, _Line] = OrderedDict()
        self._asked: dict[tuple[str, int], _Line] = {}  # the same by client and number
        self._remembered = 0
        self._admission = Admission()

    def add(self, door: str, respond: Callable[[Call], None], idempotent: bool) -> None:
        self._doors[door] = (respond, idempotent)

    def read(self) -> None:
        """Take one question that has come in. In the serving thread."""
        try:
            frames = receive(self._socket, 3)
        except zmq.Again:
            return
        except TooLarge as error:
            self._diagnostics.report(SOCKET, f"{error}; refused")
            self._refuse_unread(error.frames, "too_large", str(error))
            self._relieve()
            return
        self._take(frames)

    def expire(self, now: float) -> None:
        """Forget old answers; to be called now and then."""
        for line in self._lines.values():
            if line.answer is not None and now - line.answered > KEPT:
                self._remembered -= line.size
                line.answer, line.size = None, 0

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
        route: bytes = frames[0]
        if header.kind not in ("request", "check"):
            self._diagnostics.report(
                SOCKET, f"a message of kind {header.kind} is no request; dropped"
            )
        elif len(header.client) > MAX_CLIENT:
            text = f"a line's id has at most {MAX_CLIENT} characters, not {len(header.client)}"
            self._refuse(route, header, "malformed", text)
        elif not self._again(route, header) and header.kind == "request":
            self._begin(route, header, frames[2:])

    def _again(self, route: bytes, header: Header) -> bool:
        """Answer what was asked before, and what comes too late; False for a new question."""
        key = (route, header.client)
        line = self._lines.get(key)
        if line is not None and header.id < line.id:
            text = f"request {header.id} comes after {line.id} of the same line; it is not done"
            self._refuse(route, header, "out_of_order", text)
            return True
        if (line is None or header.id > line.id) and header.again is not None:
            line = self._asked.get((header.client, header.id))
            if line is not None:  # by the connection that was lost
                self._forget(key)
                self._lines[key] = line
                line.routes = [*line.routes[-3:], route]
        if line is None or header.id != line.id:
            if header.kind == "check":
                self._send(route, self._header(header, "error", NOT_KNOWN), [b""])
                return True
            return False
        if line.answer is not None:
            self._send_frames(route, line.answer)
        elif not line.answered:
            self._send(route, self._header(header, "working"), [b""])
        elif self._idempotent(header.door) and header.kind == "request":
            return False  # done again, as the answer is forgotten
        else:
            self._refuse(route, header, RESTARTED, "the answer is no longer kept")
        return True

    def _idempotent(self, door: str) -> bool:
        return self._doors.get(door, (None, False))[1]

    def _begin(self, route: bytes, header: Header, frames: Frames) -> None:
        taken = sum(map(len, frames))
        why = self._admission.refuses(route, taken)
        if why is not None:
            self._refuse(route, header, OVERLOADED, why)
            return
        key = (route, header.client)
        self._forget(key)
        self._admission.enter(route, taken)
        line = self._lines[key] = _Line(header, route, taken)
        self._asked.setdefault((line.client, line.id), line)
        call = Call(self, line, header, frames)
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

    def _forget(self, key: _Key) -> None:
        """Make room for the next question of a line, and in the whole."""
        if key in self._lines:
            self._drop(key)
        while len(self._lines) >= MAX_LINES or self._remembered > MAX_REMEMBERED:
            # What is still being done is kept: asked for again it would be done twice.
            oldest = next((name for name, line in self._lines.items() if line.answered), None)
            if oldest is None:
                return
            self._drop(oldest)

    def _drop(self, key: _Key) -> None:
        line = self._lines.pop(key)
        if any(self._lines.get((route, line.client)) is line for route in line.routes):
            return  # another connection asks the same question
        line.left = True
        self._remembered -= line.size
        line.size = 0
        if self._asked.get((line.client, line.id)) is line:
            del self._asked[line.client, line.id]

    def answer(
        self, line: _Line, question: Header, kind: Kind, frames: Frames, code: str, text: str
    ) -> None:
        """Remember and send an answer. From any thread."""
        out: Frames = [encode_header(self._header(question, kind, code, text)), *frames]
        self._post(lambda: self._finish(line, out))

    def _finish(self, line: _Line, frames: Frames) -> None:
        self._admission.leave(line.routes[0], line.taken)
        line.answered = time.monotonic()
        if line.left:
            return
        line.answer = frames
        line.size = sum(map(len, frames))
        self._remembered += line.size
        for route in line.routes:
            self._send_frames(route, frames)

    # Sending; in the serving thread

    def _header(self, question: Header, kind: Kind, code: str = "", text: str = "") -> Header:
        return Header(
            *(VERSION, kind, question.door, question.client, question.id),
            *(self._epoch, time.time(), question.goal, None, code, text),
        )

    def _refuse(self, route: bytes, header: Header, code: str, text: str) -> None:
        """Answer with an error that is not remembered, and report it."""
        self._diagnostics.report(SOCKET, text)
        self._send(route, self._header(header, "error", code, _short(text)), [b""])

    def _refuse_unread(self, frames: Frames, code: str, text: str) -> None:
        try:
            header = decode_header(frames[1])
        except (CodecError, IndexError):
            return
        self._send(frames[0], self._header(header, "error", code, _short(text)), [b""])

    def _send(self, route: bytes, header: Header, frames: Frames) -> None:
        self._send_frames(route, [encode_header(header), *frames])

    def _send_frames(self, route: bytes, frames: Frames) -> None:
        try:
            send(self._socket, [route, *frames])
        except zmq.Again:
            self._diagnostics.report(SOCKET, "an answer was dropped: the asker does not read")
        except zmq.ZMQError as error:
            if error.errno != zmq.EHOSTUNREACH:  # it has left, and asks again if it comes back
                raise


def _short(text: str) -> str:
    """By bytes: the header that it stands in has its limit."""
    return text.encode(errors="replace")[:MAX_TEXT].decode(errors="ignore")
