"""How many bytes are on their way to a subscriber. ZeroMQ bounds the number of messages that wait
for a connection, and not their size; so a subscriber reports from time to time what it has read."""

from messages.codec import Frames

MAX_WAITING = 32 << 20
"""Bytes that may be on their way to a subscriber. What exceeds them is dropped."""
REPORT = b"\2"
"""The first byte of a subscriber's report; the number of bytes follows."""
_REPORT_EVERY = 1 << 20  # bytes


class Sent:
    """The publisher's side of one connection."""

    def __init__(self) -> None:
        self._sent = 0
        self._read = 0

    def add(self, frames: Frames) -> None:
        """Count frames that were sent."""
        self._sent += sum(map(len, frames))

    def reported(self, report: bytes) -> None:
        """The subscriber has reported."""
        self._read = min(int.from_bytes(report[1:9], "big"), self._sent)

    def has_room(self, size: int) -> bool:
        """Whether so many bytes may be sent now. A message that waits alone always may."""
        waiting = self._sent - self._read
        return waiting < _REPORT_EVERY or waiting + size <= MAX_WAITING


class Received:
    """The subscriber's side."""

    def __init__(self) -> None:
        self._connection = 0  # in which connection it was counted
        self._read = 0
        self._reported = 0

    def add(self, frames: Frames, connection: int) -> None:
        """Count frames that were read. ``connection``: the number of the connection."""
        if connection != self._connection:
            self._connection, self._read, self._reported = connection, 0, 0
        self._read += sum(map(len, frames))

    @property
    def report(self) -> bytes | None:
        """What is to be sent to the publisher now; None as long as it knows enough."""
        if self._read - self._reported < _REPORT_EVERY:
            return None
        return REPORT + self._read.to_bytes(8, "big")

    def sent(self) -> None:
        """The report was sent."""
        self._reported = self._read
