"""`rlgpt bag export`: files that other tools read."""

import base64
import csv
import io
import json
import os
import re
import shlex
import signal
import subprocess
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from mcap.reader import SeekingReader, make_reader
from mcap.writer import Writer

from messages.codec import encode, snapshot
from nodes.common.running.exit_codes import INTERRUPTED
from rlgpt.bags.bag_reader import BagReader
from rlgpt.bags.bag_writer import BagWriter
from rlgpt.bags.found_pictures import compressed, pictures_in
from rlgpt.bags.message_maps import joined
from tests.bags.bag_stack import Number
from tests.launch_toys.launched import PATIENCE, command, environment, eventually, refused, rlgpt

COLOURS = np.dstack(
    [np.full((40, 60), 200), np.arange(2400).reshape(40, 60) % 250, np.full((40, 60), 30)]
).astype(np.uint8)


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    writer = BagWriter(tmp_path / "a.mcap", {"run": "it"})
    plain = writer.add_channel("a/plain", "Number", b'{"type":"object"}', {"node": "a"})
    seen = writer.add_channel("a/seen", "Number", b'{"type":"object"}', {"node": "a"})
    for number in range(200):
        message: Any = Number(number=number, values=np.arange(3.0) if number % 2 else None)
        writer.write(plain, number, 7, joined(snapshot(encode(message)), "g"), 10**9 * number + 1)
    pictures = Number(number=1, values=np.stack([COLOURS, COLOURS // 2]))
    writer.write(seen, 1, 5, joined(snapshot(encode(pictures)), ""), 10**9 * 300)
    writer.finish()
    return tmp_path / "a.mcap"


@pytest.mark.parametrize("compression", ["zstd", "lz4", "none"])
def test_an_export_has_an_index_and_json_messages(
    bag: Path, tmp_path: Path, compression: str
) -> None:
    out = tmp_path / "out.mcap"
    arguments = ("--compression", compression, "-o", str(out))
    done = rlgpt("bag", "export", str(bag), *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "out.mcap: 201 messages" in done.stderr
    with out.open("rb") as file:
        reader = make_reader(file)
        assert isinstance(reader, SeekingReader)
        summary = reader.get_summary()
        assert summary is not None
        assert summary.chunk_indexes
        assert {each.compression for each in summary.chunk_indexes} == {
            "" if compression == "none" else compression
        }
        part = list(reader.iter_messages("a/plain", starting_at=10**11))
        assert len(part) == 100
        schema, channel, message = part[0]
        assert schema is None
        assert channel.message_encoding == "json"
        assert channel.metadata["type"] == "Number"
        assert json.loads(message.data)["number"] == 100
        pictures = list(reader.iter_messages(["a/seen/values/0", "a/seen/values/1"]))
    assert [schema.name for schema, _, _ in pictures] == ["foxglove.CompressedImage"] * 2
    image = json.loads(pictures[0][2].data)
    assert (image["format"], image["timestamp"]) == ("jpeg", {"sec": 0, "nsec": 5})
    found = _decoded(base64.b64decode(image["data"]))
    assert np.abs(found.astype(int) - COLOURS).mean() < 6.0
    # Our own reader reads it too.
    assert len(list(BagReader(out).messages())) == 203


def test_an_export_may_keep_the_messages_as_they_are(bag: Path, tmp_path: Path) -> None:
    rlgpt("bag", "export", "a.mcap", "--msgpack", "-o", "out.mcap", cwd=tmp_path)
    before = [(each.channel.topic, each.data) for each in BagReader(bag).messages()]
    again = [
        (each.channel.topic, each.data) for each in BagReader(tmp_path / "out.mcap").messages()
    ]
    assert again == before
    with (tmp_path / "out.mcap").open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary is not None
    assert {each.name for each in summary.schemas.values()} == {"Number"}


def test_a_type_that_changed_while_it_was_recorded_is_exported_with_both_definitions(
    tmp_path: Path,
) -> None:
    writer = BagWriter(tmp_path / "a.mcap", {})
    definitions = [b'{"type":"object"}', b'{"type":"object","title":"newer"}']
    for epoch, definition in enumerate(definitions):
        channel = writer.add_channel("a/plain", "Number", definition, {"epoch": str(epoch)})
        writer.write(channel, 1, 0, joined(snapshot(encode(Number(number=1))), "g"), 10**9 + epoch)
    writer.finish()
    rlgpt("bag", "export", "a.mcap", "--msgpack", "-o", "out.mcap", cwd=tmp_path)
    with (tmp_path / "out.mcap").open("rb") as file:
        found = [schema.data for schema, _, _ in make_reader(file).iter_messages() if schema]
    assert found == definitions


def _decoded(data: bytes) -> np.ndarray[Any, Any]:
    with av.open(io.BytesIO(data)) as container:
        return next(container.decode(video=0)).to_ndarray(format="rgb24")


def test_png_keeps_every_pixel() -> None:
    image = compressed(COLOURS, "png", 10**9 + 3)
    assert image["timestamp"] == {"sec": 1, "nsec": 3}
    assert np.array_equal(_decoded(base64.b64decode(image["data"])), COLOURS)


def test_arrays_of_picture_shape_and_encoded_pictures_are_found_in_a_message() -> None:
    png = base64.b64decode(compressed(COLOURS, "png", 0)["data"])
    jpeg = base64.b64decode(compressed(COLOURS, "jpeg", 0)["data"])
    value = {
        "views": [{"png": png}, {"png": b"none"}],
        "jpeg": jpeg,
        "turned": np.moveaxis(COLOURS, -1, 0),
        "floats": COLOURS.astype("f4"),
        "table": np.zeros((100, 3), np.uint8),
        "small": np.zeros((2, 2, 3), np.uint8),
    }
    found = dict(pictures_in(value))
    assert set(found) == {"views/0/png", "jpeg", "turned"}
    assert np.array_equal(found["turned"], COLOURS)
    assert compressed(found["views/0/png"], "jpeg", 0)["format"] == "png"


def test_json_export_prints_one_line_for_each_message(bag: Path, tmp_path: Path) -> None:
    done = rlgpt("bag", "export", "a.mcap", "--json", "--topics", "*/plain", cwd=tmp_path)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == 200
    assert lines[3]["message"] == {
        "type": "Number",
        "number": 3,
        "values": {"dtype": "float64", "shape": [3], "values": [0.0, 1.0, 2.0]},
        "_goal": "g",
    }
    assert (lines[3]["topic"], lines[3]["sequence"]) == ("a/plain", 3)


def test_csv_export_writes_one_table_for_each_topic(bag: Path, tmp_path: Path) -> None:
    done = rlgpt("bag", "export", "a.mcap", "--csv", "-o", "tables", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "tables" / "a.plain.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 200
    assert (rows[5]["number"], rows[5]["_goal"]) == ("5", "g")
    assert json.loads(rows[5]["values"])["values"] == [0.0, 1.0, 2.0]
    assert rows[4]["values"] == ""


def test_what_is_left_out_of_an_export_is_counted(bag: Path, tmp_path: Path) -> None:
    with (tmp_path / "foreign.mcap").open("wb") as file:
        foreign = Writer(file)
        foreign.start()
        channel = foreign.register_channel("a/b\0c", "cdr", schema_id=0)
        plain = foreign.register_channel("a/b\0c", "json", schema_id=0)
        for number in range(5):
            foreign.add_message(channel, number, b"\x00\x01", number)
        foreign.add_message(plain, 9, b'{"x": 1}', 9)
        foreign.finish()
    done = rlgpt("bag", "export", "foreign.mcap", "--csv", "-o", "tables", cwd=tmp_path)
    assert "5 messages could not be read by encoding cdr: left out" in done.stderr
    assert (tmp_path / "tables" / "a.b_c.csv").is_file()
    whole = bag.read_bytes()
    (tmp_path / "cut.mcap").write_bytes(whole[: len(whole) // 2])
    done = rlgpt("bag", "export", "cut.mcap", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert "the bag is cut off or damaged: its last " in done.stderr


def test_damaged_messages_and_chunks_are_counted_as_such(bag: Path, tmp_path: Path) -> None:
    writer = BagWriter(tmp_path / "b.mcap", {})
    channel = writer.add_channel("a/b", "Number", b"{}", {"node": "a"})
    for body in (b"\x81\xa1a\x01", b"\x81\xa1\xff\x01", b"\xc0"):  # whole, no text, no map
        writer.write(channel, 1, 1, [body], 1)
    writer.finish()
    done = rlgpt("bag", "export", "b.mcap", "--json", cwd=tmp_path)
    assert done.stderr == "rlgpt: 2 damaged messages are left out\n"
    assert done.stdout.count("\n") == 1
    rlgpt("bag", "export", str(bag), "--pictures", "none", "-o", "chunks.mcap", cwd=tmp_path)
    chunks = (tmp_path / "chunks.mcap").read_bytes()
    for broken in (chunks.replace(b"zstd", b"mine"), _spoilt(chunks, chunks.index(b"zstd") + 40)):
        (tmp_path / "broken.mcap").write_bytes(broken)
        done = rlgpt("bag", "info", "broken.mcap", cwd=tmp_path)
        assert re.search(r"messages +0\n", done.stdout)
        assert re.search(r"damaged chunks +1\n", done.stdout)
        done = rlgpt("bag", "export", "broken.mcap", "--json", cwd=tmp_path)
        assert "1 chunk of the bag is damaged: messages are missing" in done.stderr


def _spoilt(data: bytes, at: int) -> bytes:
    return data[:at] + bytes(each ^ 0xFF for each in data[at : at + 40]) + data[at + 40 :]


def test_topics_whose_tables_would_have_one_name_have_a_table_each(tmp_path: Path) -> None:
    writer = BagWriter(tmp_path / "a.mcap", {})
    for topic in ("a/b", "a.b", "c" * 400):
        channel = writer.add_channel(topic, "Number", b"{}", {"node": "a"})
        writer.write(channel, 1, 1, joined(snapshot(encode(Number(number=1))), ""), 1)
    writer.finish()
    done = rlgpt("bag", "export", "a.mcap", "--csv", "-o", "tables", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    names = sorted(each.name for each in (tmp_path / "tables").iterdir())
    assert names == ["a.b-2.csv", "a.b.csv", "c" * 200 + ".csv"]
    # One that is there already is found before another is written.
    (tmp_path / "tables" / "a.b.csv").unlink()
    assert "-2.csv exists" in refused(
        *("bag", "export", "a.mcap", "--csv", "-o", "tables"), cwd=tmp_path
    )
    assert not (tmp_path / "tables" / "a.b.csv").exists()


def test_a_pattern_that_no_topic_has_is_refused_and_nothing_is_left(
    bag: Path, tmp_path: Path
) -> None:
    arguments = ("a.mcap", "--topics", "a/plam", "-o", "new.mcap")
    sentence = refused("bag", "export", *arguments, cwd=tmp_path)
    assert "a.mcap has no topic `a/plam`; did you mean `a/plain`?" in sentence
    assert not (tmp_path / "new.mcap").exists()


def test_bags_that_cannot_be_exported_are_refused(bag: Path, tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"")
    for arguments, words in (
        (("a.mcap",), "where to? give --output"),
        (("a.mcap", "-o", "there"), "there exists; choose another file"),
        (("a.mcap", "-o", "no/out.mcap"), "cannot be written: No such file"),
        (("none.mcap", "--json"), "none.mcap cannot be read"),
        (("a.mcap", "--csv", "-o", "there"), "cannot be made"),
    ):
        assert words in refused("bag", "export", *arguments, cwd=tmp_path), arguments
    assert "cannot be read" in refused("bag", "export", "gone", "-o", "new.mcap", cwd=tmp_path)
    os.mkfifo(tmp_path / "pipe")
    for words in (("export", "pipe", "--json"), ("info", "pipe"), ("info", "/dev/zero")):
        said = refused("bag", *words, cwd=tmp_path)
        assert f"{words[1]} is no file but a pipe or a device" in said
    assert not (tmp_path / "new.mcap").exists()


@pytest.mark.parametrize("kind", ["--msgpack", "--json", "--csv"])
def test_a_file_that_there_is_no_room_for_is_named_and_removed(
    bag: Path, tmp_path: Path, kind: str
) -> None:
    words = shlex.join(command("bag", "export", bag.name, kind, "-o", "out"))
    limited = ["sh", "-c", f"ulimit -f 1; exec {words}"]  # a block of 512 or 1,024 bytes
    done = subprocess.run(limited, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "rlgpt: out cannot be written: File too large\n")
    out = tmp_path / "out"
    assert not (list(out.iterdir()) if out.is_dir() else out.exists())
    assert not list(tmp_path.glob(".out*"))  # nor what was to become it


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_export_that_is_ended_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    writer = BagWriter(tmp_path / "a.mcap", {})
    channel = writer.add_channel("a/x", "Number", b"{}", {"node": "a"})
    body = joined(snapshot(encode(Number(number=1, values=np.arange(1000.0)))), "")
    for place in range(20_000):  # seconds of work
        writer.write(channel, place, 1, body, place)
    writer.finish()
    words = command("bag", "export", "a.mcap", "--json", "-o", "out")
    with subprocess.Popen(words, cwd=tmp_path, env=environment()) as export:
        eventually(lambda: list(tmp_path.glob(".out*")))
        export.send_signal(number)
        assert export.wait(PATIENCE) == INTERRUPTED
    assert [each.name for each in tmp_path.iterdir()] == ["a.mcap"]
