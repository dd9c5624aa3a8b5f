"""Bags as files: what is written is read again, also by others' readers, and cut off anywhere."""

import json
import os
import random
import resource
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np
import pytest
from mcap.exceptions import EndOfFile, InvalidMagic
from mcap.reader import make_reader
from mcap.records import Message
from mcap.stream_reader import StreamReader

from messages.calling import CallEvent
from messages.codec import decode, encode, snapshot
from messages.training import PROGRESS
from messages.world import Step, Stepped
from rlgpt.bags import mcap_records
from rlgpt.bags.bag_player import _Contents
from rlgpt.bags.bag_reader import BagReader
from rlgpt.bags.bag_writer import BagFull, BagWriter
from rlgpt.bags.message_maps import NoMap, is_map, joined, parted
from rlgpt.bags.message_schemas import Types, schema_of
from rlgpt.bags.snapshot import Snapshot
from rlgpt.refused import Refused
from tests.launch_toys.launched import printed, refused

STEP = Step(session="s", choices=np.arange(5))


def written(path: Path, messages: int = 20) -> list[tuple[int, bytes]]:
    """A bag with two channels, and what it holds: the log time and the data of each message."""
    writer = BagWriter(path, {"run": "it"})
    steps = writer.add_channel("a/step", "Step", schema_of(Step), {"node": "a", "epoch": "e"})
    other = writer.add_channel("b/step", "Step", schema_of(Step), {"node": "b", "epoch": "f"})
    held: list[tuple[int, bytes]] = []
    for number in range(messages):
        parts = joined(snapshot(encode(STEP)), f"goal {number}")
        writer.write(steps if number % 3 else other, number, 5, parts, 1000 + number)
        held.append((1000 + number, b"".join(parts)))
    writer.finish()
    return held


def read(path: Path) -> list[tuple[int, bytes]]:
    return [(each.logged, each.data) for each in BagReader(path).messages()]


@pytest.mark.parametrize("goal", ["", "a goal"])
@pytest.mark.parametrize("fields", [0, 1, 13, 14, 15, 16, 70_000])
@pytest.mark.parametrize("arrays", [0, 1, 20])
def test_a_message_is_stored_as_one_map_and_split_into_its_parts_again(
    goal: str, fields: int, arrays: int
) -> None:
    body = msgspec.msgpack.encode({f"field {number}": number for number in range(fields)})
    frames = [body, *(bytes([number]) * 1000 for number in range(arrays))]
    data = b"".join(joined(frames, goal))
    whole = msgspec.msgpack.decode(data)
    assert len(whole) == fields + bool(goal) + bool(arrays)
    assert whole.get("_goal", "") == goal
    assert whole.get("_arrays", []) == frames[1:]
    assert parted(data) == (frames, goal)


def test_arrays_come_back_as_they_were() -> None:
    frames, _ = parted(b"".join(joined(snapshot(encode(STEP)), "")))
    assert decode(Step, frames).choices.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "data", [b"", b"\x00", b"\xc0", b"\x93\1\2\3", b"\x81", b"\x80\x80", b"\xde", bytes(50)]
)
def test_messages_that_are_no_map_are_refused(data: bytes) -> None:
    assert not is_map(data)
    with pytest.raises(NoMap):
        parted(data)


def test_a_message_with_a_name_that_is_no_text_is_refused() -> None:
    with pytest.raises(NoMap):
        parted(b"\x81\xa1\xff\x01")


def test_a_bag_is_read_as_it_was_written(tmp_path: Path) -> None:
    held = written(tmp_path / "a.mcap")
    reader = BagReader(tmp_path / "a.mcap")
    found = list(reader.messages())
    assert [(each.logged, each.data) for each in found] == held
    assert [each.sequence for each in found] == list(range(20))
    assert found[0].channel.metadata == {"node": "b", "epoch": "f"}
    assert found[0].channel.definition == schema_of(Step)
    assert (reader.ended, reader.unread, reader.dropped) == (True, 0, 0)
    assert reader.notes == {"run": "it"}


