"""`rlgpt bag record` beside real processes: nothing lost when it is killed, a disk that fills, a
node that crashes."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np
import pytest
import yaml

from messages.bus.network.curve import make_keys
from messages.calling import CallEvent
from messages.codec import decode
from messages.system import Description, describe
from rlgpt.bags.bag_reader import BagReader
from rlgpt.bags.choice import choose
from rlgpt.bags.message_maps import parted
from tests.bags.bag_stack import (
    DOUBLE,
    LAST,
    NUMBERS,
    Number,
    describe_itself,
    make_bag_run,
    messages_of,
    numbers_in,
    publish_until_recorded,
    recorded,
    serving,
)
from tests.bus_processes import free_port
from tests.launch_toys.launched import (
    PATIENCE,
    Launched,
    eventually,
    launched,
    printed,
    processes_of,
    refused,
    rlgpt,
)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_bag_run(tmp_path)


def test_received_messages_are_in_the_file_whenever_it_is_killed(run: Path) -> None:
    bag = run / "a.mcap"
    with serving(run, "talker") as bus, recorded(run, "talker/*", "--output", str(bag)) as record:
        publish_until_recorded(bus, bag)
        for number in range(1, 1001):
            bus.publish(NUMBERS, Number(number=number))
            if number % 100 == 0:  # a topic drops what its subscribers do not take in time
                # It is written at once, and not when something more comes or the process ends.
                eventually(lambda sent=number: numbers_in(bag)[-1] == sent)
        record.process.kill()
        record.ended()
    found = [number for number in numbers_in(bag) if number]
    assert found == list(range(1, 1001))
    facts = json.loads(printed("bag", "info", str(bag), "--json", cwd=run))
    assert facts["ended"].startswith("not in order")


@pytest.mark.parametrize("seed", range(3))
def test_a_recorder_that_is_killed_leaves_whole_messages_without_a_gap(
    run: Path, seed: int
) -> None:
    bag = run / "a.mcap"
    values = np.arange(10_000, dtype="f4")  # less in all than a topic keeps for a subscriber
    with serving(run, "talker") as bus, recorded(run, "talker/*", "--output", str(bag)) as record:
        publish_until_recorded(bus, bag)
        killed_after = random.Random(seed).uniform(0.05, 0.5)
        until, number = time.monotonic() + killed_after, 0
        while time.monotonic() < until:
            number += 1
            bus.publish(NUMBERS, Number(number=number, values=values))
            time.sleep(0.001)
        record.process.kill()
        record.ended()
    found = [each for each in numbers_in(bag) if each]
    assert found == list(range(1, len(found) + 1))
    reader = BagReader(bag)
    for each in reader.messages():
        if each.channel.topic == NUMBERS.name:
            frames, _ = parted(each.data)
            message = decode(Number, frames)
            assert message.values is None or np.array_equal(message.values, values)
    assert reader.dropped == 0


def test_calls_are_recorded_with_their_bodies(run: Path) -> None:
    bag = run / "a.mcap"
    with serving(run, "talker") as bus:
        bus.serve(DOUBLE, lambda request: Number(number=2 * request.number))
        bus.publish(LAST, Number(number=77))
        with (
            recorded(run, "talker/*", "planner/pursue", "--output", str(bag)) as record,
            serving(run, None) as caller,
        ):
            while not answers_in(bag):
                caller.call(DOUBLE, Number(number=1))
            caller.call(DOUBLE, Number(number=21))
            eventually(lambda: answers_in(bag)[-1] == 42)
            assert record.stop(signal.SIGINT) == 0
            assert f"{bag}: " in record.text
    found = messages_of(bag)
    by_topic = {each.channel.topic: each for each in found}
    assert by_topic["talker/double/reply"].channel.metadata["kind"] == "reply"
    last = by_topic["talker/last"]
    assert last.channel.metadata["latched"] == "true"
    assert msgspec.msgpack.decode(last.data)["number"] == 77
    facts = json.loads(printed("bag", "info", str(bag), "--json", cwd=run))
    assert facts["ended"] == "in order"
    assert facts["recorded"] == "talker/*, planner/pursue"
    assert {row["topic"] for row in facts["topics"]} >= {"talker/double/request", "talker/last"}
    assert all(row["missed"] in (0, None) for row in facts["topics"])


def answers_in(bag: Path) -> list[int]:
    """The numbers in the replies of `DOUBLE`."""
    replies = [m for m in messages_of(bag) if m.channel.topic == f"{DOUBLE.name}/reply"]
    events = [decode(CallEvent, parted(each.data)[0]) for each in replies]
    return [decode(Number, [event.body]).number for event in events]


@pytest.mark.parametrize("chosen", ["talker/*", "talker/last"])
def test_a_latched_topic_of_ones_own_is_known_from_its_first_message_on(
    run: Path, chosen: str
) -> None:
    """messages/ does not declare it, and what is published to a subscriber is not sent again."""
    bag = run / "a.mcap"
    with serving(run, "talker") as bus:
        bus.advertise(LAST)
        describe_itself(bus, "talker")
        with recorded(run, chosen, "--output", str(bag)):
            eventually(lambda: bus.subscribed(LAST))
            bus.publish(LAST, Number(number=1))
            eventually(lambda: [m for m in messages_of(bag) if m.channel.topic == LAST.name])
    assert all(each.channel.latched for each in messages_of(bag))


def test_what_was_published_before_ctrl_c_is_recorded(run: Path) -> None:
    bag = run / "a.mcap"
    with serving(run, "talker") as bus, recorded(run, "talker/*", "--output", str(bag)) as record:
        publish_until_recorded(bus, bag)
        record.process.send_signal(signal.SIGSTOP)  # a machine that is too busy to let it run
        record.process.send_signal(signal.SIGINT)
        for number in range(1, 51):
            bus.publish(NUMBERS, Number(number=number, values=np.zeros(100_000, dtype="f4")))
        record.process.send_signal(signal.SIGCONT)
        assert record.ended() == 0
    assert [number for number in numbers_in(bag) if number] == list(range(1, 51))


def test_a_recording_of_a_run_that_has_ended_says_so(run: Path) -> None:
    done = rlgpt("bag", "record", "--all", "--max-duration", "0.5", "--run", str(run), cwd=run)
    assert done.returncode == 0, done
    assert f"nothing of {run.name} runs: there is something to record once" in done.stderr


def test_excluded_and_unchosen_topics_are_not_recorded(run: Path) -> None:
    bag = run / "a.mcap"
    arguments = ("talker/*", "--exclude", "*/last", "--exclude", "*/double", "--output", str(bag))
    with serving(run, "talker") as bus:
        bus.serve(DOUBLE, lambda request: request)
        bus.publish(LAST, Number(number=1))
        with recorded(run, *arguments) as record, serving(run, None) as caller:
            publish_until_recorded(bus, bag)
            caller.call(DOUBLE, Number(number=1))
            bus.publish(NUMBERS, Number(number=1))
            eventually(lambda: 1 in numbers_in(bag))
            assert record.stop(signal.SIGTERM) == 0
    topics = {each.channel.topic for each in messages_of(bag)}
    assert NUMBERS.name in topics
    assert not {topic for topic in topics if "double" in topic or "last" in topic}


def test_an_excluded_action_is_left_out_with_all_its_parts() -> None:
    choice = choose(["planner/*"], ["planner"], ["planner/pursue"], [])
    for part in ("send", "result", "cancel"):
        assert not choice.takes_call(f"planner/pursue/{part}")
    assert not choice.takes_topic("planner/pursue/feedback")
    assert choice.takes_call("planner/set_pause")
    assert choice.takes_topic("planner/plan")
    kept = choose(["planner/*"], ["planner"], ["planner/*/result"], [])
    assert not kept.takes_call("planner/pursue/result")
    assert kept.takes_call("planner/pursue/send")


def test_an_exclusion_that_leaves_nothing_out_is_refused(run: Path) -> None:
    with serving(run, "talker") as bus:
        bus.advertise(LAST)
        it = Description(node="talker", epoch=bus.epoch, pid=os.getpid(), endpoints=bus.endpoints)
        bus.serve(describe("talker"), lambda _: it)
        for pattern, words in (
            ("nope/x", "--exclude nope/x: there is no such topic, service or action"),
            ("planner/pla", "did you mean `planner/plan`?"),
            ("planer/plan", "did you mean `planner/plan`?"),
            ("talker/lst", "did you mean `talker/last`?"),
        ):
            at = ("--exclude", pattern, "--run", str(run))
            assert words in refused("bag", "record", "--all", *at, cwd=run), pattern
    assert not list((run / "bags").glob("*"))


def test_nodes_on_tcp_with_keys_are_recorded(tmp_path: Path) -> None:
    hosts = {"talker": {"host": "127.0.0.1", "port": free_port()}}
    run = make_bag_run(tmp_path, hosts=hosts)
    make_keys(run / "keys", ["talker", "tools"])
    bag = run / "a.mcap"
    with (
        serving(run, "talker", hosts=hosts) as bus,
        recorded(run, "talker/*", "--output", str(bag)),
    ):
        bus.serve(DOUBLE, lambda request: request)
        with serving(run, None, hosts=hosts) as caller:
            eventually(
                lambda: (
                    caller.call(DOUBLE, Number(number=1))
                    and any(
                        each.channel.topic == "talker/double/reply" for each in messages_of(bag)
                    )
                )
            )


def test_a_recording_ends_at_its_duration_or_its_size(run: Path) -> None:
    began = time.monotonic()
    with serving(run, "talker") as bus:
        done = rlgpt(
            *("bag", "record", "talker/*", "--max-duration", "1", "--run", str(run)), cwd=run
        )
        assert done.returncode == 0
        assert time.monotonic() - began > 1.0
        (bag,) = (run / "bags").iterdir()
        assert f"to {bag}; Ctrl-C ends it" in done.stderr
        bag = run / "small.mcap"
        for size in ("0.5", "1"):  # less than a byte is a limit too
            done = rlgpt(
                *("bag", "record", "talker/*", "--max-size", size),
                *("--output", f"{size}.mcap", "--run", str(run)),
                cwd=run,
            )
            assert done.returncode == 0, done.stderr
            assert (run / f"{size}.mcap").exists()
        arguments = ("talker/*", "--max-size", "200K", "--output", str(bag))
        with recorded(run, *arguments) as record:
            while record.process.poll() is None:
                bus.publish(NUMBERS, Number(number=1, values=np.zeros(1000)))
                time.sleep(0.002)
            assert record.process.returncode == 0
    assert 200_000 < bag.stat().st_size < 2_000_000
    reader = BagReader(bag)
    list(reader.messages())
    assert reader.ended


def test_recordings_that_cannot_be_made_are_refused(run: Path) -> None:
    (run / "there.mcap").write_bytes(b"")
    (run / "bags").write_bytes(b"")
    at = ("--run", str(run))
    with serving(run, "talker") as bus:
        bus.advertise(NUMBERS)
        for arguments, words in (
            ((), "name what to record"),
            (("--all", "talker/*"), "name what to record"),
            (("tolker/*",), "there is no node `tolker`; did you mean `talker`?"),
            (("planner/plam",), "`planner/plam`; did you mean `planner/plan`?"),
            (("--all", "--output", str(run / "there.mcap")), "exists; choose another file"),
            (("--all", "--output", str(run / "no" / "a.mcap")), "is no folder; make it"),
            (("--all", "--max-size", "many"), "--max-size many: bytes, or 500K"),
            (("--all", "--max-duration", "-1"), "0 (no limit) or more"),
            (("--all", "--snapshot", "--max-size", "1M"), "--snapshot keeps at most 256 MiB"),
            (("--all", "--snapshot", "0"), "--snapshot 0: more than 0 seconds"),
            (("--all",), f"{run / 'bags'} cannot be used: File exists"),
            (("--all", "--snapshot", "--output", "/proc/a.mcap"), "a.mcap cannot be written: "),
        ):
            assert words in refused("bag", "record", *arguments, *at, cwd=run), arguments


def _fill(run: Path, bag: Path, before: tuple[str, ...], reason: str) -> None:
    """Record until the file takes no more: the node goes on, the file is whole up to there."""
    values = np.zeros(5000, dtype="f4")
    with (
        serving(run, "talker") as bus,
        recorded(run, "talker/*", "--output", str(bag), before=before) as record,
    ):
        number = 0
        while record.process.poll() is None:
            number += 1
            bus.publish(NUMBERS, Number(number=number, values=values))
            time.sleep(0.001)
        assert record.ended() == 1
        assert f"{bag} cannot be written any more: {reason}; it is whole up to there" in record.text
        assert "Traceback" not in record.text
        bus.serve(DOUBLE, lambda request: request)
        with serving(run, None) as caller:
            assert caller.call(DOUBLE, Number(number=3)).number == 3
    found = numbers_in(bag)
    assert found == list(range(found[0], found[0] + len(found)))
    assert len(found) > 10
    reader = BagReader(bag)
    list(reader.messages())
    assert reader.unread == 0
    assert printed("bag", "info", str(bag), cwd=run)


def test_a_bag_at_the_limit_of_file_sizes_ends_the_recording_with_whole_messages(run: Path) -> None:
    _fill(run, run / "a.mcap", ("bash", "-c", 'ulimit -f 1000; exec "$0" "$@"'), "File too large")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if os.geteuid() != 0 or mount is None:
        pytest.skip("only root mounts a small disk")
    done = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_bag_on_a_disk_that_fills_ends_the_recording_with_whole_messages(
    run: Path, small_disk: Path
) -> None:
    _fill(run, small_disk / "a.mcap", (), "No space left on device")


def test_a_recording_on_a_full_disk_fails_in_one_sentence(run: Path, small_disk: Path) -> None:
    with (small_disk / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while True:
            filler.write(bytes(4096))
    arguments = ("bag", "record", "talker/*", "--run", str(run))
    done = rlgpt(*arguments, "--output", str(small_disk / "a.mcap"), cwd=run)
    assert done.returncode == 1
    assert "a.mcap cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (small_disk / "a.mcap").exists()


LAUNCH = {"seed": 0, "nodes": {name: {"module": f"tests.launch_toys.{name}"} for name in (
    "talker", "caller", "planner")}}  # fmt: skip


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Launched]:
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "toys.yaml").write_text(yaml.safe_dump(LAUNCH))
    folder = tmp_path / "runs" / "it"
    with launched("launch", "toys", "run=runs/it", cwd=tmp_path, run=folder) as launch:
        launch.wait_for("there is no goal")
        yield launch


def test_a_recording_is_whole_when_its_terminal_is_closed(live: Launched) -> None:
    run, bag = live.run, live.run / "s.mcap"
    for more in (("--snapshot",), ()):
        for pause in (0, 2, 8, 30):  # seconds until something has come, on a busy machine
            bag.unlink(missing_ok=True)
            with recorded(run, "--all", *more, "--output", str(bag)) as record:
                time.sleep(pause)
                assert record.stop(signal.SIGHUP) == 0
            reader = BagReader(bag)
            if messages := [*reader.messages()]:
                break
        assert messages
        assert reader.ended


def test_the_last_minute_is_written_when_a_node_crashes(live: Launched) -> None:
    run, bag = live.run, live.run / "s.mcap"
    with recorded(run, "--all", "--snapshot", "--output", str(bag)) as record:
        info = printed("node", "info", "talker", "--json", "--run", str(run), cwd=run)
        pid = json.loads(info)["pid"]
        assert not bag.exists()
        os.kill(pid, signal.SIGSEGV)
        record.wait_for(f"talker was ended by SIGSEGV: {bag}")
        record.process.send_signal(signal.SIGUSR1)
        record.wait_for("SIGUSR1: ")
        assert record.stop(signal.SIGINT) == 0
        record.wait_for("end: ")
    crashed = BagReader(bag)
    topics = [each.channel.topic for each in crashed.messages()]
    assert crashed.notes["why"] == "talker was ended by SIGSEGV"
    assert "talker/describe/request" in topics
    assert "launcher/crashes" in topics
    assert crashed.ended
    for other, why in (("s-2.mcap", "SIGUSR1"), ("s-3.mcap", "end")):
        reader = BagReader(run / other)
        assert list(reader.messages())
        assert reader.notes["why"] == why


def test_a_restart_that_was_requested_is_no_crash(live: Launched) -> None:
    run, bag = live.run, live.run / "s.mcap"
    with recorded(run, "--all", "--snapshot", "--output", str(bag)) as record:
        printed("node", "restart", "talker", "--run", str(run), cwd=run)
        assert record.stop(signal.SIGINT) == 0
    assert "why           end" in printed("bag", "info", str(bag), cwd=run)
    assert not bag.with_stem("s-2").exists()


def test_a_recorder_ends_with_the_launch(live: Launched) -> None:
    bag = live.run / "a.mcap"
    with recorded(live.run, "--all", "--output", str(bag)) as record:
        eventually(lambda: messages_of(bag))
        live.stop()
        assert record.process.wait(PATIENCE) == 0
    reader = BagReader(bag)
    list(reader.messages())
    assert reader.ended


def test_a_launch_is_recorded_from_its_start(tmp_path: Path) -> None:
    (tmp_path / "launch").mkdir()
    task = {"id": "log", "prompt": "a log", "success": {"kind": "have", "name": "log"}}
    (tmp_path / "launch" / "toys.yaml").write_text(yaml.safe_dump({**LAUNCH, "task": task}))
    done = rlgpt("launch", "--bag", "toys", "run=it", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (bag,) = (tmp_path / "it" / "bags").iterdir()
    found = messages_of(bag)
    topics = {each.channel.topic for each in found}
    assert {"planner/pursue/send/request", "planner/pursue/result/reply", "planner/plan"} <= topics
    assert "talker/description" in topics
    assert "launcher/heartbeat" not in topics  # it has none
    reader = BagReader(bag)
    list(reader.messages())
    assert reader.ended
    assert f"bag: {bag}: " in done.stdout + done.stderr


def test_a_launch_goes_on_when_its_recorder_is_killed(tmp_path: Path) -> None:
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "toys.yaml").write_text(yaml.safe_dump({**LAUNCH, "bag": "snapshot"}))
    run = tmp_path / "it"
    with launched("launch", "toys", "run=it", cwd=tmp_path, run=run) as launch:
        launch.wait_for("bag: keeping the last 60 seconds of everything")
        launch.wait_for("there is no goal")
        recorders = _recorder_of(run)
        assert recorders
        for pid in recorders:
            os.kill(pid, signal.SIGKILL)
        eventually(lambda: not _recorder_of(run))
        assert "ready" in printed("node", "list", "--run", str(run), cwd=tmp_path)
        assert launch.stop() == 130


def _recorder_of(run: Path) -> list[int]:
    return [p for p in processes_of(run) if b"record" in Path(f"/proc/{p}/cmdline").read_bytes()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_launch_that_ends_before_its_recorder_is_ready_leaves_none(
    tmp_path: Path, number: signal.Signals
) -> None:
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "toys.yaml").write_text(yaml.safe_dump(LAUNCH))
    run = tmp_path / "it"
    with launched("launch", "--bag", "toys", "run=it", cwd=tmp_path, run=run) as launch:
        eventually(lambda: _recorder_of(run), lambda: launch.text)
        code = launch.stop(number)  # after it no process of the run is left
    if number == signal.SIGKILL:
        assert code == -number
    else:
        assert code == 128 + number
        assert "stopped in order; `rlgpt resume it` goes on from here" in launch.text


def test_a_launch_with_an_invalid_bag_option_is_refused(tmp_path: Path) -> None:
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "toys.yaml").write_text(yaml.safe_dump(LAUNCH))
    assert "bag" in refused("launch", "toys", "bag=maybe", cwd=tmp_path)
