"""The server side of services: each request is done once, and its reply sent again if need be.

A client sends one request at a time and numbers them, so it is enough to remember the last reply
for each client: no client waits for a lower number. A client's id counts within its connection: the
same id in another connection is another client. Only a request that is repeated, because its
connection was lost, is looked up by its id alone.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

import zmq

from messages.bus.diagnostics import Diagnostics
from messages.bus.errors import OVERLOADED
from messages.bus.network.frames import Socket, TooLarge, keep, receive, send
from messages.bus.network.header import (
    SAME_VERSION,
    VERSION,
    Header,
    Kind,
    decode_header,
    encode_header,
)
from messages.bus.services.admission import Admission
from messages.bus.services.call_events import CallEvents
from messages.bus.services.client import DELAYED, NOT_KNOWN, RESTARTED
from messages.bus.services.later import Later
from messages.codec import CodecError, Frames, encode

MAX_CLIENTS = 2048
"""Clients whose last reply is remembered."""
MAX_REMEMBERED = 64 << 20
"""Bytes of replies that are remembered."""
KEPT = 60.0
"""Seconds that a reply is remembered, in case its connection was lost on the way."""
MAX_CLIENT_ID = 64
"""Characters of a client's id."""

MAX_TEXT = 4000
"""Bytes of an error's text."""

DEPARTED = 2.0
"""Seconds between two checks whether the clients of requests that wait without a thread are there
still."""

SOCKET = "requests"
"""The subject, in diagnostics, of the socket that receives requests."""

_Key = tuple[bytes, str]


class _Client:
    """What is remembered of one client."""

    __slots__ = (
        "began", "entered", "id", "left", "name", "replied", "reply", "routes", "size", "taken",
    )  # fmt: skip

    def __init__(self, header: Header, route: bytes, taken: int) -> None:
        self.name = header.client
        self.id = header.id
        self.began = time.monotonic()
        self.entered = route  # under which it was admitted
        self.routes = [route]  # a repeated request comes from several connections: the last four
        self.reply: Frames | None = None  # None while it is being done, and once it is forgotten
        self.replied = 0.0  # when, 0 while it is being done
        self.size = 0  # bytes of the reply
        self.taken = taken  # bytes of the request
        self.left = False  # the client has gone on to its next request


class Call:
    """A request that waits for its reply. Reply once, from any thread."""

    __slots__ = ("_client", "_services", "frames", "header")

    def __init__(
        self, services: "Services", client: _Client, header: Header, frames: Frames
    ) -> None:
        self._services = services
        self._client = client
        self.header = header
        self.frames = frames

    def reply(self, message: Any) -> None:
        """Send the reply. Raises CodecError if the message cannot be written."""
        self.reply_frames(keep(encode(message)))

    def reply_frames(self, frames: Frames, code: str = "") -> None:
        """Send a reply that was encoded before."""
        self._services.reply(self._client, self.header, "reply", frames, code, "")

    def fail(self, code: str, text: str) -> None:
        """Reply with an error."""
        self._services.reply(self._client, self.header, "error", [b""], code, _short(text))

    def wait_for(self, later: "Later[Any]") -> None:
        """The reply comes later, if the client does not leave before."""
        later.attach(self)
        self._services.hold(self._client, self.header, later)


class _Served(NamedTuple):
    """One service."""

    respond: Callable[[Call], None]
    idempotent: bool
    types: tuple[str, str]