def test_the_mcap_package_reads_our_bags(tmp_path: Path) -> None:
    held = written(tmp_path / "a.mcap")
    with (tmp_path / "a.mcap").open("rb") as file:
        summary = make_reader(file).get_summary()
        assert summary is not None
        assert summary.statistics is not None
        assert summary.statistics.message_count == 20
        assert summary.statistics.channel_message_counts == {1: 13, 2: 7}
        assert summary.statistics.message_end_time == 1019
        (schema,) = summary.schemas.values()
        assert (schema.name, schema.encoding) == ("Step", "jsonschema")
        channel = summary.channels[1]
        assert (channel.topic, channel.message_encoding) == ("a/step", "msgpack")
        file.seek(0)
        found = list(make_reader(file).iter_messages())
        assert [(m.log_time, m.data) for _, _, m in found] == held


def test_a_file_cut_off_anywhere_gives_every_whole_message(tmp_path: Path) -> None:
    held = written(tmp_path / "a.mcap", 60)
    data = (tmp_path / "a.mcap").read_bytes()
    ends = {after for _, after in _messages_in(data)}
    dice = random.Random(3)
    cuts = [*range(40), *(dice.randrange(len(data)) for _ in range(400)), *(e - 1 for e in ends)]
    for cut in cuts:
        (tmp_path / "cut.mcap").write_bytes(data[:cut])
        reader = BagReader(tmp_path / "cut.mcap")
        found = [(each.logged, each.data) for each in reader.messages()]
        assert found == held[: sum(end <= cut for end in ends)]
        assert not reader.ended or cut > max(ends)
        if cut >= len(mcap_records.MAGIC):
            assert found == _streamed(tmp_path / "cut.mcap")


def _messages_in(data: bytes) -> list[tuple[int, int]]:
    """Where each message begins and ends."""
    at, found = len(mcap_records.MAGIC), []
    while at < len(data) - len(mcap_records.MAGIC):
        kind, size = struct.unpack_from("<BQ", data, at)
        if kind == mcap_records.MESSAGE:
            found.append((at, at + 9 + size))
        at += 9 + size
    return found


def _streamed(path: Path) -> list[tuple[int, bytes]]:
    """What the mcap package's reader finds in a file without an end."""
    found: list[tuple[int, bytes]] = []
    with path.open("rb") as file, suppress(EndOfFile, struct.error, InvalidMagic):
        for record in StreamReader(file).records:
            if isinstance(record, Message):
                found.append((record.log_time, record.data))
    return found


def test_a_tail_of_zeros_is_not_read(tmp_path: Path) -> None:
    held = written(tmp_path / "a.mcap")
    data = (tmp_path / "a.mcap").read_bytes()
    (_, after), (_, last) = _messages_in(data)[6], _messages_in(data)[7]
    for zeros in (1, 8, 9, 10, 5000):
        (tmp_path / "zeros.mcap").write_bytes(data[:after] + bytes(zeros))
        reader = BagReader(tmp_path / "zeros.mcap")
        assert [(each.logged, each.data) for each in reader.messages()] == held[:7]
        assert (reader.unread, reader.dropped, reader.ended) == (zeros, 0, False)
    # The length of a message was written, its content was not.
    lost = data[: after + 9 + 22] + bytes(last - after - 9 - 22 + 100)
    (tmp_path / "zeros.mcap").write_bytes(lost)
    reader = BagReader(tmp_path / "zeros.mcap")
    assert len(list(reader.messages())) == 7
    assert (reader.dropped, reader.unread) == (1, 100)


