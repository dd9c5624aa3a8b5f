"""Limits the connections of a node and the memory that they take.

ZeroMQ delivers whole messages only, and keeps the parts of an unfinished one without limit: a peer
that sends parts without end would take all memory. No option of the library bounds that, so a
thread checks the process's memory. If it grows by more than messages may take, the connections on
which bytes keep coming are closed, and what they had sent is freed. A well-behaved peer that was
just sending reconnects and sends its request again, at no loss.
"""

import contextlib
import ctypes
import fcntl
import logging
import os
import resource
import socket
import struct
import termios
import threading
import time
from collections import Counter, deque

import zmq
from zmq.utils.monitor import recv_monitor_message

from messages.bus.diagnostics import Diagnostics
from messages.bus.network.frames import Socket
from messages.bus.network.handshakes import FAILED, ended, why_a_peer_was_rejected
from messages.codec import MAX_MESSAGE

EVENTS = zmq.EVENT_ACCEPTED | zmq.EVENT_DISCONNECTED | FAILED
"""The monitors' events that a guard reads."""

LOOK = 0.1
"""Seconds between two checks."""
MAX_CONNECTIONS = 512
"""The most connections to one node. A process may often have a thousand files, of which these are
some."""
MAX_GROWTH = 3 * MAX_MESSAGE
"""Bytes by which the process may grow within `WINDOW` while others send to it."""
WINDOW = 2.0
"""Seconds."""
RELIEF = 1.0
"""Seconds after a flood until the memory that it took is given back to the system."""

# ZeroMQ reads about as fast as others send: several samples show which connections send.
_SAMPLES = 20
_BETWEEN = 0.002  # seconds

_libc = ctypes.CDLL(None)


class Guard:
    """Has a thread of its own, so that a busy node is guarded as well.

    Args:
        monitors: of the bound sockets, each with its subject in diagnostics. The guard alone reads
            them, until it is closed.
    """

    def __init__(
        self, monitors: dict[Socket, str], diagnostics: Diagnostics, log: logging.Logger
    ) -> None:
        self._monitors = monitors
        self._diagnostics = diagnostics
        self._log = log
        self._over = threading.Event()
        self._connections: dict[int, str] = {}  # by file descriptor, at which socket
        self._sizes: deque[tuple[float, int]] = deque()  # of the process, and when
        self._relief = 0.0  # when memory is given back, 0 for not at all
        # Opened once: when connections have taken all file descriptors, it could not be opened.
        self._statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        self._thread = threading.Thread(target=self._watch, name="bus-guard", daemon=True)
        self._thread.start()

    def return_memory(self) -> None:
        """Give the memory of a large discarded message back to the system. From any thread."""
        self._relief = time.monotonic() + RELIEF

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        os.close(self._statm)

    def _watch(self) -> None:
        while not self._over.wait(LOOK):
            try:
                for monitor, about in self._monitors.items():
                    self._read(monitor, about)
            except zmq.ZMQError:
                return  # the bus is closed
            now = time.monotonic()
            if self._grown(now) > MAX_GROWTH:
                self._close_senders()
            if self._relief and now >= self._relief:
                self._relief = 0.0
                _libc.malloc_trim(0)

    def _read(self, monitor: Socket, about: str) -> None:
        with contextlib.suppress(zmq.Again):
            while True:
                event = recv_monitor_message(monitor, zmq.NOBLOCK)
                kind, value = int(event["event"]), int(event["value"])
                if kind == zmq.EVENT_ACCEPTED:
                    self._admit(value, about)
                elif kind == zmq.EVENT_DISCONNECTED:
                    self._connections.pop(value, None)
                elif (why := ended(kind, value)) is not None:
                    # Nothing was rejected, and why it ended is not known.
                    self._log.debug("%s: a connection ended in its handshake: %s", about, why)
                else:
                    why = why_a_peer_was_rejected(kind, value)
                    self._diagnostics.report(about, f"a connection was rejected: {why}")

    def _admit(self, number: int, about: str) -> None:
        if len(self._connections) < MAX_CONNECTIONS:
            self._connections[number] = about
            return
        _shut(number)
        why = f"there are {MAX_CONNECTIONS} connections already"
        self._diagnostics.report(about, f"a connection was rejected: {why}")

    def _grown(self, now: float) -> int:
        sizes = self._sizes
        pages = int(os.pread(self._statm, 200, 0).split()[1])
        sizes.append((now, pages * resource.getpagesize()))
        while sizes[0][0] < now - WINDOW:
            sizes.popleft()
        return sizes[-1][1] - min(size for _, size in sizes)

    def _close_senders(self) -> None:
        seen: Counter[int] = Counter()
        for _ in range(_SAMPLES):
            seen.update(number for number in self._connections if _unread(number))
            time.sleep(_BETWEEN)
        for number in [number for number, times in seen.items() if times > 1]:
            about = self._connections.pop(number)
            _shut(number)
            self._diagnostics.report(
                about,
                f"a connection is closed: it sends without end, and this process has grown by more "
                f"than {MAX_GROWTH >> 20} MiB",
            )
            self.return_memory()


def _shut(number: int) -> None:
    """End a connection; ZeroMQ finds it closed by the peer."""
    with contextlib.suppress(OSError):
        connection = socket.socket(fileno=number)
        try:
            connection.shutdown(socket.SHUT_RDWR)
        finally:
            connection.detach()  # ZeroMQ closes it


def _unread(number: int) -> int:
    """Bytes that have come by a connection and that ZeroMQ has not read yet."""
    try:
        count = fcntl.ioctl(number, termios.FIONREAD, bytes(4))
    except OSError:
        return 0
    return int(struct.unpack("i", count)[0])
