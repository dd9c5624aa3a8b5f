"""Where a node holds its work while it is paused: requests that came, and requests that it is about
to send.

A held request takes no thread: it is let through, in the order in which the requests came, when the
gate opens or a step is allowed. A thread that is about to send a request waits.
"""

import threading
from collections import deque
from collections.abc import Callable

_TICK = 0.2
"""Seconds between two checks whether a waiting thread is still to wait."""


class Gate:
    """Open at first. ``changed`` is called, from any thread, after a step was taken and when
    something begins to wait; `Gate.set` does not call it."""

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        self._changed = changed
        self._condition = threading.Condition()
        self._shut = False
        self._steps = 0  # that may still be taken while it is shut
        self._taken = 0  # since it was shut last
        self._held: deque[tuple[str, Callable[[], None]]] = deque()
        self._threads: dict[int, str] = {}  # what each waiting thread is about to do

    @property
    def shut(self) -> bool:
        return self._shut

    @property
    def steps(self) -> int:
        """Steps that may still be taken while the gate is shut."""
        return self._steps

    @property
    def taken(self) -> int:
        """Steps that were taken since the gate was shut last."""
        return self._taken

    def waiting(self) -> list[str]:
        """What waits, the first first: names of services and actions."""
        with self._condition:
            return [*(what for what, _ in self._held), *self._threads.values()]

    def set(self, shut: bool, steps: int = 0) -> None:
        """Shut the gate, but for so many steps; or open it."""
        with self._condition:
            if shut and not self._shut:
                self._taken = 0
            self._shut, self._steps = shut, steps if shut else 0
            through = self._let_through()
            self._condition.notify_all()
        for do in through:
            do()

    def hold(self, what: str, do: Callable[[], None]) -> None:
        """``do`` now, or when it is let through. ``do`` must not block."""
        with self._condition:
            # One that came later does not overtake.
            if not self._shut or (self._steps and not self._held):
                counted = self._count()
            else:
                counted = None
                self._held.append((what, do))
        if counted is not None:
            do()
        if counted is not False:
            self._changed()

    def wait(self, what: str, check: Callable[[], None], counts: bool = True) -> None:
        """Block until this may be done; it is a step if it ``counts``. ``check`` is called
        meanwhile and raises to end the wait."""
        if not self._shut:
            return
        thread = threading.get_ident()
        waited = False
        try:
            while True:
                with self._condition:
                    if not self._shut:
                        return
                    if self._steps:
                        if not counts:
                            return
                        self._count()
                        break
                    self._threads[thread] = what
                    new, waited = not waited, True
                if new:
                    self._changed()
                with self._condition:
                    if self._shut and not self._steps:
                        self._condition.wait(_TICK)
                check()
        finally:
            with self._condition:
                self._threads.pop(thread, None)
        self._changed()

    def take(self, count: int) -> None:
        """Record that so many of the steps that may be taken were taken elsewhere, in a process
        that knows the gate's state late."""
        with self._condition:
            count = max(0, min(count, self._steps))
            self._steps -= count
            self._taken += count
        if count:
            self._changed()

    def note(self, what: str) -> None:
        """The calling thread waits with this elsewhere; empty: no longer."""
        thread = threading.get_ident()
        with self._condition:
            before = self._threads.pop(thread, "")
            if what:
                self._threads[thread] = what
        if what != before:
            self._changed()

    # With the lock held

    def _count(self) -> bool:
        """Count a step, if the gate is shut; whether it is."""
        if not self._shut:
            return False
        self._steps -= 1
        self._taken += 1
        return True

    def _let_through(self) -> list[Callable[[], None]]:
        through: list[Callable[[], None]] = []
        while self._held and (not self._shut or self._steps):
            self._count()
            through.append(self._held.popleft()[1])
        return through
