"""Keys that other users may read or replace, or that are damaged or another's, are refused, and the
sentence states what to do. A connection that fails is reported by what is known of it."""

import contextlib
import os
import re
import shutil
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import zmq

from messages.bus import AddressError, Bus, BusError, DeadlineExceeded
from messages.bus.network.connection import Connection
from messages.bus.network.curve import make_keys
from messages.bus.network.key_files import read_pair, read_public
from messages.system import Diagnostic, diagnostics
from tests.bus import SERVER
from tests.bus.bus_server import DO, LATEST, Do, Done
from tests.bus_processes import PATIENCE, Process, eventually, free_port, make_run


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    make_keys(tmp_path / "keys", ["server", "tools"])
    return tmp_path / "keys"


def opened(keys: Path) -> None:
    run = keys.parent / "run"
    run.mkdir(exist_ok=True)
    port = free_port()
    Bus(run, "server", {"server": {"host": "127.0.0.1", "port": port}}, keys=keys).close()


def test_keys_are_made_with_rights_that_are_accepted(keys: Path) -> None:
    assert keys.stat().st_mode & 0o777 == 0o700
    assert (keys / "server.key_secret").stat().st_mode & 0o777 == 0o600
    opened(keys)


@pytest.mark.parametrize(
    ("name", "mode", "words"),
    [
        ("server.key_secret", 0o666, "can be written by others (mode 0666): `chmod 600"),
        ("server.key_secret", 0o640, "can be read by others (mode 0640): `chmod 600"),
        ("server.key_secret", 0o604, "can be read by others (mode 0604): `chmod 600"),
        ("tools.key", 0o666, "can be written by others (mode 0666): `chmod 600"),
        (".", 0o777, "can be written by others (mode 0777): `chmod 700"),
        (".", 0o770, "can be written by others (mode 0770): `chmod 700"),
    ],
)
def test_keys_that_others_may_read_or_write_are_refused(
    keys: Path, name: str, mode: int, words: str
) -> None:
    (keys / name).chmod(mode)
    with pytest.raises(AddressError) as refused:
        opened(keys)
    assert str(refused.value).startswith(str(keys / name))
    assert words in str(refused.value)


@pytest.mark.parametrize(("name", "mode"), [("tools.key", 0o644), (".", 0o755)])
def test_public_keys_that_others_may_only_read_are_accepted(
    keys: Path, name: str, mode: int
) -> None:
    (keys / name).chmod(mode)
    opened(keys)


def test_a_link_to_a_key_is_checked_by_its_target(keys: Path, tmp_path: Path) -> None:
    place = tmp_path / "elsewhere"
    place.mkdir(mode=0o700)
    secret = keys / "server.key_secret"
    secret.rename(place / "secret")
    secret.symlink_to(place / "secret")
    opened(keys)
    place.chmod(0o777)
    refused_for(keys, str(place))
    place.chmod(0o700)
    (place / "secret").chmod(0o644)
    refused_for(keys, str(secret))


def refused_for(keys: Path, path: str) -> None:
    with pytest.raises(AddressError, match=f"^{path} can be "):
        opened(keys)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("name", ["server.key_secret", "tools.key", "."])
def test_keys_of_another_user_are_refused(keys: Path, name: str) -> None:
    os.chown(keys / name, 12345, -1)
    with pytest.raises(AddressError, match="belongs to another user"):
        opened(keys)


