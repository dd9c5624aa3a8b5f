"""Nodes on other machines: keys, what is refused before anything starts, files that come back.

The last test runs the steps of docs/several_machines.md between two network namespaces, which are
two machines as far as the network goes.
"""

import json
import re
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import yaml

import rlgpt
from messages.bus import Bus, RemoteError
from messages.bus.network.curve import make_keys
from messages.empty import Empty
from messages.files import FileEntry, FilePart, Files, ReadFile, list_files, read_file
from nodes.common.running.process import hold
from rlgpt.connecting import StackError
from rlgpt.launching.collecting import collect
from rlgpt.runs.launches import LaunchRecord
from tests.bus_processes import free_port
from tests.launch_toys.launched import (
    CHECKOUT,
    PATIENCE,
    environment,
    eventually,
    failed,
    printed,
    refused,
)
from tests.launch_toys.launched import rlgpt as command
from tests.launching.two_machines import A, Machine, machines, make_tools

__all__ = ["machines"]  # a fixture

FAR = {
    "seed": 0,
    "keys": "../keys",
    "hosts": {"first": {"host": "192.0.2.7", "port": 7000}},
    "nodes": {
        "first": {"module": "tests.launch_toys.first"},
        "second": {"module": "tests.launch_toys.second"},
    },
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "far.yaml").write_text(yaml.safe_dump(FAR))
    return tmp_path


def test_keys_are_made_once_and_what_to_copy_is_printed(place: Path) -> None:
    done = command("keys", "far", cwd=place)
    assert done.returncode == 0, done.stderr
    keys = place / "runs" / "keys"
    names = ("first", "second", "launcher", "tools")
    found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in keys.iterdir()}
    assert found == {f"{n}.{end}": 0o600 for n in names for end in ("key", "key_secret")}
    assert stat.S_IMODE(keys.stat().st_mode) == 0o700
    assert done.stdout.splitlines()[:4] == [
        "made 4 key pairs in runs/keys",
        "to the machine 192.0.2.7, for first, copy by a way that you trust",
        "    runs/keys/*.key",
        "    runs/keys/first.key_secret",
    ]
    before = {path: path.read_bytes() for path in keys.iterdir()}
    assert "has the keys of all these nodes" in refused("keys", "far", cwd=place)
    # A node that came later gets its own, and the others keep theirs.
    more = {**FAR, "nodes": {**FAR["nodes"], "third": {"module": "tests.launch_toys.third"}}}
    (place / "launch" / "far.yaml").write_text(yaml.safe_dump(more))
    assert command("keys", "far", cwd=place).stdout.startswith("made 1 key pairs in runs/keys\n")
    assert (keys / "third.key_secret").is_file()
    assert before == {path: path.read_bytes() for path in before}
    # The copy for one machine lacks secret keys; new ones made there would match no other machine.
    (keys / "second.key_secret").unlink()
    assert "has the public key of second without the secret" in refused("keys", "far", cwd=place)
    assert before[keys / "second.key"] == (keys / "second.key").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["keys", "far", "hosts=null"], "far names no hosts: all its nodes are on one machine"),
        (
            ["keys", "far", "keys=null"],
            "put them beside it with keys=../keys, or name it with run=",
        ),
        (["keys", "far", "sede=1"], "did you mean `seed`"),
        (
            ["launch", "far"],
            "hosts: first is at 192.0.2.7, which is not this machine: leave it out",
        ),
        (
            ["launch", "far", "hosts.launcher={host: 192.0.2.8, port: 7002}", "-first"],
            "hosts.launcher: 192.0.2.8 is not this machine; launch it there",
        ),
        (
            ["launch", "far", "hosts.first.host=no.such.machine.invalid", "-first"],
            "hosts.first.host: there is no machine called 'no.such.machine.invalid'",
        ),
    ],
)
def test_invalid_hosts_and_keys_are_refused_before_a_run_folder_is_made(
    place: Path, arguments: list[str], words: str
) -> None:
    if "hosts=null" in arguments:
        (place / "launch" / "far.yaml").write_text(yaml.safe_dump({**FAR, "hosts": {}}))
        arguments = arguments[:2]
    assert words in refused(*arguments, cwd=place)
    assert not (place / "runs").exists()


