"""How many bytes are on their way to a subscriber. ZeroMQ bounds the number of messages that wait
for a connection, and not their size."""

from collections import deque

import zmq

MAX_WAITING = 32 << 20
"""Bytes that wait for one subscriber."""
SMALL = 4096
"""Bytes. Smaller messages are bounded by their number alone, as following each would cost more than
sending it."""


class SendQueue:
    """The large messages that were sent to one subscriber and have not left the process."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[zmq.MessageTracker, int]] = deque()
        self._bytes = 0

    def has_room(self, size: int) -> bool:
        """Whether a message of so many bytes may be sent now. One that waits alone always may."""
        waiting = self._waiting
        while waiting and waiting[0][0].done:
            self._bytes -= waiting.popleft()[1]
        return not waiting or self._bytes + size <= MAX_WAITING

    def follow(self, body: bytes, size: int) -> bytes | zmq.Frame:
        """The first frame of a message of ``size`` bytes, to be sent in place of ``body``."""
        if size < SMALL:
            return body
        frame = zmq.Frame(body, track=True, copy=False)
        tracker = frame.tracker
        assert tracker is not None
        self._waiting.append((tracker, size))
        self._bytes += size
        return frame
