"""`rlgpt bag export`: a bag for Foxglove, as lines of JSON, or as tables."""

import csv
import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from nodes.common.running.command import FULL
from nodes.common.running.counted import counted
from nodes.common.running.ending_signals import interruptible
from nodes.common.running.exit_codes import FAILED, REFUSED
from nodes.common.running.standard_error import to_stderr
from nodes.common.storage.whole_files import whole_file
from rlgpt.bags.bag_reader import BagReader, Recorded, left_out
from rlgpt.bags.found_pictures import SCHEMA, SCHEMA_NAME, compressed, pictures_in
from rlgpt.bags.plain_messages import ENCODINGS, columns_of, json_of, value_of
from rlgpt.bags.topic_patterns import check_patterns, is_wanted
from rlgpt.refused import Refused

CHUNK = 1 << 20  # bytes, before they are compressed
_LONGEST_NAME = 200
"""Bytes of a topic's name in the name of its table."""
Read = tuple[Recorded, dict[str, Any]]
"""A message, and what is in it."""


def export(
    file: str, output: str | None, kind: str, topics: Sequence[str], compression: str, pictures: str
) -> int:
    """Write what is in a bag. ``kind``: ``foxglove`` (an MCAP file with JSON messages), ``msgpack``
    (the same with the messages as they are), ``json`` or ``csv``. ``pictures``: ``jpeg``, ``png``
    or ``none``."""
    source = Path(os.path.expanduser(file))
    reader = BagReader(source)
    readable = _Readable(reader, topics)
    chosen = readable.messages()
    if output is None and kind != "json":
        raise Refused("where to? give --output")
    path = Path(os.path.expanduser(output or ""))
    with interruptible():  # nothing is left of a file that is not whole
        if kind == "json":
            count = _export_json(chosen, output)
        elif kind == "csv":
            count = _export_csv(chosen, path)
        else:
            count = _export_mcap(chosen, path, kind, compression, pictures)
    for sentence in readable.left_out():
        to_stderr(sentence)
    if output is not None:
        to_stderr(f"{output}: {counted(count, 'message')}")
    return 0


class _Readable:
    """The messages of a bag that are wanted and can be read, and a count of the others."""

    def __init__(self, reader: BagReader, topics: Sequence[str]) -> None:
        self._reader = reader
        self._topics = topics
        self._unknown: Counter[str] = Counter()  # messages by an encoding that cannot be read
        self._damaged = 0

    def messages(self) -> Iterator[Read]:
        """Raises Refused, at the end, where the bag has no topic of one of the patterns."""
        met: set[str] = set()
        for message in self._reader.messages():
            topic = message.channel.topic
            met.add(topic)
            if not is_wanted(topic, self._topics):
                continue
            if (value := value_of(message)) is not None:
                yield message, value
            elif message.channel.encoding in ENCODINGS:
                self._damaged += 1
            else:
                self._unknown[message.channel.encoding] += 1
        check_patterns(self._reader.path, self._topics, met)

    def left_out(self) -> Iterator[str]:
        """What of the bag was not exported, in sentences."""
        for encoding, count in sorted(self._unknown.items()):
            yield f"{counted(count, 'message')} could not be read by encoding {encoding}: left out"
        yield from left_out(self._reader, self._damaged)


@contextmanager
def new_file(path: Path, wanted: Path | None = None) -> Iterator[BinaryIO]:
    """A file that is not there yet, and has its name once it is whole. Raises Refused with what was
    asked for, ``path`` itself or ``wanted``."""
    if os.path.lexists(path):
        raise Refused(f"{path} exists; choose another file")
    try:
        with whole_file(path) as file:
            yield file
    except OSError as error:
        code = FAILED if error.errno in FULL else REFUSED
        raise Refused(f"{wanted or path} cannot be written: {error.strerror}", code) from None


@contextmanager
def _all_or_none(paths: Iterable[Path]) -> Iterator[None]:
    """Of several files that are made in the block, none stays where one of them fails."""
    try:
        yield
    except BaseException:
        for path in paths:
            path.unlink(missing_ok=True)
        raise


def _export_json(messages: Iterator[Read], output: str | None) -> int:
    def write(put: Callable[[bytes], Any]) -> int:
        count = 0
        for message, value in messages:
            line = {
                "topic": message.channel.topic,
                "time": message.logged / 1e9,
                "published": message.published / 1e9,
                "sequence": message.sequence,
                "message": value,
            }
            put(json_of(line) + b"\n")
            count += 1
        return count

    if output is None:
        return write(sys.stdout.buffer.write)
    with new_file(Path(os.path.expanduser(output))) as file:
        return write(file.write)