def test_random_bytes_in_a_bag_do_no_harm(tmp_path: Path) -> None:
    written(tmp_path / "a.mcap")
    data = (tmp_path / "a.mcap").read_bytes()
    dice = random.Random(5)
    for _ in range(300):
        broken = bytearray(data)
        for _ in range(dice.choice([1, 3, 30])):
            broken[dice.randrange(8, len(data))] = dice.randrange(256)
        (tmp_path / "broken.mcap").write_bytes(broken)
        for each in BagReader(tmp_path / "broken.mcap").messages():
            assert is_map(each.data) or each.channel.encoding != "msgpack"


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.mcap").write_text("a text")
    assert "is no bag: it does not begin as an MCAP file" in refused(
        "bag", "info", "a.mcap", cwd=tmp_path
    )
    assert "none.mcap cannot be read: No such file" in refused(
        "bag", "info", "none.mcap", cwd=tmp_path
    )
    (tmp_path / "empty.mcap").write_bytes(b"")
    assert list(BagReader(tmp_path / "empty.mcap").messages()) == []


def test_a_file_is_not_written_over(tmp_path: Path) -> None:
    written(tmp_path / "a.mcap")
    with pytest.raises(FileExistsError):
        BagWriter(tmp_path / "a.mcap", {})


def test_the_schemas_in_a_bag_are_those_of_the_message_types() -> None:
    types = Types()
    name, definition = types.of_message(PROGRESS.name, b"")
    schema = msgspec.json.decode(definition)
    assert (name, schema["type"]) == ("Progress", "object")
    assert schema["properties"]["samples"]["type"] == "integer"
    reply = CallEvent(
        *(), endpoint="env_server/step", kind="reply", client="c", id=1, time=0.0,
        body=msgspec.Raw(b"\xc0"),
    )  # fmt: skip
    name, definition = types.of_call(reply)
    assert name == "CallEvent.Stepped"
    schema = msgspec.json.decode(definition)
    assert schema["properties"]["body"] == {"$ref": "#/$defs/Stepped"}
    assert set(schema["$defs"]["Stepped"]["properties"]) == {"type", *Stepped.__struct_fields__}
    goal = msgspec.structs.replace(reply, endpoint="learner/train/send", kind="request")
    assert types.of_call(goal)[0] == "CallEvent.Train"
    own = types.of_message("mine/topic", msgspec.msgpack.encode({"type": "Mine", "x": 1}))
    assert own == ("Mine", b'{"type":"object"}')


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    now = [0]
    monkeypatch.setattr("rlgpt.bags.snapshot.log_time", lambda: now[0])

    def at(seconds: float) -> None:
        now[0] = int(seconds * 1e9)

    return at


def test_a_snapshot_keeps_the_last_seconds(tmp_path: Path, clock: Callable[[float], None]) -> None:
    ring = Snapshot(10.0)
    plain = ring.add_channel("a/b", "T", b"{}", {})
    latched = ring.add_channel("a/c", "T", b"{}", {"latched": "true"})
    ring.add_channel("a/unused", "T", b"{}", {})
    for second in range(30):
        clock(second)
        ring.write(plain, second, 0, [b"\x80"])
        if second < 5:
            ring.write(latched, second, 0, [b"\x80"])
    ring.save(tmp_path / "a.mcap", {})
    reader = BagReader(tmp_path / "a.mcap")
    found = [(each.channel.topic, each.sequence) for each in reader.messages()]
    assert found == [("a/c", 4), *(("a/b", second) for second in range(19, 30))]
    assert {each.topic for each in reader.channels.values()} == {"a/b", "a/c"}


def test_a_clock_that_is_set_does_not_lengthen_a_bag_or_empty_a_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring, writer = Snapshot(1800.0), BagWriter(tmp_path / "whole.mcap", {})
    channels = [each.add_channel("a/b", "T", b"{}", {}) for each in (ring, writer)]
    now = time.time_ns
    for number, hour in enumerate((0, 1, -1)):
        ahead = hour * 3600 * 10**9
        monkeypatch.setattr(time, "time_ns", lambda ahead=ahead: now() + ahead)
        for sink, channel in zip((ring, writer), channels, strict=True):
            sink.write(channel, number, 0, [b"\x80"])
    writer.finish()
    ring.save(tmp_path / "last.mcap", {})
    for file in ("whole.mcap", "last.mcap"):
        logged = [each.logged for each in BagReader(tmp_path / file).messages()]
        assert len(logged) == 3
        assert logged == sorted(logged)
        assert logged[-1] - logged[0] < 1800 * 10**9