def test_a_launch_without_its_keys_is_refused_before_a_node_starts(place: Path) -> None:
    sentence = failed("launch", "far", "-first", "run=runs/it", cwd=place, code=2)
    assert f"{place}/runs/keys/first.key is missing and 2 more; `rlgpt keys` makes" in sentence
    assert not (place / "runs" / "it").exists()


def test_a_tool_without_its_key_is_refused_and_does_not_wait(place: Path) -> None:
    """It used to hear nothing, and say that no node runs."""
    run = place / "runs" / "it"
    run.mkdir(parents=True)
    (run / "config.yaml").write_text(yaml.safe_dump({**FAR, "name": "far", "run": str(run)}))
    make_keys(place / "runs" / "keys", ["first"])
    missing = f"{place}/runs/keys/tools.key_secret is missing; `rlgpt keys` makes them"
    assert missing in refused("topic", "echo", "first/heartbeat", "--run", "it", cwd=place)
    with pytest.raises(StackError, match=re.escape(missing)):
        rlgpt.connect(run)


@pytest.fixture
def near(place: Path) -> Path:
    """As `place`, with both nodes on this machine and keys made: they are used on TCP here, too."""
    hosts = {"first": {"host": "127.0.0.1", "port": free_port()}}
    (place / "launch" / "far.yaml").write_text(yaml.safe_dump({**FAR, "hosts": hosts}))
    make_keys(place / "runs" / "keys", ["first", "second", "launcher", "tools"])
    return place


@pytest.mark.parametrize("name", ["first", "second", "launcher"])
def test_a_launch_with_anothers_secret_key_is_refused(near: Path, name: str) -> None:
    """It used to wait without an end, and to report that no ZeroMQ peer had been rejected."""
    keys = near / "runs" / "keys"
    shutil.copy(keys / "tools.key_secret", keys / f"{name}.key_secret")
    sentence = failed("launch", "far", "run=runs/it", cwd=near, code=2)
    assert sentence.startswith(
        f"rlgpt: {keys}/{name}.key_secret does not fit {keys}/{name}.key: one of the two is "
    )
    assert sentence.count("\n") == 1
    assert not (near / "runs" / "it").exists()


@pytest.mark.parametrize("content", [b"", b"\0\1garbage"])
@pytest.mark.parametrize("name", ["first.key", "second.key", "tools.key", "first.key_secret"])
def test_a_launch_with_a_damaged_key_is_refused(near: Path, name: str, content: bytes) -> None:
    path = near / "runs" / "keys" / name
    path.write_bytes(content)
    assert f"rlgpt: {path} is not a key: " in refused("launch", "far", "run=runs/it", cwd=near)
    assert not (near / "runs" / "it").exists()


def test_the_advice_about_a_damaged_or_lost_key_helps(near: Path) -> None:
    """`rlgpt keys` makes no second key, and what it refuses is not given as advice."""
    keys = near / "runs" / "keys"
    again = "delete the folder there, make new keys with `rlgpt keys NAME` and copy them again"
    (keys / "second.key_secret").unlink()
    assert again in refused("launch", "far", "run=runs/it", cwd=near)
    assert again in refused("keys", "far", cwd=near)
    (keys / "second.key").unlink()  # of neither half is anything left: it can be made
    (keys / "first.key_secret").write_bytes(b"")
    (keys / "first.key_secret").chmod(0o600)
    assert "first.key_secret is not a key" in refused("keys", "far", cwd=near)
    shutil.rmtree(keys)
    assert command("keys", "far", cwd=near).returncode == 0
    (keys / "first.key").unlink()
    assert again in refused("launch", "far", "run=runs/it", cwd=near)
    assert again in refused("keys", "far", cwd=near)


