"""The parts of ``engine=ray`` that need no cluster: a node's process on its host, the way to it,
and its files."""

import contextlib
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from messages.bus import Bus, BusError
from messages.bus.network.curve import make_keys
from messages.empty import Empty
from messages.files import list_files
from rlgpt.cluster.bringing import Bringing
from rlgpt.cluster.cluster_room import check_room
from rlgpt.cluster.forwarding import Forwarder
from rlgpt.cluster.found_cluster import Cluster, HostFound
from rlgpt.cluster.host_choice import with_places
from rlgpt.cluster.host_process import HostProcess
from rlgpt.composing.configuration import Resources, check
from rlgpt.refused import Refused
from tests.bus_processes import free_port
from tests.launch_toys.launched import PATIENCE

HOST = "127.0.0.1"
NODE = "filer"


@pytest.fixture
def host() -> Iterator[HostProcess]:
    made = HostProcess()
    yield made
    made.signal(signal.SIGKILL)
    made.discard()


def files(run: Path, port: int) -> dict[str, bytes]:
    """What goes to the host."""
    keys = run / "keys"
    make_keys(keys, [NODE, "other", "tools"])
    config = {"nodes": {NODE: {}}, "hosts": {NODE: {"host": HOST, "port": port}}}
    sent = {path.name: path for path in keys.glob("*.key")}
    sent[f"{NODE}.key_secret"] = keys / f"{NODE}.key_secret"
    return {
        "config.yaml": yaml.safe_dump(config).encode(),
        **{f"keys/{name}": path.read_bytes() for name, path in sent.items()},
    }


def begin(host: HostProcess, run: Path, here: int, without: str = "") -> int:
    """Send what a node needs, and start it. Returns its port."""
    port, there = host.free_port(HOST), host.run_folder()
    sent = files(run, here)
    config = yaml.safe_load(sent["config.yaml"]) | {"run": there, "keys": "keys"}
    config["hosts"][NODE]["port"] = port
    sent["config.yaml"] = yaml.safe_dump(config).encode()
    for name, content in sent.items():
        if name != without:
            host.put(name, 0, content)
    assert host.start("tests.launch_toys.filer", ["--run", there]) == ""
    return port


def until(host: HostProcess, wanted: str) -> tuple[str, int | None]:
    """All that the process printed, once it is ready or has ended."""
    text, until = b"", time.monotonic() + PATIENCE
    while time.monotonic() < until:
        more, ready, code = host.wait(1.0, len(text))
        text += more
        if (wanted == "ready" and ready) or (wanted == "end" and code is not None and not more):
            return text.decode(), code
    raise AssertionError(text.decode())


def test_a_node_is_reached_at_its_fixed_address_wherever_it_runs(
    tmp_path: Path, host: HostProcess
) -> None:
    here = free_port()
    (tmp_path / NODE).mkdir()
    port = begin(host, tmp_path, here)
    assert until(host, "ready")[1] is None
    ways = [Forwarder((HOST, here + side), (HOST, port + side)) for side in (0, 1)]
    hosts = {NODE: {"host": HOST, "port": here}}
    bus = Bus(tmp_path, hosts=hosts, keys=tmp_path / "keys")
    try:
        listed = bus.call(list_files(NODE), Empty(), timeout=PATIENCE).files
        assert listed
        bringing = Bringing(tmp_path / NODE, lambda *where: host.part(NODE, *where))
        host.signal(signal.SIGTERM)
        text, code = until(host, "end")
        assert code == 0, text
        assert bringing.bring(host.files(NODE)) == []
        for entry in listed:
            assert (tmp_path / NODE / entry.path).is_file()
        assert not (tmp_path / NODE / "lock").exists()
    finally:
        for way in ways:
            way.close()
        bus.close()


def test_without_its_key_a_client_is_kept_out(tmp_path: Path, host: HostProcess) -> None:
    here = free_port()
    port = begin(host, tmp_path, here)
    until(host, "ready")
    way = Forwarder((HOST, here), (HOST, port))
    stranger = tmp_path / "stranger"
    make_keys(stranger / "keys", [NODE, "tools"])
    (stranger / "keys" / f"{NODE}.key").write_bytes((tmp_path / f"keys/{NODE}.key").read_bytes())
    hosts = {NODE: {"host": HOST, "port": here}}
    bus = Bus(stranger, hosts=hosts, keys=stranger / "keys")
    known = Bus(tmp_path, hosts=hosts, keys=tmp_path / "keys")
    try:
        with pytest.raises(BusError):
            bus.call(list_files(NODE), Empty(), timeout=2.0)
        known.call(list_files(NODE), Empty(), timeout=PATIENCE)  # it was the key
    finally:
        way.close()
        bus.close()
        known.close()


