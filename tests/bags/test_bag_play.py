"""`rlgpt bag play`: a node works with what was recorded in place of another one."""

import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from messages.codec import encode, snapshot
from rlgpt.bags.bag_player import _Contents
from rlgpt.bags.bag_writer import BagWriter
from rlgpt.bags.message_maps import joined
from tests.bags.bag_stack import Number
from tests.launch_toys.launched import (
    Launched,
    command,
    environment,
    eventually,
    launched,
    refused,
    rlgpt,
)

LAUNCH = {
    "seed": 0,
    "nodes": {
        "doubler": {"module": "tests.launch_toys.doubler"},
        "asker": {"module": "tests.launch_toys.asker", "after": ["doubler"]},
    },
}
ANSWERS = [
    "1 -> 1002",
    "1 -> 2002",
    "2 -> 3004 [0, 2, 4]",
    "negative: a number below 0 is not doubled",
    "counted 503",
    "far: that is too far to count",
    "done",
]


def answers(run: Path) -> list[str]:
    """What the asker was answered, without the ticks."""
    path = run / "asker" / "answers"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [line for line in lines if not line.startswith("tick")]


def ticks(run: Path) -> int:
    return (run / "asker" / "answers").read_text("utf-8").count("tick")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was recorded and has ended."""
    place = tmp_path_factory.mktemp("bag-play")
    (place / "launch").mkdir()
    (place / "launch" / "toys.yaml").write_text(yaml.safe_dump(LAUNCH))
    run = place / "it"
    with launched("launch", "--bag", "toys", "run=it", cwd=place, run=run) as launch:
        eventually(lambda: "done" in answers(run) and ticks(run) == 2)
        launch.stop()
    assert answers(run) == ANSWERS
    return run


def bag_of(run: Path) -> Path:
    (bag,) = (run / "bags").iterdir()
    return bag


@pytest.fixture
def run(original: Path, tmp_path: Path) -> Path:
    """A copy of it, in which the asker has forgotten everything."""
    run = tmp_path / "copy"
    shutil.copytree(original, run, ignore=shutil.ignore_patterns("s", "lock", "asker", "doubler"))
    text = (run / "config.yaml").read_text()
    (run / "config.yaml").write_text(text.replace(str(original), str(run)))
    return run


@contextmanager
def background(run: Path, *arguments: str) -> Iterator[Launched]:
    process = subprocess.Popen(
        command(*arguments, "--run", str(run)),
        cwd=run.parent,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    started = Launched(process, run)
    try:
        yield started
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)  # `rlgpt run` leaves Ctrl-C to the node
        started.ended()
        assert process.stdout is not None
        process.stdout.close()


def test_a_played_bag_answers_a_nodes_requests_as_recorded(run: Path) -> None:
    bag = bag_of(run)
    with background(run, "bag", "play", str(bag), "--replace", "doubler", "--rate", "0") as played:
        played.wait_for("playing ")
        with background(run, "run", "asker"):
            eventually(lambda: "done" in answers(run), lambda: answers(run) and played.text)
    assert answers(run) == ANSWERS
    assert "answered 8 requests, 0 of them with the last answer again; 0 were not" in played.text


def test_an_unrecorded_request_gets_an_error_that_states_it(run: Path) -> None:
    bag = bag_of(run)
    with background(run, "bag", "play", str(bag), "--replace", "doubler", "--rate", "0") as played:
        played.wait_for("playing ")
        with background(run, "run", "asker", "numbers=[1,1,1,7,99]", "goal=another"):
            eventually(lambda: "done" in answers(run), lambda: answers(run) and played.text)
    found = answers(run)
    assert found[:3] == ["1 -> 1002", "1 -> 2002", "1 -> 2002"]  # and from then on the last one
    assert found[3].startswith("not_recorded: doubler/double: no such request is in the bag, which")
    assert "no such request is in the bag, which has 0 others" in found[4]
    assert found[5:] == ANSWERS[4:]  # goals of another name and the same content
    assert "1 of them with the last answer again; 2 were not in the bag" in played.text


def test_a_played_bag_publishes_topics_as_the_node_that_it_replaces(run: Path) -> None:
    bag = bag_of(run)
    with background(run, "run", "asker", "numbers=[]", "goal=g"):
        eventually(lambda: (run / "asker" / "answers").parent.is_dir())
        arguments = ("--replace", "doubler", "--topics", "*/ticks", "--loop", "--rate", "3")
        with background(run, "bag", "play", str(bag), *arguments):
            eventually(lambda: (run / "asker" / "answers").exists() and ticks(run) == 2)


def test_a_bag_is_played_at_any_rate(run: Path, tmp_path: Path) -> None:
    writer = BagWriter(tmp_path / "a.mcap", {})
    about = {"node": "doubler", "latched": "true"}
    channel = writer.add_channel("doubler/ticks", "Number", b"{}", about)
    for number in (1, 2, 3):
        body = joined(snapshot(encode(Number(number=number))), "")
        writer.write(channel, number, number * 10**9, body, number * 10**9)
    writer.finish()
    bag = str(tmp_path / "a.mcap")
    # The third is due after 30 million years.
    with background(run, "bag", "play", bag, "--replace", "doubler", "--rate", "1e-15") as played:
        played.wait_for("playing ")
        with background(run, "run", "asker", "numbers=[]"):
            eventually(lambda: (run / "asker" / "answers").exists() and ticks(run) == 1)
        assert played.stop(signal.SIGINT) == 0
    assert "published 2 messages" in played.text
    done = rlgpt("bag", "play", bag, "--rate", "1e300", "--once", "--run", str(run), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "published 3 messages" in done.stderr


def test_a_launcher_stops_the_replaced_node_while_the_bag_plays_and_then_restarts_it(
    original: Path, tmp_path: Path
) -> None:
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "toys.yaml").write_text(yaml.safe_dump(LAUNCH))
    run = tmp_path / "it"
    with launched("launch", "toys", "run=it", cwd=tmp_path, run=run) as launch:
        launch.wait_for("there is no goal")
        arguments = ("--replace", "doubler", "--rate", "0", "--once")
        with background(run, "bag", "play", str(bag_of(original)), *arguments) as played:
            assert played.process.wait(60.0) == 0
        launch.wait_for("doubler is released")
        launch.wait_for("doubler is taken back")
        assert "the launcher has stopped its doubler" in played.text
        assert "doubler is the launcher's again" in played.text


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_launcher_gets_its_node_back_when_the_players_terminal_is_closed(
    original: Path, tmp_path: Path, number: signal.Signals
) -> None:
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "toys.yaml").write_text(yaml.safe_dump(LAUNCH))
    run = tmp_path / "it"
    with launched("launch", "toys", "run=it", cwd=tmp_path, run=run) as launch:
        launch.wait_for("there is no goal")
        with background(run, "bag", "play", str(bag_of(original)), "--replace", "doubler") as it:
            it.wait_for("the launcher has stopped its doubler")
            it.process.send_signal(number)
            assert it.process.wait(60.0) == 0
        launch.wait_for("doubler is taken back")


def test_bags_that_cannot_be_played_are_refused(run: Path, tmp_path: Path) -> None:
    bag, at = str(bag_of(run)), ("--run", str(run))
    (tmp_path / "empty.mcap").write_bytes(b"")
    writer = BagWriter(tmp_path / "other.mcap", {})
    channel = writer.add_channel("other/x", "X", b"{}", {"node": "other"})
    writer.write(channel, 1, 1, joined([b"\x80"], ""))
    writer.finish()
    exported = ("bag", "export", bag, "-o", "exported.mcap")
    assert rlgpt(*exported, cwd=tmp_path).returncode == 0
    for arguments, words in (
        ((bag, "--replace", "doubly"), "no node `doubly` in the bag; did you mean `doubler`?"),
        ((bag, "--replace", "launcher"), "the launcher starts the nodes"),
        ((bag, "--rate", "-1"), "--rate -1: a number, 0 (as fast as it goes) or more"),
        ((bag, "--rate", "inf"), "--rate inf: a number, 0 (as fast as it goes) or more"),
        ((bag, "--start-offset", "-1"), "--start-offset -1"),
        ((bag, "--start-offset", "1e6"), "--start-offset 1e+06: the bag lasts "),
        (
            (bag, "--replace", "doubler", "--topics", "asker/*", "--loop"),
            "--loop has nothing to repeat: the bag has no message of doubler to publish",
        ),
        (("empty.mcap",), "empty.mcap has no messages"),
        (
            ("exported.mcap", "--replace", "doubler"),
            "its messages are json, as `rlgpt bag export` writes them; play the bag that was",
        ),
        (("other.mcap",), "every node of the bag is running, or is none of this run"),
        (("other.mcap", "--replace", "other"), "there is no node `other`"),
    ):
        assert words in refused("bag", "play", *arguments, *at, cwd=tmp_path), arguments


def test_what_of_a_damaged_bag_cannot_be_played_is_told(run: Path, tmp_path: Path) -> None:
    writer = BagWriter(tmp_path / "a.mcap", {})
    channel = writer.add_channel("doubler/ticks", "X", b"{}", {"node": "doubler"})
    for body in (b"\x81\xa1\xff\x01", b"\xc0"):  # a name that is no text, no map
        writer.write(channel, 1, 1, [body], 1)
    writer.close()
    with (tmp_path / "a.mcap").open("ab") as file:
        file.write(bytes(30))
    arguments = ("a.mcap", "--rate", "0", "--once", "--run", str(run))
    done = rlgpt("bag", "play", *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 damaged message is left out" in done.stderr
    assert "its last 30 bytes are no whole record" in done.stderr
    assert "published 0 messages" in done.stderr
    assert "1 damaged message was not published" in done.stderr


def test_a_snapshots_old_latched_message_does_not_delay_what_follows(tmp_path: Path) -> None:
    writer = BagWriter(tmp_path / "a.mcap", {})
    hour, now = 3_600 * 10**9, 10**18
    old = writer.add_channel("a/plan", "Plan", b"{}", {"node": "a", "latched": "true"})
    new = writer.add_channel("a/tick", "Tick", b"{}", {"node": "a"})
    body = joined(snapshot(encode(Number(number=1))), "")
    writer.write(old, 1, now - hour, body, now - hour)
    writer.write(new, 1, now, body, now)
    writer.finish()
    assert _Contents(tmp_path / "a.mcap", []).first == now


def test_a_bag_of_latched_topics_alone_lasts_from_the_first_repetition(tmp_path: Path) -> None:
    writer = BagWriter(tmp_path / "a.mcap", {})
    second = 10**9
    beats = writer.add_channel("a/heartbeat", "Beat", b"{}", {"node": "a", "latched": "true"})
    body = joined(snapshot(encode(Number(number=1))), "")
    for number, time in enumerate((5 * second, 6 * second, 9 * second)):
        writer.write(beats, number + 1, time, body, time)
    writer.finish()
    contents = _Contents(tmp_path / "a.mcap", [])
    assert (contents.first, contents.seconds) == (6 * second, 3.0)
