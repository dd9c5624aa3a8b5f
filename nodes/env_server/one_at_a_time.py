"""Threads that take turns, by name."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class OneAtATime:
    """One thread at a time for each name; the others wait."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._changed = threading.Condition()

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: name not in self._taken)
            self._taken.add(name)
        try:
            yield
        finally:
            with self._changed:
                self._taken.discard(name)
                self._changed.notify_all()
