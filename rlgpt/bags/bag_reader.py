"""Reads a bag from its beginning: with or without a footer, cut off anywhere, with chunks or
not."""

import mmap
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

from nodes.common.running.counted import counted
from rlgpt.bags import mcap_records as records
from rlgpt.bags.message_maps import is_map
from rlgpt.composing.user_files import check_regular
from rlgpt.refused import Refused


@dataclass(frozen=True)
class Channel:
    """Messages of one topic, from one start of its node."""

    number: int
    topic: str
    schema: str  # the type's name
    definition: bytes  # its JSON schema
    encoding: str
    metadata: dict[str, str]

    @property
    def latched(self) -> bool:
        """Whether it is of a latched topic."""
        return self.metadata.get("latched") == "true"


@dataclass(frozen=True)
class Recorded:
    """A message of a bag."""

    channel: Channel
    sequence: int
    logged: int  # nanoseconds since 1970: when it was received
    published: int  # when it was published, by its sender's clock
    data: bytes


@dataclass
class BagReader:
    """One file. `messages` reads it; the rest is known when they have been read.

    Attributes:
        notes: what the recorder noted of the recording.
        dropped: messages whose body is no MessagePack map, as an unclean end of the machine leaves.
        damaged_chunks: chunks that could not be read to their end, or are not as they were written;
            how many messages are missing is not known.
        ended: whether the file was ended in order.
        unread: bytes at the end of the file that belong to no whole record.
    """

    path: Path
    channels: dict[int, Channel] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    dropped: int = 0
    damaged_chunks: int = 0
    ended: bool = False
    unread: int = 0
    _schemas: dict[int, tuple[str, bytes]] = field(default_factory=dict)

    def messages(self) -> Iterator[Recorded]:
        """All messages, in the order of the file. Raises Refused where it is no bag."""
        check_regular(self.path)
        try:
            with self.path.open("rb") as file:
                start = file.read(len(records.MAGIC))
                if not records.MAGIC.startswith(start):
                    raise Refused(f"{self.path} is no bag: it does not begin as an MCAP file does")
                if len(start) < len(records.MAGIC):  # cut off in the first bytes
                    self.unread = len(start)
                    return
                with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                    yield from self._scan(data)
        except OSError as error:
            raise Refused(f"{self.path} cannot be read: {error.strerror}") from None

    def _scan(self, data: Any) -> Iterator[Recorded]:
        at, end = len(records.MAGIC), len(data)
        while at + records.HEAD.size <= end:
            kind, size = records.HEAD.unpack_from(data, at)
            after = at + records.HEAD.size + size
            if kind == 0 or after > end:  # zeros, or a record that is cut off
                break
            content = data[at + records.HEAD.size : after]
            at = after
            try:
                if kind == records.CHUNK:
                    yield from self._scan_chunk(content)
                elif kind == records.FOOTER:
                    self.ended = True
                    break
                elif (message := self._take(kind, content)) is not None:
                    yield message
            except (ValueError, struct.error):
                self.dropped += 1
        if not self.ended:
            self.unread = end - at

    def _scan_chunk(self, content: bytes) -> Iterator[Recorded]:
        # Only files that were exported, or recorded by others, have chunks.
        from mcap.data_stream import ReadDataStream
        from mcap.records import Chunk
        from mcap.stream_reader import get_chunk_data_stream

        try:
            chunk = Chunk.read(ReadDataStream(BytesIO(content)))
            stream, size = get_chunk_data_stream(chunk)
            data = stream.read(size)
        except Exception:  # each way of compressing has its own
            self.damaged_chunks += 1
            return
        # The mcap package takes a chunk that is compressed in a way it does not know for plain.
        if chunk.compression not in ("", "zstd", "lz4"):
            self.damaged_chunks += 1
            return
        at = 0
        spoilt = chunk.uncompressed_crc not in (0, zlib.crc32(data))  # 0: there is none
        while at + records.HEAD.size <= len(data):
            kind, size = records.HEAD.unpack_from(data, at)
            at += records.HEAD.size
            if kind == 0 or at + size > len(data):
                break
            content, at = data[at : at + size], at + size
            try:
                message = self._take(kind, content)
            except (ValueError, struct.error):
                self.dropped += 1
                continue
            if message is not None:
                yield message
        self.damaged_chunks += spoilt or at < len(data)

    def _take(self, kind: int, content: bytes) -> Recorded | None:
        if kind == records.MESSAGE:
            return self._message(content)
        fields = records.Fields(content)
        if kind == records.SCHEMA:
            number, name, _ = fields.number(2), fields.text(), fields.text()
            self._schemas[number] = (name, fields.block())
        elif kind == records.CHANNEL:
            number, schema = fields.number(2), fields.number(2)
            name, definition = self._schemas.get(schema, ("", b""))
            topic, encoding, metadata = fields.text(), fields.text(), fields.text_map()
            self.channels[number] = Channel(number, topic, name, definition, encoding, metadata)
        elif kind == records.METADATA and fields.text() == "rlgpt":
            self.notes |= fields.text_map()
        return None

    def _message(self, content: bytes) -> Recorded | None:
        number, sequence, logged, published = records.MESSAGE_HEAD.unpack_from(content)
        channel = self.channels.get(number)
        data = content[records.MESSAGE_HEAD.size :]
        if channel is None or (channel.encoding == records.ENCODING and not is_map(data)):
            self.dropped += 1
            return None
        return Recorded(channel, sequence, logged, published, data)


def left_out(reader: BagReader, damaged: int = 0) -> Iterator[str]:
    """What of a bag that was read could not be, in sentences; ``damaged``: messages that turned out
    to be after they had been read."""
    if dropped := reader.dropped + damaged:
        yield f"{counted(dropped, 'damaged message', 'is', 'are')} left out"
    if chunks := reader.damaged_chunks:
        yield (
            f"{counted(chunks, 'chunk')} of the bag {'is' if chunks == 1 else 'are'} damaged: "
            "messages are missing or wrong"
        )
    if unread := reader.unread:
        yield (
            f"the bag is cut off or damaged: its last {unread:,} bytes are no whole record and "
            "are left out"
        )