@pytest.mark.parametrize("hosts", [True, False])
def test_keys_that_are_named_and_not_there_are_refused_on_one_machine(
    near: Path, hosts: bool
) -> None:
    """They used to be left out, and the node to listen without keys."""
    if not hosts:
        (near / "launch" / "far.yaml").write_text(yaml.safe_dump({**FAR, "hosts": {}}))
    sentence = refused("launch", "far", "keys=../other", "run=runs/it", cwd=near)
    assert f"rlgpt: keys: there is no folder {near}/runs/other; `rlgpt keys NAME` " in sentence
    assert not (near / "runs" / "it").exists()


@pytest.mark.parametrize("wrong", ["another's", "damaged", "lost", "no folder"])
def test_a_node_whose_key_cannot_be_used_ends_with_code_2_and_names_the_file(
    near: Path, wrong: str
) -> None:
    run, keys = near / "runs" / "it", near / "runs" / "keys"
    run.mkdir()
    launch = yaml.safe_load((near / "launch" / "far.yaml").read_text())
    (run / "config.yaml").write_text(yaml.safe_dump({**launch, "name": "far", "run": str(run)}))
    secret = keys / "first.key_secret"
    words = {
        "another's": f"{secret} does not fit {keys}/first.key: ",
        "damaged": f"{secret} is not a key: ",
        "lost": f"{secret} is missing: copy it from ",
        "no folder": f"there is no folder {keys}; ",
    }[wrong]
    match wrong:
        case "another's":
            shutil.copy(keys / "second.key_secret", secret)
        case "damaged":
            secret.write_bytes(b"x")
        case "lost":
            secret.unlink()
        case _:
            shutil.rmtree(keys)
    line = [sys.executable, "-m", "tests.launch_toys.filer", "--run", str(run), "--name", "first"]
    node = subprocess.run(
        line, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert node.returncode == 2, node.stderr
    assert node.stderr.startswith("first: ")
    assert node.stderr.count("\n") == 1
    assert words in node.stderr


@pytest.fixture
def far(tmp_path: Path) -> Iterator[tuple[Path, Path, Bus]]:
    """A node with a run folder of its own, another run folder, and a bus of the latter."""
    here, there = tmp_path / "here" / "run", tmp_path / "there" / "run"
    hosts = {"filer": {"host": "127.0.0.1", "port": free_port()}}
    for run in (here, there):
        run.mkdir(parents=True)
        launch = {"nodes": {"filer": {}}, "hosts": hosts, "keys": "../keys"}
        (run / "config.yaml").write_text(yaml.safe_dump(launch))
    make_keys(here.parent / "keys", ["filer", "tools"])
    shutil.copytree(here.parent / "keys", there.parent / "keys")
    line = [sys.executable, "-m", "tests.launch_toys.filer", "--run", str(there)]
    node = subprocess.Popen(line, env=environment(), stderr=subprocess.DEVNULL)
    bus = Bus(here, hosts=hosts, keys=here.parent / "keys")
    try:
        yield here, there, bus
    finally:
        bus.close()
        node.terminate()
        node.wait(PATIENCE)


def test_files_of_a_node_on_another_machine_are_collected(far: tuple[Path, Path, Bus]) -> None:
    here, there, bus = far
    bus.call(list_files("filer"), Empty(), timeout=PATIENCE)
    sentences = collect(bus, here, ["filer"])
    assert re.match(r"\d files of filer were brought to run/filer$", sentences[0]), sentences
    found = {str(p.relative_to(here / "filer")) for p in (here / "filer").rglob("*") if p.is_file()}
    assert found == {"films/large.mp4", "films/empty.mp4", "note.txt", "grows", "node.log"}
    for name in ("films/large.mp4", "note.txt"):
        assert (here / "filer" / name).read_bytes() == (there / "filer" / name).read_bytes()
    # It grew while it was read, and what came is what it began with.
    now = (there / "filer" / "grows").read_bytes()
    assert now.startswith((here / "filer" / "grows").read_bytes())
    # What is here already is not brought again; what is wrong here is.
    (here / "filer" / "note.txt").write_text("something else")
    before = (here / "filer" / "films" / "large.mp4").stat()
    collect(bus, here, ["filer"])
    after = (here / "filer" / "films" / "large.mp4").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert (here / "filer" / "note.txt").read_text() == "seen from afar"


@pytest.mark.parametrize(
    "path", ["secret", "../config.yaml", "films/linked.mp4", "films/.draft.mp4", "/etc/passwd", ""]
)
def test_files_outside_what_a_node_offers_are_not_sent(
    far: tuple[Path, Path, Bus], path: str
) -> None:
    _, _, bus = far
    with pytest.raises(RemoteError, match="that is handed over") as error:
        bus.call(read_file("filer"), ReadFile(path=path), timeout=PATIENCE)
    assert error.value.code == "unknown_file"


def test_files_of_a_node_that_runs_in_the_same_folder_are_not_collected(tmp_path: Path) -> None:
    hosts = {"filer": {"host": "127.0.0.1", "port": free_port()}}
    bus = Bus(tmp_path, hosts=hosts)
    try:
        (tmp_path / "filer").mkdir()
        with hold(tmp_path / "filer" / "lock", "filer"):
            assert "filer runs in this folder" in collect(bus, tmp_path, ["filer"])[0]
    finally:
        bus.close()


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("../outside", "leads out of the folder"),
        ("/outside", "leads out of the folder"),
        ("a\0b", "leads out of the folder"),
        ("link/outside", "by a link"),
        ("large", "is 9536 MiB; at most 256"),
        ("changes", "changes while it is read"),
    ],
)
def test_collected_files_are_written_only_into_their_nodes_folder(
    tmp_path: Path, path: str, why: str
) -> None:
    """A node that was taken over hands over what it likes; it is the collector that has to hold."""
    size = 10**10 if path == "large" else 3
    other, stop = Bus(tmp_path / "there", "filer"), threading.Event()
    entry = FileEntry(path=path, size=size, digest="0" * 64)
    other.serve(list_files("filer"), lambda _: Files(files=[entry]))
    other.serve(read_file("filer"), lambda _: FilePart(data=b"bad"))
    thread = threading.Thread(target=other.spin, args=(stop,))
    thread.start()
    run, bus = tmp_path / "here", Bus(tmp_path / "there")
    (run / "filer").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (run / "filer" / "link").symlink_to(tmp_path / "elsewhere")
    try:
        sentences = collect(bus, run, ["filer"])
        assert sentences[0].startswith("0 files of filer were brought to here/filer; 1 were not: ")
        assert why in sentences[0]
        assert [p.name for p in (run / "filer").iterdir()] == ["link"]
        assert list((tmp_path / "elsewhere").iterdir()) == []
    finally:
        stop.set()
        other.wake()
        thread.join()
        bus.close()
        other.close()