def _export_csv(messages: Iterator[Read], folder: Path) -> int:
    rows: dict[str, list[dict[str, Any]]] = {}
    count = 0
    for message, value in messages:
        # Fields of the message that are called so as well come under other names.
        row = {"time": message.logged / 1e9, "published": message.published / 1e9}
        fields = {f"{n}_" if n in row else n: each for n, each in columns_of(value).items()}
        rows.setdefault(message.channel.topic, []).append(row | fields)
        count += 1
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(f"{folder} cannot be made: {error.strerror}") from None
    paths = _table_files(folder, rows)
    for path in paths.values():  # all of them before the first is written
        if os.path.lexists(path):
            raise Refused(f"{path} exists; choose another folder")
    with _all_or_none(paths.values()):
        for topic, those in rows.items():
            names = list(dict.fromkeys(name for row in those for name in row))
            with new_file(paths[topic], folder) as file:
                text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
                table = csv.DictWriter(text, names, restval="")
                table.writeheader()
                table.writerows(those)
                text.detach()  # what has opened `file` closes it
    return count


def _table_files(folder: Path, topics: Iterable[str]) -> dict[str, Path]:
    """A file for each topic, named after it; `a.b` and `a/b` are two topics, which only a number
    tells apart."""
    files: dict[str, Path] = {}
    for topic in topics:
        plain = "".join(each if each.isprintable() else "_" for each in topic.replace("/", "."))
        # A file name has at most 255 bytes.
        stem = plain.encode()[:_LONGEST_NAME].decode(errors="ignore")
        path, number = folder / f"{stem}.csv", 1
        while path in files.values():
            number += 1
            path = folder / f"{stem}-{number}.csv"
        files[topic] = path
    return files


def _export_mcap(
    messages: Iterator[Read], path: Path, kind: str, compression: str, pictures: str
) -> int:
    from mcap.writer import CompressionType, Writer

    with new_file(path) as file:
        writer = Writer(file, chunk_size=CHUNK, compression=CompressionType[compression.upper()])
        writer.start(library="rlgpt")
        copy = _Copy(writer, kind, pictures)
        count = 0
        for message, value in messages:
            copy.add(message, value)
            count += 1
        writer.finish()
    return count


class _Copy:
    """Adds messages to a file of the mcap package."""

    def __init__(self, writer: Any, kind: str, pictures: str) -> None:
        self._writer = writer
        self._as_json = kind == "foxglove"
        self._pictures = pictures
        self._channels: dict[int, int] = {}  # by their numbers in the bag
        self._schemas: dict[tuple[str, bytes], int] = {}
        self._picture_channels: dict[str, int] = {}

    def add(self, message: Recorded, value: dict[str, Any]) -> None:
        data = json_of(value) if self._as_json else message.data
        self._write(self._channel(message), message, data)
        if self._as_json and self._pictures != "none":
            for place, picture in pictures_in(value):
                image = compressed(picture, self._pictures, message.published)
                channel = self._picture_channel(f"{message.channel.topic}/{place}")
                self._write(channel, message, json_of(image))

    def _write(self, channel: int, message: Recorded, data: bytes) -> None:
        self._writer.add_message(
            channel_id=channel,
            log_time=message.logged,
            publish_time=message.published,
            sequence=message.sequence,
            data=data,
        )

    def _channel(self, message: Recorded) -> int:
        found = message.channel
        number = self._channels.get(found.number)
        if number is None:
            # Foxglove reads JSON without a schema, and not every schema.
            schema = 0 if self._as_json else self._schema(found.schema, found.definition)
            number = self._channels[found.number] = self._writer.register_channel(
                topic=found.topic,
                message_encoding="json" if self._as_json else found.encoding,
                schema_id=schema,
                metadata={**found.metadata, "type": found.schema},
            )
        return number

    def _schema(self, name: str, definition: bytes) -> int:
        # A type has two definitions where a node came back with another version of it.
        key = name, definition
        if key not in self._schemas:
            self._schemas[key] = self._writer.register_schema(name, "jsonschema", definition)
        return self._schemas[key]

    def _picture_channel(self, topic: str) -> int:
        number = self._picture_channels.get(topic)
        if number is None:
            number = self._picture_channels[topic] = self._writer.register_channel(
                topic=topic,
                message_encoding="json",
                schema_id=self._schema(SCHEMA_NAME, json_of(SCHEMA)),
            )
        return number
