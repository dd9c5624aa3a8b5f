"""The page of `voxeldojo play`: who may use it, and how many at a time."""

import http.client
import json
import socket
import threading
from collections.abc import Iterator

import pytest

from voxeldojo.viewing.browser import CONNECTIONS, PlayServer
from voxeldojo.viewing.shown_world import open_game

DEADLINE = 60.0


@pytest.fixture(scope="module")
def server() -> Iterator[PlayServer]:
    game, _ = open_game("plains", 5)
    server = PlayServer(game, "Look.", 0, (24, 32))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()
    game.close()


def tick(server: PlayServer, **headers: str) -> int:
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
    link.request("POST", "/tick", json.dumps({"held": []}), headers)
    status = link.getresponse().status
    link.close()
    return status


@pytest.mark.parametrize(
    "origin",
    ["null", "file://", "", "//", "http://", "https://127.0.0.1:{}", "http://evil.example",
     "http://127.0.0.1:{}.evil.example", "evil://127.0.0.1:{}", "http://127.0.0.1"],
)  # fmt: skip
def test_pages_from_elsewhere_cannot_play(server: PlayServer, origin: str) -> None:
    assert tick(server, Origin=origin.format(server.port)) == 403


def test_the_pages_own_origin_and_local_programs_can_play(server: PlayServer) -> None:
    assert tick(server) == 200
    for host in ("127.0.0.1", "localhost"):
        name = f"{host}:{server.port}"
        assert tick(server, Origin=f"http://{name}", Host=name) == 200


def test_connections_beyond_the_limit_get_503_until_others_close(server: PlayServer) -> None:
    links = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)]
    for _ in range(CONNECTIONS):
        links[-1].request("GET", "/")
        answer = links[-1].getresponse()
        assert answer.status == 200
        answer.read()  # and it stays open
        links.append(http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE))
    one_too_many = links[-1]
    one_too_many.request("GET", "/")
    answer = one_too_many.getresponse()
    assert (answer.status, answer.read()) == (503, b"too many connections to it\n")
    for link in links:
        link.close()
    # Their threads have to see it first.
    assert any(_status(server) == 200 for _ in range(1000))


def _status(server: PlayServer) -> int:
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
    try:
        link.request("GET", "/")
        return link.getresponse().status
    except ConnectionError:
        return 503
    finally:
        link.close()


def test_a_browser_that_leaves_in_the_middle_causes_no_traceback(
    server: PlayServer, capsys: pytest.CaptureFixture[str]
) -> None:
    body = json.dumps({"held": []})
    request = f"POST /tick HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: "
    for _ in range(8):
        link = socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE)
        link.sendall((f"{request}{len(body)}\r\n\r\n{body}" * 3).encode())
        # Closed with a reset, while the answers are written.
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        link.close()
    assert any(tick(server) == 200 for _ in range(100))
    assert capsys.readouterr().err == ""