def test_a_killed_node_ends_with_its_signal(tmp_path: Path, host: HostProcess) -> None:
    begin(host, tmp_path, free_port())
    until(host, "ready")
    host.signal(signal.SIGKILL)
    assert until(host, "end")[1] == -signal.SIGKILL


def test_a_node_that_is_refused_ends_with_its_code_and_its_sentence(
    tmp_path: Path, host: HostProcess
) -> None:
    begin(host, tmp_path, free_port(), without=f"keys/{NODE}.key_secret")
    text, code = until(host, "end")
    assert code == 2
    assert "key" in text
    assert "Traceback" not in text


def test_both_ends_notice_that_the_way_is_closed() -> None:
    node = socket.create_server((HOST, 0))
    here = free_port()
    way = Forwarder((HOST, here), node.getsockname())
    client = socket.create_connection((HOST, here), PATIENCE)
    inside, _ = node.accept()
    inside.settimeout(PATIENCE)
    data = bytes(range(256)) * 8192  # more than a socket holds
    sender = threading.Thread(target=client.sendall, args=(data,))
    sender.start()
    got = b""
    while len(got) < len(data):
        got += inside.recv(1 << 16)
    sender.join()
    assert got == data
    way.close()
    assert client.recv(1) == b""
    assert inside.recv(1) == b""
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((HOST, here), PATIENCE)
    for each in (client, inside, node):
        each.close()


def test_a_node_that_has_ended_counts_as_absent_not_as_one_with_other_keys(
    tmp_path: Path, host: HostProcess
) -> None:
    here = free_port()
    (tmp_path / NODE).mkdir()
    port = begin(host, tmp_path, here)
    until(host, "ready")
    ways = [Forwarder((HOST, here + side), (HOST, port + side)) for side in (0, 1)]
    bus = Bus(tmp_path, hosts={NODE: {"host": HOST, "port": here}}, keys=tmp_path / "keys")
    try:
        bus.call(list_files(NODE), Empty(), timeout=PATIENCE)
        host.signal(signal.SIGKILL)
        until(host, "end")
        with pytest.raises(BusError) as absent:
            bus.call(list_files(NODE), Empty(), timeout=3.0)
        assert "keys" not in str(absent.value)
    finally:
        for way in ways:
            way.close()
        bus.close()


