"""Writes a bag: an MCAP file without chunks, one system call for each message.

So a recorder that is killed has written every message that it had received; only the one that was
being written may be cut off, which readers notice. `rlgpt bag export` makes a file with chunks and
an index of it.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from rlgpt.bags import mcap_records as records
from rlgpt.bags.log_time import log_time


class Sink(Protocol):
    """Where messages are recorded."""

    def add_channel(
        self, topic: str, schema: str, definition: bytes, metadata: Mapping[str, str]
    ) -> int:
        """A channel for messages of one topic and one type; ``definition`` is the JSON schema of
        its type, which is called ``schema``. Returns its number."""
        ...

    def write(self, channel: int, sequence: int, published: int, parts: Sequence[Any]) -> None:
        """Add a message that consists of these pieces. ``published``: nanoseconds since 1970."""
        ...


class BagFull(Exception):
    """The file takes nothing more; it is whole up to the last message. The text is the reason."""


class BagWriter:
    """One file. Raises OSError if it cannot be made, and FileExistsError if it is there."""

    def __init__(self, path: Path, notes: Mapping[str, str]) -> None:
        """``notes``: what is to be known of the recording, stored as a metadata record."""
        self.path = path
        self.messages = 0
        self.size = 0
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        self._schemas: dict[tuple[str, bytes], int] = {}
        self._described: list[bytes] = []  # records of schemas and channels, for the summary
        self._counts: dict[int, int] = {}
        self._first = self._last = 0
        note = records.metadata("rlgpt", notes)
        try:
            self._append([records.MAGIC, records.header("rlgpt"), note])
        except BagFull:
            os.close(self._file)
            path.unlink(missing_ok=True)
            raise

    def add_channel(
        self, topic: str, schema: str, definition: bytes, metadata: Mapping[str, str]
    ) -> int:
        """See `Sink`. Raises BagFull."""
        number = self._schemas.get((schema, definition))
        if number is None:
            number = len(self._schemas) + 1
            self._describe(records.schema(number, schema, definition))
            self._schemas[schema, definition] = number
        channel = len(self._counts) + 1
        self._describe(records.channel(channel, number, topic, metadata))
        self._counts[channel] = 0
        return channel

    def write(
        self,
        channel: int,
        sequence: int,
        published: int,
        parts: Sequence[Any],
        logged: int | None = None,
    ) -> None:
        """See `Sink`; ``logged``: when it was received, now if not given. Raises BagFull."""
        logged = log_time() if logged is None else logged
        size = 0
        for part in parts:
            size += len(part)
        self._append(
            [
                records.WHOLE_HEAD.pack(
                    *(records.MESSAGE, records.MESSAGE_HEAD.size + size, channel),
                    *(sequence & 0xFFFFFFFF, logged, published),
                ),
                *parts,
            ]
        )
        self._first = self._first or logged
        self._last = max(self._last, logged)
        self._counts[channel] += 1
        self.messages += 1

    def finish(self) -> None:
        """Write the summary and the footer and close the file. Raises BagFull where they do not
        fit; readers do without."""
        try:
            start = self.size + len(records.data_end())
            statistics = records.statistics(
                self._counts, len(self._schemas), 1, self._first, self._last
            )
            self._append(
                [
                    *(records.data_end(), *self._described, statistics),
                    *(records.footer(start), records.MAGIC),
                ]
            )
        finally:
            self.close()

    def close(self) -> None:
        """Close the file as it is."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _describe(self, record: bytes) -> None:
        self._append([record])
        self._described.append(record)

    def _append(self, parts: list[Any]) -> None:
        if len(parts) > 512:  # the system takes 1024 at once
            parts = [b"".join(map(bytes, parts))]
        size = 0
        for part in parts:
            size += len(part)
        try:
            written = os.writev(self._file, parts)
            if written < size:  # the disk is full, or nearly: the rest gives the reason
                left = memoryview(b"".join(map(bytes, parts)))[written:]
                while left:
                    left = left[os.write(self._file, left) :]
        except OSError as error:
            os.ftruncate(self._file, self.size)
            raise BagFull(error.strerror or str(error)) from None
        self.size += size