def test_a_snapshots_old_latched_messages_do_not_lengthen_it(
    tmp_path: Path, clock: Callable[[float], None]
) -> None:
    ring = Snapshot(10.0)
    # Of two starts of its node.
    plans = [ring.add_channel("a/plan", "T", b"{}", {"latched": "true"}) for _ in range(2)]
    ticks = ring.add_channel("a/tick", "T", b"{}", {})
    for number, plan in enumerate(plans):
        clock(1_000.0 * (1 + number))
        ring.write(plan, 1, 0, [b"\x80"])
    for second in range(8_000, 8_030):
        clock(second)
        ring.write(ticks, second, 0, [b"\x80"])
    clock(8_029.5)
    ring.write(plans[1], 2, 0, [b"\x80"])
    ring.save(tmp_path / "a.mcap", {})
    facts = json.loads(printed("bag", "info", "a.mcap", "--json", cwd=tmp_path))
    assert (facts["seconds"], facts["messages"]) == (9.5, 13)
    assert facts["from"].endswith(":40.000")  # 8,020 s
    rows = {row["topic"]: (row["messages"], row["hz"]) for row in facts["topics"]}
    assert rows == {"a/plan": (3, 0.11), "a/tick": (10, 1.05)}
    contents = _Contents(tmp_path / "a.mcap", [])
    assert (contents.first, contents.seconds) == (8_020 * 10**9, 9.5)


def test_a_bag_of_one_latched_message_has_no_length(tmp_path: Path) -> None:
    writer = BagWriter(tmp_path / "a.mcap", {})
    plan = writer.add_channel("a/plan", "T", b"{}", {"latched": "true"})
    writer.write(plan, 1, 0, [b"\x80"], 5 * 10**9)
    writer.finish()
    facts = json.loads(printed("bag", "info", "a.mcap", "--json", cwd=tmp_path))
    assert (facts["seconds"], facts["from"]) == (0.0, facts["to"])
    assert facts["topics"][0]["hz"] is None


def test_a_snapshot_keeps_no_more_bytes_than_it_may(
    tmp_path: Path, clock: Callable[[float], None]
) -> None:
    ring = Snapshot(10.0, max_bytes=5000)
    channel = ring.add_channel("a/b", "T", b"{}", {})
    body = b"".join(joined([b"\x80", bytes(900)], ""))
    for number in range(100):
        ring.write(channel, number, 0, [body])
    ring.save(tmp_path / "a.mcap", {})
    sequences = [each.sequence for each in BagReader(tmp_path / "a.mcap").messages()]
    assert sequences == [95, 96, 97, 98, 99]


def test_a_snapshot_that_the_disk_has_no_room_for_leaves_no_file_open(tmp_path: Path) -> None:
    ring = Snapshot(10.0)
    channel = ring.add_channel("a/b", "T", b"{}", {})
    ring.write(channel, 1, 0, joined([b"\x80", bytes(1 << 20)], ""))
    opened = set(os.listdir("/proc/self/fd"))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(BagFull):
            ring.save(tmp_path / "a.mcap", {})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert set(os.listdir("/proc/self/fd")) == opened
    ring.save(tmp_path / "b.mcap", {})
    assert len(list(BagReader(tmp_path / "b.mcap").messages())) == 1


def test_reading_a_missing_bag_is_refused_with_the_name_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"gone\.mcap cannot be read"):
        list(BagReader(tmp_path / "gone.mcap").messages())