def test_a_run_that_another_machine_launched_is_not_said_to_be_over(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its folder is on a disk of both."""
    run = place / "runs" / "it"
    run.mkdir(parents=True)
    config = {**FAR, "name": "far", "run": str(run), "hosts": {}, "keys": None}
    (run / "config.yaml").write_text(yaml.safe_dump(config))
    record = LaunchRecord(began=1e9, host="b.example")
    (run / "launches.json").write_bytes(msgspec.json.encode([record]))
    about = "not running on this machine: it was launched on b.example, and has not ended"
    for words in (["node", "list"], ["node", "info", "first"], ["topic", "list"]):
        assert about in refused(*words, cwd=place)
    assert "launched on b.example, and not ended" in printed("runs", "--json", cwd=place)
    ended = msgspec.structs.replace(record, ended=1e9 + 1, how="interrupted", text="SIGINT")
    (run / "launches.json").write_bytes(msgspec.json.encode([ended]))
    assert "it is not running; `rlgpt resume it` starts" in refused("node", "list", cwd=place)
    # The folder is only of this machine, and the launcher has no address.
    (run / "launches.json").unlink()
    (run / "config.yaml").write_text(yaml.safe_dump({**FAR, "name": "far", "run": str(run)}))
    make_keys(place / "runs" / "keys", ["first", "second", "launcher", "tools"])
    assert "give `launcher` an address in `hosts`" in refused("node", "list", cwd=place)


def test_nodes_of_a_launcher_with_an_address_are_listed_on_another_machine(
    tmp_path: Path, machines: tuple[str, str]
) -> None:
    here, there = (tmp_path / name for name in ("a", "b"))
    tools = make_tools(tmp_path, there)
    (here / "launch").mkdir(parents=True)
    (there / "runs" / "far").mkdir(parents=True)
    a, b = Machine(machines[0], here, tools), Machine(machines[1], there, tools)
    hosts = {"launcher": {"host": A, "port": 7000}, "talker": {"host": A, "port": 7002}}
    nodes = {"talker": {"module": "tests.launch_toys.talker"}, "second": FAR["nodes"]["second"]}
    launch_file = yaml.safe_dump({**FAR, "hosts": hosts, "nodes": nodes})
    (here / "launch" / "far.yaml").write_text(launch_file)
    a.do("rlgpt keys far")
    shutil.copytree(here / "runs" / "keys", there / "runs" / "keys")
    launch = a.start("rlgpt launch far run=runs/far")
    try:
        eventually(lambda: "all nodes are ready" in a.output(), a.output)
        shutil.copy(here / "runs/far/config.yaml", there / "runs/far/config.yaml")
        b.do("rlgpt node list --run runs/far")
        assert re.search(r"^talker +ready ", b.output(), flags=re.M), b.output()
        assert re.search(r"^second +ready ", b.output(), flags=re.M), b.output()
        b.do("rlgpt node info talker --run runs/far")
        assert re.search(r"^state +ready", b.output(), flags=re.M), b.output()
    finally:
        launch.terminate()
        launch.wait(PATIENCE)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_commands_of_the_page_run_a_node_on_another_machine(
    tmp_path: Path, machines: tuple[str, str]
) -> None:
    page = (CHECKOUT / "docs" / "several_machines.md").read_text()
    launch_file = re.search(r"```yaml\n(# launch/far.yaml\n.*?)```", page, flags=re.S)
    assert launch_file is not None
    place, keys, launching, copying, running = re.findall(r"```sh\n(.*?)```", page, flags=re.S)
    here, there = (tmp_path / name for name in ("a", "b"))
    tools = make_tools(tmp_path, there)
    for folder in (here / "launch", there):
        folder.mkdir(parents=True)
    a, b = Machine(machines[0], here, tools), Machine(machines[1], there, tools)
    (here / "launch" / "far.yaml").write_text(launch_file[1] + "limits: {iterations: 1}\n")
    b.do(place)
    a.do(keys)
    node: subprocess.Popen[str] | None = None
    launch = a.start(launching.strip())
    try:
        eventually(lambda: (here / "runs/far/config.yaml").exists(), a.output)
        a.do(copying)
        node = b.start(running.strip())
        assert launch.wait(1500) == 0, (a.output(), b.output())
        assert node.poll() is None
    finally:
        for process in filter(None, (launch, node)):
            process.terminate()
            process.wait(PATIENCE)
    run, other = here / "runs" / "far", there / "runs" / "far"
    assert "files of env_server were brought to far/env_server" in a.output()
    films = [path.relative_to(other) for path in other.glob("env_server/videos/*.mp4")]
    assert films
    for film in films:
        assert (run / film).read_bytes() == (other / film).read_bytes()
    summary = json.loads((run / "summary.json").read_text())
    assert summary["iterations"][0]["episodes"] > 0
    assert summary["env_server_steps"] == int((other / "env_server" / "steps").read_text())
    assert summary["samples"]["total"] > 0
    assert "data:video/mp4;base64," in (run / "report.html").read_text()
    assert not (other / "planner").exists()
    # It was reached by the network: there is no socket of the env server on the first machine.
    assert not (run / "s" / "env_server.srv").exists()