class Services:
    """The node's ROUTER socket, its services, and the last replies."""

    def __init__(
        self,
        socket: Socket,
        epoch: str,
        diagnostics: Diagnostics,
        post: Callable[[Callable[[], None]], None],
        return_memory: Callable[[], None],
        events: CallEvents,
        closing: threading.Event,
    ) -> None:
        self._closing = closing
        self._return_memory = return_memory
        self._events = events
        self._socket = socket
        self._epoch = epoch
        self._diagnostics = diagnostics
        self._post = post
        self._endpoints: dict[str, _Served] = {}
        self._clients: OrderedDict[_Key, _Client] = OrderedDict()
        self._by_request: dict[tuple[str, int], _Client] = {}  # the same by client and number
        self._remembered = 0
        self._admission = Admission()
        self._held: list[tuple[_Client, Header, Later[Any]]] = []  # they wait without a thread
        self._looked_at = 0.0
        self.delays: dict[str, str] = {}  # why requests take long, clauses by subject

    def add(
        self,
        endpoint: str,
        respond: Callable[[Call], None],
        idempotent: bool,
        types: tuple[str, str],
    ) -> None:
        """``types``: the names of the request's type and the reply's."""
        self._endpoints[endpoint] = _Served(respond, idempotent, types)

    def read(self) -> None:
        """Receive one request. In the serving thread."""
        try:
            frames = receive(self._socket, 3)
        except zmq.Again:
            return
        except TooLarge as error:
            self._diagnostics.report(SOCKET, f"{error}; rejected")
            self._reject_unread(error.frames, "too_large", str(error))
            self._return_memory()
            return
        self._take(frames)

    def expire(self, now: float) -> None:
        """Forget old replies; to be called regularly."""
        for client in self._clients.values():
            if client.reply is not None and now - client.replied > KEPT:
                self._remembered -= client.size
                client.reply, client.size = None, 0

    def hold(self, client: _Client, header: Header, later: "Later[Any]") -> None:
        """A request waits without a thread. From any thread."""
        self._post(lambda: self._held.append((client, header, later)))

    def drop_departed(self, now: float) -> None:
        """Give up the requests that wait without a thread and whose clients have left; to be called
        regularly."""
        if not self._held or now < self._looked_at + DEPARTED:
            return
        self._looked_at = now
        waiting = [each for each in self._held if not each[0].replied]
        self._held = []
        for client, header, later in waiting:
            if not client.left and any([self._confirm(route, header) for route in client.routes]):
                self._held.append((client, header, later))
            elif later.give_up():
                self._admission.leave(client.entered, client.taken)
                client.replied = now
                for key in [(route, client.name) for route in client.routes]:
                    if self._clients.get(key) is client:
                        self._drop(key)

    def _confirm(self, route: bytes, header: Header) -> bool:
        """Report to a client that its request is worked on; whether it is there."""
        delay = next(filter(None, self.delays.values()), "")
        working = self._header(header, "working", DELAYED if delay else "", delay)
        try:
            send(self._socket, [route, encode_header(working), b""])
        except zmq.Again:
            return True
        except zmq.ZMQError as error:
            if error.errno != zmq.EHOSTUNREACH:
                raise
            return False
        return True

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
        elif len(header.client) > MAX_CLIENT_ID:
            text = f"a client's id has at most {MAX_CLIENT_ID} characters, not {len(header.client)}"
            self._reject(route, header, "malformed", text)
        elif not self._repeated(route, header) and header.kind == "request":
            self._begin(route, header, frames[2:])

    def _repeated(self, route: bytes, header: Header) -> bool:
        """Reply to a repeated request, and to one that comes too late; False for a new one."""
        key = (route, header.client)
        client = self._clients.get(key)
        if client is not None and header.id < client.id:
            text = f"request {header.id} comes after {client.id} of the same client; it is not done"
            self._reject(route, header, "out_of_order", text)
            return True
        if (client is None or header.id > client.id) and header.again is not None:
            client = self._by_request.get((header.client, header.id))
            if client is not None:  # by the connection that was lost
                self._forget(key)
                self._clients[key] = client
                client.routes = [*client.routes[-3:], route]
        if client is None or header.id != client.id:
            if header.kind == "check":
                self._send(route, self._header(header, "error", NOT_KNOWN), [b""])
                return True
            return False
        if client.reply is not None:
            self._send_frames(route, client.reply)
        elif not client.replied:
            self._confirm(route, header)
        elif self._idempotent(header.endpoint) and header.kind == "request":
            return False  # done again, as the reply is forgotten
        else:
            self._reject(route, header, RESTARTED, "the reply is no longer stored")
        return True

    def _idempotent(self, endpoint: str) -> bool:
        found = self._endpoints.get(endpoint)
        return found is not None and found.idempotent

    def _begin(self, route: bytes, header: Header, frames: Frames) -> None:
        taken = sum(map(len, frames))
        why = self._admission.rejects(route, taken)
        if why is not None:
            self._reject(route, header, OVERLOADED, why)
            return
        key = (route, header.client)
        self._forget(key)
        self._admission.enter(route, taken)
        client = self._clients[key] = _Client(header, route, taken)
        self._by_request.setdefault((client.name, client.id), client)
        call = Call(self, client, header, frames)
        found = self._endpoints.get(header.endpoint)
        if self._events.wanted:
            self._events.publish(header, frames, found.types[0] if found else "")
        if header.version != VERSION:
            text = (
                f"this node reads version {VERSION} of the protocol, not {header.version}; "
                f"{SAME_VERSION}"
            )
            self._diagnostics.report(SOCKET, text)
            call.fail("version", text)
        elif found is None:
            names = ", ".join(sorted(self._endpoints)) or "none"
            self._diagnostics.report(
                SOCKET, f"request for unknown service {header.endpoint[:80]!r}"
            )
            call.fail("unknown_service", f"there is no such service here; there are: {names}")
        elif header.again is not None and header.again != self._epoch and not found.idempotent:
            call.fail(RESTARTED, "this node was restarted during the call")
        else:
            found.respond(call)

    def _forget(self, key: _Key) -> None:
        """Free space for the next request of a client, and in the whole."""
        if key in self._clients:
            self._drop(key)
        while len(self._clients) >= MAX_CLIENTS or self._remembered > MAX_REMEMBERED:
            # What is still being done is kept: a repeated request would be done twice.
            oldest = next((name for name, client in self._clients.items() if client.replied), None)
            if oldest is None:
                return
            self._drop(oldest)

    def _drop(self, key: _Key) -> None:
        client = self._clients.pop(key)
        if any(self._clients.get((route, client.name)) is client for route in client.routes):
            return  # another connection waits for the same request
        client.left = True
        self._remembered -= client.size
        client.size = 0
        if self._by_request.get((client.name, client.id)) is client:
            del self._by_request[client.name, client.id]

    def reply(
        self, client: _Client, request: Header, kind: Kind, frames: Frames, code: str, text: str
    ) -> None:
        """Remember and send a reply, unless the node stops: it could be an error that the stopping
        has caused, while the next process does the request. From any thread."""
        if self._closing.is_set():
            return
        header = self._header(request, kind, code, text)
        out: Frames = [encode_header(header), *frames]
        self._post(lambda: self._finish(client, header, out))

    def _finish(self, client: _Client, header: Header, frames: Frames) -> None:
        if self._events.wanted:
            found = self._endpoints.get(header.endpoint)
            took = time.monotonic() - client.began
            self._events.publish(header, frames[1:], found.types[1] if found else "", took)
        self._admission.leave(client.entered, client.taken)
        client.replied = time.monotonic()
        if client.left:
            return
        client.reply = frames
        client.size = sum(map(len, frames))
        self._remembered += client.size
        for route in client.routes:
            self._send_frames(route, frames)

    # Sending; in the serving thread

    def _header(self, request: Header, kind: Kind, code: str = "", text: str = "") -> Header:
        return Header(
            version=VERSION,
            kind=kind,
            endpoint=request.endpoint,
            client=request.client,
            id=request.id,
            epoch=self._epoch,
            time=time.time(),
            goal=request.goal,
            code=code,
            text=text,
        )

    def _reject(self, route: bytes, header: Header, code: str, text: str) -> None:
        """Reply with an error that is not remembered, and report it."""
        self._diagnostics.report(SOCKET, text)
        self._send(route, self._header(header, "error", code, _short(text)), [b""])

    def _reject_unread(self, frames: Frames, code: str, text: str) -> None:
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
            self._diagnostics.report(SOCKET, "a reply was dropped: the client does not read")
        except zmq.ZMQError as error:
            if (
                error.errno != zmq.EHOSTUNREACH
            ):  # it has left, and repeats its request if it returns
                raise


def _short(text: str) -> str:
    """Cut by bytes: the header has a size limit."""
    return text.encode(errors="replace")[:MAX_TEXT].decode(errors="ignore")
