"""The last minute of a run in memory, to be written when something has happened."""

from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rlgpt.bags.bag_writer import BagWriter
from rlgpt.bags.log_time import log_time

MAX_BYTES = 256 << 20
"""Bytes of messages that are kept at most."""


class _Kept(NamedTuple):
    channel: int
    sequence: int
    logged: int
    published: int
    data: bytes


class Snapshot:
    """A `Sink` that keeps the messages of the last ``seconds``, and of latched topics also the
    last one before."""

    def __init__(self, seconds: float, max_bytes: int = MAX_BYTES) -> None:
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._channels: list[tuple[str, str, bytes, Mapping[str, str]]] = []
        self._kept: deque[_Kept] = deque()
        self._before: dict[int, _Kept] = {}  # by channel
        self._bytes = 0

    def add_channel(
        self, topic: str, schema: str, definition: bytes, metadata: Mapping[str, str]
    ) -> int:
        self._channels.append((topic, schema, definition, metadata))
        return len(self._channels) - 1

    def write(self, channel: int, sequence: int, published: int, parts: Sequence[Any]) -> None:
        kept = _Kept(channel, sequence, log_time(), published, b"".join(parts))
        self._kept.append(kept)
        self._bytes += len(kept.data)
        self._forget(kept.logged)

    def save(self, path: Path, notes: Mapping[str, str]) -> BagWriter:
        """Write what is kept to a new file. Raises BagFull or OSError; what is kept stays."""
        self._forget(log_time())
        writer = BagWriter(path, notes)
        try:
            self._write_kept(writer)
            writer.finish()
        finally:
            writer.close()  # a bag that the disk has no room for, too
        return writer

    def _write_kept(self, writer: BagWriter) -> None:
        numbers: dict[int, int] = {}
        before = sorted(self._before.values(), key=lambda each: each.logged)
        for each in [*before, *self._kept]:
            if each.channel not in numbers:
                numbers[each.channel] = writer.add_channel(*self._channels[each.channel])
            channel = numbers[each.channel]
            writer.write(channel, each.sequence, each.published, [each.data], each.logged)

    def _forget(self, now: int) -> None:
        oldest = now - int(self._seconds * 1e9)
        kept = self._kept
        while kept and (kept[0].logged < oldest or self._bytes > self._max_bytes):
            gone = kept.popleft()
            self._bytes -= len(gone.data)
            if self._channels[gone.channel][3].get("latched"):
                self._before[gone.channel] = gone
