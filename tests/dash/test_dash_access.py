"""Who may ask the page's server: hosts, origins, tokens, and names that lead nowhere."""

import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from tests.dash.dash_served import Served, served, states_until
from tests.launch_toys.launched import launched, refused
from tests.report_run import fill
from tests.report_run import launched as mark_launched

TOKEN = "0123456789abcdefghij-long-enough"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("dash")
    run = place / "runs" / "over"
    run.mkdir(parents=True)
    fill(run)
    mark_launched(run)
    (place / "secret.txt").write_text("not for the browser")
    (place / "runs" / "secret.mp4").write_text("not for the browser")
    return place


@pytest.fixture(scope="module")
def page(place: Path) -> Iterator[Served]:
    with served(place / "runs" / "over") as page:
        yield page


@pytest.fixture(scope="module")
def guarded(place: Path) -> Iterator[Served]:
    with served(place / "runs" / "over", TOKEN, "0.0.0.0") as page:
        yield page


def test_only_names_of_the_loopback_are_hosts(page: Served) -> None:
    for host in ("127.0.0.1", "localhost:8420", f"127.0.0.1:{page.port}", "[::1]:80"):
        assert page.ask("/", host=host)[0] == 200, host
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.7",
                 "", "[::1", "user@127.0.0.1@evil.example"):  # fmt: skip
        status, body, _ = page.ask("/api/runs", host=host)
        assert status in (400, 403), host
        assert b"over" not in body


def test_other_sites_change_nothing_and_see_nothing(page: Served) -> None:
    path = "/api/runs/over/nodes/critic/restart"
    own = f"http://127.0.0.1:{page.port}"
    assert page.ask(path, "POST")[0] == 403  # a browser always sends its origin
    for origin in ("http://evil.example", "null", f"{own}.evil.example", "http://127.0.0.1:1", ""):
        assert page.ask(path, "POST", origin=origin)[0] == 403, origin
        assert page.ask("/api/runs", origin=origin)[0] == 403, origin
        with pytest.raises(InvalidStatus, match="403"):
            page.live("over", origin=origin or "null")
    status, body, _ = page.ask(path, "POST", origin=own)
    assert status == 409
    assert b"no launcher runs" in body
    with page.live("over") as socket:
        assert states_until(socket, lambda states: "run" in states)["run"]["launched"] is False


def test_the_headers_forbid_scripts_and_frames_of_other_sites(page: Served) -> None:
    _, body, headers = page.ask("/")
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert b"http://" not in body
    assert b"https://" not in body
    assert "server" not in headers
    assert "no-store" in page.ask("/api/runs")[2]["cache-control"]


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/vendor/../../../command.py",
        "/api/runs/../secret.txt",
        "/api/runs/..%2f..%2fsecret.txt/plan",
        "/api/runs/%2e%2e/plan",
        "/api/runs/./plan",
        "/api/runs/over%00/plan",
        "/api/runs/over/films/evaluation/..%2f..%2fconfig.yaml",
        "/api/runs/over/films/evaluation/%2e%2e%2f%2e%2e%2f%2e%2e%2fsecret.mp4",
        "/api/runs/over/films/../../../secret.mp4",
        "/api/runs/over/films/nothing/1.mp4",
        "/api/runs/over/films/evaluation/config.yaml",
    ],
)
def test_no_address_reads_a_file_outside_the_run_folder(page: Served, path: str) -> None:
    status, body, _ = page.ask(path)
    assert status == 404
    assert b"not for the browser" not in body
    assert b"import" not in body


def test_films_are_sent_in_parts(page: Served) -> None:
    status, body, headers = page.ask("/api/runs/over/films/evaluation/1.mp4", range="bytes=4-9")
    assert status == 206
    assert body == b"really"
    assert headers["content-type"] == "video/mp4"


def test_with_a_token_nothing_is_answered_without_it(guarded: Served) -> None:
    for path in ("/", "/static/main.js", "/api/runs", "/?token=wrong", "/api/runs?token="):
        status, body, _ = guarded.ask(path)
        assert status == 401, path
        assert b"a token is needed" in body
    with pytest.raises(InvalidStatus, match="403"):
        guarded.live("over")
    assert guarded.ask("/api/runs", authorization=f"Bearer {TOKEN}")[0] == 200
    assert guarded.ask("/api/runs", authorization=f"Bearer {TOKEN}x")[0] == 401
    status, _, headers = guarded.ask(f"/?token={TOKEN}&a=1")
    assert status == 303
    assert headers["location"] == "/?a=1"
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    kept = cookie.partition(";")[0]
    assert guarded.ask("/api/runs", cookie=kept)[0] == 200
    with guarded.live("over", cookie=kept) as socket:
        socket.recv(timeout=30.0)
    # Another server's cookies on this machine: a browser sends them to every port of it.
    for other in ('state={"open": true}', "a=b c", "flag", "list[0]=1", "name=ä", "=", ""):
        assert guarded.ask("/api/runs", cookie=f"{other}; {kept}")[0] == 200, other
        assert guarded.ask("/api/runs", cookie=f"{other}; {kept}x")[0] == 401, other
    # Nor does the page of another token on this machine, at a port of its own, sign this one out.
    _, _, headers = guarded.ask(f"/?token={TOKEN}", host="localhost:8421")
    assert headers["set-cookie"].partition("=")[0] != kept.partition("=")[0]
    assert guarded.ask("/api/runs", cookie=kept, host="localhost:99999")[0] == 403
    # Behind a token other names of this machine are fine, foreign ones are not.
    port = guarded.port
    assert guarded.ask("/api/runs", cookie=kept, host=f"10.0.0.7:{port}")[0] == 200
    assert guarded.ask("/api/runs", cookie=kept, host=f"evil.example:{port}")[0] == 403
    assert guarded.ask("/api/runs", cookie=kept, origin="http://evil.example")[0] == 403


def test_the_command_refuses_bad_options_and_serves_until_ctrl_c(
    place: Path, tmp_path: Path
) -> None:
    assert "there is no run folder absent" in refused("dash", "absent", cwd=place)
    assert "give a token as well" in refused("dash", "over", "--host", "0.0.0.0", cwd=place)
    assert "a port is 0 to 65,535" in refused("dash", "over", "--port", "99999", cwd=place)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert "nothing can listen" in refused("dash", "over", "--port", port, cwd=place)
    file = tmp_path / "token"
    assert "cannot be read" in refused("dash", "over", "--token-file", str(file), cwd=place)
    file.write_text(TOKEN)
    file.chmod(0o644)
    assert "chmod 600" in refused("dash", "over", "--token-file", str(file), cwd=place)
    file.chmod(0o600)
    file.write_text("short")
    assert "holds no token" in refused("dash", "over", "--token-file", str(file), cwd=place)
    with launched("dash", "over", "--port", "0", cwd=place, run=place / "runs" / "over") as dash:
        dash.wait_for("over is shown at http://127.0.0.1:")
        assert dash.stop(signal.SIGINT) == 130
