"""The page of `rlgpt dash`, served in this process, a client of it, and a run of toys to show."""

import contextlib
import http.client
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import uvicorn
import yaml
from websockets.sync.client import ClientConnection, connect

from rlgpt.dash.app import make_app
from rlgpt.dash.page_server import server_config
from rlgpt.dash.watched_runs import WatchedRuns
from tests.launch_toys.launched import Launched, launched

PATIENCE = 60.0
LAUNCH = {
    "seed": 0,
    "nodes": {
        "talker": {"module": "tests.launch_toys.talker"},
        "caller": {"module": "tests.launch_toys.caller"},
    },
}


def write_launch_file(folder: Path) -> None:
    """From then on `rlgpt launch toys` works in ``folder``."""
    (folder / "launch").mkdir()
    (folder / "launch" / "toys.yaml").write_text(yaml.safe_dump(LAUNCH))


@contextlib.contextmanager
def toys(folder: Path, name: str) -> Iterator[Launched]:
    """A live run of two nodes, ``runs/NAME`` in a folder with the launch file."""
    run = folder / "runs" / name
    with launched("launch", "toys", f"run=runs/{name}", cwd=folder, run=run) as launch:
        launch.wait_for("there is no goal")
        yield launch


class Served:
    """``runs``: what it watches; ``port``: where it listens."""

    def __init__(self, runs: WatchedRuns, port: int) -> None:
        self.runs = runs
        self.port = port
        self.address = f"http://127.0.0.1:{port}"

    def ask(
        self, path: str, method: str = "GET", body: bytes = b"", **headers: str
    ) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and headers of one request. Headers: ``host``, ``origin``, ``cookie``..."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host=True)
            for name, value in {"host": f"127.0.0.1:{self.port}", **headers}.items():
                connection.putheader(name, value)
            if body:
                connection.putheader("content-length", str(len(body)))
            connection.endheaders(body or None)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, answer.read(), found
        finally:
            connection.close()

    def json(self, path: str) -> Any:
        status, body, _ = self.ask(path)
        assert status == 200, body
        return json.loads(body)

    def change(self, path: str, what: Any = None) -> tuple[int, Any]:
        """Status and answer of a request as the page itself sends it."""
        body = b"" if what is None else json.dumps(what).encode()
        status, found, _ = self.ask(path, "POST", body, origin=self.address)
        return status, json.loads(found)

    def live(self, run: str, origin: str | None = None, **headers: str) -> ClientConnection:
        """The websocket of a page."""
        return connect(
            f"ws://127.0.0.1:{self.port}/api/runs/{run}/live",
            origin=origin or self.address,  # type: ignore[arg-type]
            additional_headers=headers,
            max_size=None,
        )


def states_until(socket: ClientConnection, done: Any, seconds: float = PATIENCE) -> dict[str, Any]:
    """What the page has been sent, once ``done(states)`` is true."""
    states: dict[str, Any] = {}
    until = time.monotonic() + seconds
    while not (states and done(states)):
        states |= json.loads(socket.recv(timeout=max(until - time.monotonic(), 0.01)))
    return states


@contextlib.contextmanager
def served(run: Path, token: str = "", host: str = "127.0.0.1") -> Iterator[Served]:
    runs = WatchedRuns(run)
    server = uvicorn.Server(server_config(make_app(runs, token, host), port=0))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + PATIENCE
    while not server.started:
        assert thread.is_alive()
        assert time.monotonic() < until
        time.sleep(0.01)
    try:
        yield Served(runs, server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()
