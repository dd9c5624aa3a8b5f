"""The records of an MCAP file (https://mcap.dev/spec) that a bag is written of."""

import struct
from collections.abc import Mapping

MAGIC = b"\x89MCAP0\r\n"

HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06
STATISTICS, METADATA, DATA_END = 0x0B, 0x0C, 0x0F

HEAD = struct.Struct("<BQ")
"""The head of every record: its kind and the bytes that follow."""
MESSAGE_HEAD = struct.Struct("<HIQQ")
"""The head of a message: channel, sequence, log time, publish time; times in nanoseconds since
1970."""
WHOLE_HEAD = struct.Struct("<BQHIQQ")
"""Both, as the start of a message."""

ENCODING = "msgpack"
SCHEMA_ENCODING = "jsonschema"
PROFILE = "rlgpt"


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<I", len(data)) + data


def text_map(values: Mapping[str, str]) -> bytes:
    data = b"".join(text(key) + text(value) for key, value in values.items())
    return struct.pack("<I", len(data)) + data


def record(kind: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return HEAD.pack(kind, len(content)) + content


def header(library: str) -> bytes:
    return record(HEADER, text(PROFILE), text(library))


def schema(number: int, name: str, definition: bytes) -> bytes:
    return record(
        SCHEMA,
        struct.pack("<H", number),
        text(name),
        text(SCHEMA_ENCODING),
        struct.pack("<I", len(definition)),
        definition,
    )


def channel(number: int, schema_number: int, topic: str, metadata: Mapping[str, str]) -> bytes:
    return record(
        CHANNEL,
        struct.pack("<HH", number, schema_number),
        text(topic),
        text(ENCODING),
        text_map(metadata),
    )


def metadata(name: str, values: Mapping[str, str]) -> bytes:
    return record(METADATA, text(name), text_map(values))


def data_end() -> bytes:
    return record(DATA_END, struct.pack("<I", 0))  # no checksum


def statistics(counts: Mapping[int, int], schemas: int, notes: int, first: int, last: int) -> bytes:
    """``counts``: messages of each channel. ``notes``: metadata records."""
    each = b"".join(struct.pack("<HQ", *pair) for pair in counts.items())
    return record(
        STATISTICS,
        struct.pack("<QHIIII", sum(counts.values()), schemas, len(counts), 0, notes, 0),
        struct.pack("<QQI", first, last, len(each)),
        each,
    )


def footer(summary_start: int) -> bytes:
    return record(FOOTER, struct.pack("<QQI", summary_start, 0, 0))


class Fields:
    """Reads the fields of one record, in their order."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def number(self, size: int) -> int:
        return int.from_bytes(self._take(size), "little")

    def text(self) -> str:
        return self.block().decode(errors="replace")

    def block(self) -> bytes:
        return self.rest(4)

    def rest(self, size: int) -> bytes:
        """Bytes with a length of ``size`` bytes before them."""
        return self._take(self.number(size))

    def text_map(self) -> dict[str, str]:
        inner = Fields(self.block())
        found: dict[str, str] = {}
        while inner._at < len(inner._data):
            key = inner.text()
            found[key] = inner.text()
        return found

    def _take(self, size: int) -> bytes:
        end = self._at + size
        if end > len(self._data):
            raise ValueError("a record is too short")
        data, self._at = self._data[self._at : end], end
        return data