def test_no_keys_are_made_where_others_may_write(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys").chmod(0o777)
    with pytest.raises(AddressError, match="chmod 700"):
        make_keys(tmp_path / "keys", ["server"])
    assert not list((tmp_path / "keys").iterdir())


AGAIN = "delete the folder there, make new keys with `rlgpt keys NAME` and copy them again"
BROKEN = {
    "emptied": b"",
    "binary": bytes(range(256)),
    "words": b"public-key\nsecret-key\n",
    "short": b'public-key = "abc"\nsecret-key = "abc"\n',
    "no Z85": b'public-key = "' + b"~" * 40 + b'"\nsecret-key = "' + b"~" * 40 + b'"\n',
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("name", ["server.key", "server.key_secret", "tools.key"])
def test_a_damaged_key_is_refused_by_its_name(keys: Path, name: str, content: bytes) -> None:
    (keys / name).write_bytes(content)
    with pytest.raises(AddressError) as refused:
        opened(keys)
    assert str(refused.value).startswith(f"{keys / name} is not a key: copy it from the machine")
    assert str(refused.value).endswith(AGAIN)


def test_a_public_key_in_place_of_a_secret_one_is_refused(keys: Path) -> None:
    shutil.copy(keys / "server.key", keys / "server.key_secret")
    (keys / "server.key_secret").chmod(0o600)
    with pytest.raises(AddressError, match=r"/server\.key_secret is not a secret key"):
        opened(keys)


@pytest.mark.parametrize("name", ["server.key", "server.key_secret"])
def test_a_key_of_another_node_is_refused_and_both_files_are_named(keys: Path, name: str) -> None:
    shutil.copy(keys / name.replace("server", "tools"), keys / name)
    with pytest.raises(AddressError) as refused:
        opened(keys)
    both = f"{keys}/server.key_secret does not fit {keys}/server.key: "
    assert str(refused.value).startswith(both)


def test_a_process_that_only_calls_is_refused_with_anothers_key(keys: Path) -> None:
    """A node at its start, and a tool, which may need no key, at its first call."""
    hosts = {"server": {"host": "127.0.0.1", "port": free_port()}}
    make_keys(keys, ["caller"])
    for name in ("caller", "tools"):
        shutil.copy(keys / "server.key_secret", keys / f"{name}.key_secret")
    with pytest.raises(AddressError, match=r"caller\.key_secret does not fit .*/caller\.key"):
        Bus(keys.parent, "caller", hosts, keys=keys)
    with (
        contextlib.closing(Bus(keys.parent, hosts=hosts, keys=keys)) as bus,
        pytest.raises(AddressError, match=r"tools\.key_secret does not fit .*/tools\.key"),
    ):
        bus.call(DO, Do(), timeout=1.0)


def test_a_lost_secret_key_is_not_said_to_be_made_by_rlgpt_keys(keys: Path) -> None:
    (keys / "server.key_secret").unlink()
    with pytest.raises(AddressError) as refused:
        opened(keys)
    assert f"{keys}/server.key_secret is missing: copy it from" in str(refused.value)
    assert str(refused.value).endswith(AGAIN)
    before = (keys / "server.key").read_bytes()
    with pytest.raises(AddressError, match=re.escape(AGAIN)):
        make_keys(keys, ["server"])
    assert (keys / "server.key").read_bytes() == before


def test_a_keys_folder_that_is_named_and_missing_is_refused(tmp_path: Path) -> None:
    """On the loopback, too, where the default folder need not exist."""
    hosts = {"server": {"host": "127.0.0.1", "port": free_port()}}
    Bus(tmp_path, "server", hosts).close()
    with pytest.raises(AddressError, match=f"keys: there is no folder {tmp_path}/none; "):
        Bus(tmp_path, "server", hosts, keys=tmp_path / "none")


@pytest.fixture
def reported(keys: Path) -> Iterator[tuple[int, list[str]]]:
    """The port of a node with keys that serves, and what its diagnostics have reported."""
    run, port, over = keys.parent / "run", free_port(), threading.Event()
    run.mkdir()
    hosts = {"server": {"host": "127.0.0.1", "port": port}}
    bus = Bus(run, "server", hosts, keys=keys)
    bus.serve(DO, lambda do: Done(note=do.note, process=1))
    found: list[str] = []
    subscribed = threading.Event()

    def heard(each: Diagnostic) -> None:
        if each.about.startswith("probe"):
            subscribed.set()
        else:
            found.append(f"{each.about}: {each.message}")

    bus.subscribe(diagnostics("server"), heard)
    make_keys(keys, ["client"])
    serving = threading.Thread(target=bus.spin, args=(over,))
    serving.start()
    for number in count():  # what is published before the subscription is there is lost
        bus.report(f"probe {number}", "is the subscription there?")
        if subscribed.wait(0.1):
            break
    yield port, found
    over.set()
    bus.wake()
    serving.join()
    bus.close()


def _strange(port: int, prepare: Callable[[Any], None]) -> Any:
    """A plain socket of ZeroMQ's library that connects to the node."""
    dealer: Any = zmq.Context.instance().socket(zmq.DEALER)
    dealer.setsockopt(zmq.LINGER, 0)
    prepare(dealer)
    dealer.connect(f"tcp://127.0.0.1:{port}")
    return dealer


def _use(dealer: Any, public: bytes, secret: bytes, server: bytes) -> None:
    dealer.curve_publickey, dealer.curve_secretkey = public, secret
    dealer.curve_serverkey = server


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("another secret key", "its keys do not fit: "),
        ("another key of the node", "its keys do not fit: "),
        ("unknown", "its key is not among those that this node accepts"),
    ],
)
def test_a_peer_with_wrong_keys_is_reported_as_such(
    keys: Path, reported: tuple[int, list[str]], kind: str, words: str
) -> None:
    port, found = reported
    server, (public, secret) = read_public(keys / "server.key"), read_pair(keys, "client")

    def prepare(dealer: Any) -> None:
        if kind == "another secret key":
            _use(dealer, public, read_pair(keys, "tools")[1], server)
        elif kind == "another key of the node":
            _use(dealer, public, secret, read_public(keys / "tools.key"))
        else:
            _use(dealer, *zmq.curve_keypair(), server)

    with contextlib.closing(_strange(port, prepare)):
        eventually(lambda: found)
    assert found[0].startswith(f"requests: a connection was rejected: {words}")