@pytest.mark.parametrize(
    ("path", "size", "why"),
    [
        ("../outside", 3, "leads out of the folder"),
        ("/outside", 3, "leads out of the folder"),
        ("a\0b", 3, "leads out of the folder"),
        ("link/outside", 3, "by a link"),
        ("large", 10**10, "is 9536 MiB; at most 4096"),
    ],
)
def test_files_are_written_only_into_their_nodes_folder(
    tmp_path: Path, path: str, size: int, why: str
) -> None:
    folder = tmp_path / "filer"
    folder.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    (problem,) = Bringing(folder, lambda *_: b"bad").bring([(path, size, 0, 0)])
    assert why in problem
    assert [each.name for each in folder.iterdir()] == ["link"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_only_what_has_changed_is_brought(tmp_path: Path) -> None:
    asked: list[str] = []

    def part(path: str, offset: int, number: int) -> bytes:
        asked.append(path)
        return b"rows"[offset:]

    bringing = Bringing(tmp_path, part)
    bringing.have([("sent", 4, 1, 1)])
    assert bringing.bring([("sent", 4, 1, 1), ("log", 4, 1, 2)]) == []
    assert bringing.bring([("sent", 4, 1, 1), ("log", 4, 1, 2)]) == []
    assert asked == ["log"]
    assert bringing.bring([("sent", 4, 1, 3), ("log", 4, 2, 2)]) == []
    assert asked == ["log", "sent", "log"]
    (tmp_path / "of_the_launcher").touch()
    assert bringing.bring([("sent", 4, 1, 3)]) == []  # the log was deleted there
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.write_bytes(b"mine")
    bringing.have([(f"../{outside.name}", 4, 1, 1)])
    assert bringing.bring([]) == []
    assert outside.read_bytes() == b"mine"
    assert {path.name for path in tmp_path.iterdir()} == {"sent", "of_the_launcher"}


def test_a_journal_that_its_database_no_longer_has_goes(tmp_path: Path) -> None:
    for name in ("goals.sqlite", "goals.sqlite-wal", "kept.txt"):
        (tmp_path / name).write_bytes(b"old")
    bringing = Bringing(tmp_path, lambda _, offset, number: b"new"[offset:])
    assert bringing.bring([("goals.sqlite", 3, 1, 1)]) == []
    there = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert there == {"goals.sqlite": b"new", "kept.txt": b"old"}


def test_a_database_that_is_being_changed_is_brought_whole(
    tmp_path: Path, host: HostProcess
) -> None:
    there = Path(host.run_folder()) / NODE
    there.mkdir()
    table = sqlite3.connect(there / "goals.sqlite", isolation_level=None)
    table.execute("pragma journal_mode=wal")
    table.execute("pragma wal_autocheckpoint=0")
    table.execute("create table goals (id)")
    bringing = Bringing(tmp_path / NODE, lambda *where: host.part(NODE, *where))

    def here() -> list[tuple[Any, ...]]:
        assert bringing.bring(host.files(NODE)) == []
        with contextlib.closing(sqlite3.connect(tmp_path / NODE / "goals.sqlite")) as copy:
            return copy.execute("select * from goals").fetchall()

    for number in range(3):  # in the journal alone
        assert here() == [(each,) for each in range(number)]
        table.execute("insert into goals values (?)", (number,))
    table.execute("begin immediate")
    table.execute("insert into goals values (9)")
    assert here() == [(0,), (1,), (2,)]
    assert [path.name for path in (tmp_path / NODE).iterdir()] == ["goals.sqlite"]


def test_a_checkpoint_that_is_replaced_while_it_is_brought_comes_whole(
    tmp_path: Path, host: HostProcess
) -> None:
    there = Path(host.run_folder()) / NODE
    there.mkdir()
    (there / "checkpoint").write_bytes(b"1" * (3 << 20))
    parts: list[int] = []

    def part(path: str, offset: int, number: int) -> bytes:
        parts.append(offset)
        if len(parts) == 2:
            (there / "new").write_bytes(b"2" * (3 << 20))
            (there / "new").replace(there / "checkpoint")
        return host.part(NODE, path, offset, number)

    bringing = Bringing(tmp_path / NODE, part)
    assert bringing.bring(host.files(NODE)) == []
    assert (tmp_path / NODE / "checkpoint").read_bytes() == b"1" * (3 << 20)
    assert bringing.bring(host.files(NODE)) == []
    assert (tmp_path / NODE / "checkpoint").read_bytes() == b"2" * (3 << 20)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"gpus": 1}, "nodes.learner.resources: no host of the cluster has 1 GPUs; the most is 0"),
        ({"cpus": 9}, "no host of the cluster has 9 CPUs; the most is 4"),
        ({"cpus": 0, "others": {"fast": 2}}, "has 2 fast; the most is 1"),
        ({"cpus": 3, "others": {"fast": 1}}, "no one host of the cluster has all of them: 3 CPUs"),
        ({"cpus": 2, "others": {"fast": 1}}, ""),
    ],
)
def test_resources_that_no_host_has_are_refused(wanted: dict[str, Any], words: str) -> None:
    cluster = Cluster(
        address="10.0.0.1:6379",
        host="10.0.0.1",
        hosts=[
            HostFound(address="10.0.0.1", cpus=4),
            HostFound(address="10.0.0.2", cpus=2, others={"fast": 1}),
        ],
    )
    resources = {"learner": Resources(**wanted)}
    if not words:
        check_room(resources, cluster)
        return
    with pytest.raises(Refused) as refused:
        check_room(resources, cluster)
    assert words in refused.value.sentence


def test_a_placed_learner_reaches_the_language_model(tmp_path: Path) -> None:
    nodes = {"planner": {}, "llm": {}, "learner": {"resources": {"cpus": 2}}, "env_server": {}}
    data = {"name": "it", "run": "", "engine": "ray", "nodes": nodes}
    placed = with_places(data, check(data, "it"), tmp_path, HOST)
    assert set(placed["hosts"]) == {"env_server", "learner", "llm"}
    assert (tmp_path / "keys" / "llm.key_secret").exists()
    del nodes["learner"]["resources"]
    placed = with_places(data, check(data, "it"), tmp_path, HOST)
    assert set(placed["hosts"]) == {"env_server"}
