"""Who may ask: the checks that stand before every request and every websocket.

A page of another site can make a browser send requests to this server. It cannot forge the ``Host``
and ``Origin`` headers: a request whose host is a foreign name is rejected (a name that was made to
point here, DNS rebinding), and so is one that changes something or opens a websocket from another
origin. With a token nothing is answered without it; it comes once in the address that is printed
and is then kept in a cookie, or comes in the header ``Authorization: Bearer TOKEN``.
"""

import hmac
import ipaddress
import socket
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "rlgpt-dash"
_SAFE = ("GET", "HEAD")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


def loopback(host: str) -> bool:
    """Whether a name or an address can only be reached from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class Access:
    """ASGI middleware. ``token`` empty: no token is asked for, and only names of the loopback are
    accepted; with one, also addresses and the names of this machine, and ``host``."""

    def __init__(self, app: ASGIApp, token: str = "", host: str = "127.0.0.1") -> None:
        self._app = app
        self._token = token
        self._names = {"localhost", host.lower(), socket.gethostname().lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        answer = self._answer(scope)
        if answer is None:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            # Before it is accepted: the client sees 403.
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await answer(scope, receive, _with_headers(send))

    def _answer(self, scope: Scope) -> Response | None:
        """What is answered in place of the app; None: the request may pass."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._accepts(hosts[0]):
            sentence = "this address is not served: open the one that `rlgpt dash` printed"
            return PlainTextResponse(sentence, 403)
        if not self._same_origin(scope, headers, hosts[0]):
            return PlainTextResponse("a request of another site is rejected", 403)
        if not self._token or self._known(headers, hosts[0]):
            return None
        return self._first(scope, hosts[0])

    def _accepts(self, host: str) -> bool:
        try:
            parts = urlsplit(f"//{host}")
            name, _ = parts.hostname or "", parts.port
        except ValueError:  # the port can be none, too
            return False
        if loopback(name):
            return True
        if not self._token:
            return False
        try:
            # No name was looked up for an address: it cannot have been made to point here.
            ipaddress.ip_address(name)
            return True
        except ValueError:
            return name.lower() in self._names

    @staticmethod
    def _same_origin(scope: Scope, headers: Headers, host: str) -> bool:
        """Browsers send the origin with whatever may change something, and with websockets."""
        origins = headers.getlist("origin")
        reads = scope["type"] == "http" and scope["method"] in _SAFE
        if not origins:
            return reads
        return len(origins) == 1 and origins[0].lower() in (
            f"http://{host}".lower(),
            f"https://{host}".lower(),
        )

    def _known(self, headers: Headers, host: str) -> bool:
        given = headers.get("authorization", "").removeprefix("Bearer ")
        if _equal(given, self._token):
            return True
        # Cookies of other servers of this machine come along, whatever their ports and their form:
        # the standard library's parser gives up all of them for one that is not as it should be.
        return _equal(cookie_parser(headers.get("cookie", "")).get(_cookie(host), ""), self._token)

    def _first(self, scope: Scope, host: str) -> Response:
        """A request without the cookie: the address may have the token."""
        query = parse_qs(scope["query_string"].decode("latin-1"))
        given = query.pop("token", [""])[0]
        reads = scope["type"] == "http" and scope["method"] in _SAFE
        if not reads or not _equal(given, self._token):
            sentence = "a token is needed: open the address that `rlgpt dash` printed"
            return PlainTextResponse(sentence, 401)
        rest = urlencode(query, doseq=True)
        response = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
        kept = f"{_cookie(host)}={self._token}; Path=/; HttpOnly; SameSite=Strict"
        response.headers["set-cookie"] = kept
        return response


def _cookie(host: str) -> str:
    """The name of the cookie. A browser keeps one of each name for all ports of a host, and the
    pages of several runs, or machines, may have tokens of their own."""
    return f"{COOKIE}-{urlsplit(f'//{host}').port or 80}"


def _equal(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
        await send(message)

    return sending