@pytest.mark.parametrize(
    ("mechanism", "then", "sentence"),
    [
        (
            b"NULL",
            b"",
            "it asks for another security than this node has, as a peer without keys does of a "
            "node with keys",
        ),
        (b"CURVE", b"\x04\xc8" + bytes(200), "what it sent is not ZeroMQ's protocol"),
    ],
    ids=["a peer without keys", "bytes that break the protocol"],
)
def test_a_connection_that_fails_before_keys_matter_is_reported_as_such(
    reported: tuple[int, list[str]], mechanism: bytes, then: bytes, sentence: str
) -> None:
    """As bytes: a real socket without keys may hang up on the node's greeting before it has sent
    its own, and the node then knows as little as of any other peer that went."""
    port, found = reported
    greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00" + mechanism.ljust(20, b"\0") + bytes(32)
    with socket.create_connection(("127.0.0.1", port)) as raw:
        raw.sendall(greeting + then)
        eventually(lambda: found)
    assert found == [f"requests: a connection was rejected: {sentence}"]


def _rejected(run: Path, port: int, keys: Path | None) -> str:
    """What a caller with these keys is told of the node. A busy machine takes longer until it was
    rejected often enough."""
    hosts = {"server": {"host": "127.0.0.1", "port": port}}
    told = ""
    with contextlib.closing(Bus(run, "client", hosts, keys=keys)) as bus:
        for seconds in (3.0, 30.0):
            with pytest.raises(DeadlineExceeded) as error:
                bus.call(DO, Do(), timeout=seconds)
            before, _, told = str(error.value).partition("it rejects the connection; ")
            assert before.startswith(f"server/do: no reply from server within {seconds:g} seconds:")
            if told:
                break
    return told


def test_a_caller_is_told_that_its_keys_do_not_fit(
    keys: Path, reported: tuple[int, list[str]]
) -> None:
    """It may be on the machine whose keys are wrong, and the node's log on another one."""
    port, _ = reported
    run = keys.parent / "run"
    assert _rejected(run, port, None) == "it has keys, and this process uses none for it"
    others = keys.parent / "others"
    make_keys(others, ["server", "client"])
    assert _rejected(run, port, others) == (
        "its keys and those of this process do not fit: they were not made together"
    )
    shutil.copy(keys / "server.key", others)
    (others / "server.key_secret").unlink()
    (keys / "client.key").unlink()
    assert _rejected(run, port, others) == (
        "it does not accept the key of this process, which its keys folder lacks"
    )


def test_a_node_that_stopped_no_longer_counts_as_one_that_rejects(keys: Path) -> None:
    port = free_port()
    with zmq.Context() as context:
        listening: Any = context.socket(zmq.ROUTER)
        listening.bind(f"tcp://127.0.0.1:{port}")  # without keys
        address = f"tcp://127.0.0.1:{port}"
        public, secret = read_pair(keys, "tools")
        connection = Connection(context, address, lambda s: _use(s, public, secret, public))
        with contextlib.closing(connection):
            eventually(lambda: connection.watch() or connection.rejected)
            assert connection.rejected == "it has no keys, and this process uses keys for it"
            listening.close()
            eventually(lambda: connection.watch() or not connection.rejected)


def test_a_caller_is_connected_once_the_node_has_its_key(
    keys: Path, reported: tuple[int, list[str]]
) -> None:
    """ZeroMQ gives up a connection that was rejected for good."""
    port, found = reported
    hosts = {"server": {"host": "127.0.0.1", "port": port}}
    public = (keys / "client.key").rename(keys.parent / "client.key")
    with contextlib.closing(Bus(keys.parent / "run", "client", hosts, keys=keys)) as bus:
        heard: list[str] = []

        def copied() -> None:
            eventually(lambda: found)
            heard.append(found[0])
            public.rename(keys / "client.key")

        copying = threading.Thread(target=copied)
        copying.start()
        assert bus.call(DO, Do(note="at last"), timeout=60.0).note == "at last"
        copying.join()
    assert "its key is not among those that this node accepts" in heard[0]


@pytest.mark.parametrize("way", ["unix", "tcp", "tcp with keys"])
def test_clients_that_gave_up_on_a_stopped_node_are_not_reported(tmp_path: Path, way: str) -> None:
    """Their connections end in their handshake (EPIPE) once the node goes on."""
    hosts = {} if way == "unix" else {"server": {"host": "127.0.0.1", "port": free_port()}}
    run = make_run(tmp_path, hosts=hosts)
    if "keys" in way:
        make_keys(run / "keys", ["server", "tools"])
    process = Process(SERVER, run)
    bus = Bus(run, hosts=hosts)
    found: list[Diagnostic] = []
    bus.subscribe(diagnostics("server"), found.append)
    bus.subscribe(LATEST, lambda _: None)
    try:
        assert bus.call(DO, Do(note="before"), PATIENCE).note == "before"
        os.kill(process.popen.pid, signal.SIGSTOP)
        for _ in range(3):
            with contextlib.closing(Bus(run, hosts=hosts)) as other, pytest.raises(BusError):
                other.call(DO, Do(note="meanwhile"), timeout=0.5)
        os.kill(process.popen.pid, signal.SIGCONT)
        assert bus.call(DO, Do(note="after"), PATIENCE).note == "after"
        for _ in range(20):  # longer than a guard takes to look
            bus.spin_once(0.1)
        assert found == []
        assert "a connection" not in (run / "server" / "node.log").read_text()
    finally:
        bus.close()
        process.kill()
