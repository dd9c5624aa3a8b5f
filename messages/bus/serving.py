"""The serving thread: its sockets, what other threads post to it, and its timers."""

import contextlib
import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import zmq

from messages.bus.diagnostics import Diagnostics
from messages.bus.errors import BusClosed, BusError
from messages.bus.timers import Timers

TURN = 0.2
"""Seconds after which the serving thread looks at its timers at the latest."""


class Serving:
    """Reads sockets, runs what was posted and the timers, in the thread that spins it.

    Attributes:
        closing: set once the shutdown has begun: no request is answered any more, and waiting
            threads check it.
        closed: nothing is served, posted or woken any more.
    """

    def __init__(self, diagnostics: Diagnostics, log: logging.Logger) -> None:
        self.closing = threading.Event()
        self.closed = False
        self._diagnostics = diagnostics
        self._log = log
        self._thread: int | None = None
        self._idle = threading.Event()
        self._idle.set()
        self._posted: deque[Callable[[], None]] = deque()
        self._timers = Timers(diagnostics, log)
        self._poller = zmq.Poller()
        self._readers: dict[Any, Callable[[], None]] = {}
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self.read(self._wake, self._awake)  # first: what was posted is done before what came in

    @property
    def here(self) -> bool:
        """Whether the calling thread is the one that serves."""
        return self._thread == threading.get_ident()

    @property
    def waiting(self) -> int:
        """How much is posted and not done yet."""
        return len(self._posted)

    def read(self, socket: Any, read: Callable[[], None]) -> None:
        """Call ``read`` whenever the socket is readable."""
        self._readers[socket] = read
        self._poller.register(socket, zmq.POLLIN)

    def every(self, seconds: float, do: Callable[[], None]) -> None:
        """Call ``do`` every so many seconds. Its exceptions are reported."""
        self._timers.add(seconds, do)

    def post(self, do: Callable[[], None]) -> None:
        """Call ``do`` once, at once if this is the serving thread. What other threads post before
        the first turn is done in it. Nothing is done any more once the bus is closed."""
        if self.closed:
            return
        if self.here:
            do()
        else:
            self._posted.append(do)
            self.wake()

    def wake(self) -> None:
        """Wake the serving thread. May be called from a signal handler."""
        if not self.closed:
            with contextlib.suppress(BlockingIOError):
                os.eventfd_write(self._wake, 1)

    def spin(self, stop: threading.Event) -> None:
        """Serve until ``stop`` is set."""
        self._idle.clear()
        try:
            while not stop.is_set() and not self.closing.is_set():
                self._turn(TURN)
            self._run_posted()
        finally:
            self._idle.set()

    def spin_once(self, timeout: float) -> None:
        """Serve what has come in, or what comes first within ``timeout`` seconds."""
        self._idle.clear()
        try:
            self._turn(timeout)
        finally:
            self._idle.set()

    def close(self) -> None:
        """End the serving thread, and wait for it if it is another one."""
        self.closing.set()
        self.wake()
        if not self.here:
            self._idle.wait(2.0)
        if self.here or self._idle.is_set():
            self._thread = threading.get_ident()
            self._run_posted()  # what other threads have published since the last turn
        self.closed = True

    def __del__(self) -> None:
        # Not in `close`: another thread may be about to write, and the number would be taken again.
        if hasattr(self, "_wake"):
            os.close(self._wake)

    def _turn(self, timeout: float) -> None:
        if self.closed:
            raise BusClosed("the bus is closed")
        self._thread = threading.get_ident()
        for socket, _ in self._poller.poll(int(timeout * 1000)):
            self._readers[socket]()
        self._timers.run(self.closing.is_set)

    def _awake(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._wake)
        self._run_posted()

    def _run_posted(self) -> None:
        while self._posted:
            try:
                self._posted.popleft()()
            except BusError as error:
                self._log.error("%s", error)
                self._diagnostics.report("bus", str(error), "error")
