"""Playing in a browser: a page for this machine only, which requests a tick and gets a picture."""

import contextlib
import json
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from voxeldojo.game import Game, Keys
from voxeldojo.names import quoted
from voxeldojo.rules import item_names
from voxeldojo.viewing.hands import bag, craftable, keys_of

PAGE = Path(__file__).with_name("page.html")
LONGEST = 4096  # bytes of a request
CONNECTIONS = 16  # at a time; a browser opens half a dozen
PATIENCE = 30.0  # seconds that a connection may be silent
BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: text/plain\r\n"
    b"Content-Length: 27\r\n\r\ntoo many connections to it\n"
)
CRAFT_ARGUMENTS = 244


class WrongRequest(ValueError):
    """A page's request is invalid; the text has the reason."""


class PlayServer(ThreadingHTTPServer):
    """Serves ``game`` on 127.0.0.1. ``port`` 0: any free one."""

    daemon_threads = True
    request_queue_size = CONNECTIONS

    def __init__(self, game: Game, prompt: str, port: int, size: tuple[int, int]) -> None:
        self.game = game
        self.prompt = prompt
        self.size = size
        self.one = threading.Lock()
        self._places = threading.BoundedSemaphore(CONNECTIONS)
        super().__init__(("127.0.0.1", port), Handler)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._places.acquire(blocking=False):
            with contextlib.suppress(OSError):
                request.sendall(BUSY)
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._places.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that is closed during a reply is no error."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)

    def tick(self, asked: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """One tick of the game: what to send to the page, and the picture as RGBA."""
        keys, orders = read_request(asked)
        with self.one:
            refused = ""
            for order in orders:
                refused = self.game.tick(order) or refused
            self.game.tick(keys)
            height, width = self.size
            pixels = np.full((height, width, 4), 255, np.uint8)
            pixels[..., :3] = self.game.world.rgb(0, height, width).transpose(1, 2, 0)
            status = {
                "width": width,
                "height": height,
                "prompt": self.prompt,
                "said": refused,
                "bag": bag(self.game),
                "craft": craftable(self.game),
                "life": float(self.game.player["life"]),
                "position": [float(self.game.player[axis]) for axis in "xyz"],
            }
            return status, pixels.tobytes()


def read_request(asked: Any) -> tuple[Keys, list[Keys]]:
    """The keys of the tick, and the ticks before it that equip, place or craft an item.

    Raises:
        WrongRequest: the request is invalid.
    """
    if not isinstance(asked, dict):
        raise WrongRequest("a request for a tick is an object with held, yaw and pitch")
    held = asked.get("held", [])
    if not (isinstance(held, list) and all(isinstance(name, str) for name in held)):
        raise WrongRequest("held is a list of names of keys")
    angles = [asked.get(name, 0.0) for name in ("yaw", "pitch")]
    for angle in angles:
        if isinstance(angle, bool) or not isinstance(angle, int | float) or not abs(angle) < 1e4:
            raise WrongRequest("yaw and pitch are degrees by which the mouse turned")
    orders: list[Keys] = []
    for name in ("equip", "place"):
        item = asked.get(name)
        if item is not None:
            if item not in item_names:
                raise WrongRequest(f"there is no item {quoted(item)}")
            orders.append(Keys(equip=item) if name == "equip" else Keys(place=item))
    craft = asked.get("craft")
    if craft is not None:
        if isinstance(craft, bool) or not isinstance(craft, int):
            raise WrongRequest("craft is the number of a recipe")
        if not 0 <= craft < CRAFT_ARGUMENTS:
            raise WrongRequest(f"recipes are numbered 0 to {CRAFT_ARGUMENTS - 1}, not {craft}")
        orders.append(Keys(crafts=(craft,)))
    return keys_of(set(held), yaw=float(angles[0]), pitch=float(angles[1])), orders


class Handler(BaseHTTPRequestHandler):
    server: PlayServer  # type: ignore[assignment]
    protocol_version = "HTTP/1.1"
    timeout = PATIENCE

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        if not self._here():
            return
        if self.path == "/":
            self._answer(HTTPStatus.OK, "text/html; charset=utf-8", PAGE.read_bytes())
        else:
            self._answer(HTTPStatus.NOT_FOUND, "text/plain", b"there is only the page at /\n")

    def do_POST(self) -> None:
        if not self._here():
            return
        try:
            length = int(self.headers.get("Content-Length", ""))
        except ValueError:
            length = -1
        if self.path != "/tick" or not 0 <= length <= LONGEST:
            self.close_connection = True
            self._answer(HTTPStatus.BAD_REQUEST, "text/plain", b"a tick is a short POST to /tick\n")
            return
        try:
            status, pixels = self.server.tick(json.loads(self.rfile.read(length)))
        except (WrongRequest, json.JSONDecodeError, UnicodeDecodeError, RecursionError) as refused:
            self._answer(HTTPStatus.BAD_REQUEST, "text/plain", f"{refused}\n".encode())
            return
        header = {"X-World": json.dumps(status)}
        self._answer(HTTPStatus.OK, "application/octet-stream", pixels, header)

    def _here(self) -> bool:
        """Whether a request is from a page of this server: those of other sites have another host
        or origin."""
        own = {f"127.0.0.1:{self.server.port}", f"localhost:{self.server.port}"}
        origins = {None, *(f"http://{host}" for host in own)}  # programs send none
        if self.headers.get("Host") in own and self.headers.get("Origin") in origins:
            return True
        self.close_connection = True
        self._answer(HTTPStatus.FORBIDDEN, "text/plain", b"only for pages of this machine\n")
        return False

    def _answer(
        self, status: HTTPStatus, kind: str, body: bytes, more: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        for name, value in (more or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
