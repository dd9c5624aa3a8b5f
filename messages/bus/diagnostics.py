"""Problems: counted, and published at most once a second for each subject."""

import logging
import threading
import time
from collections.abc import Callable

from messages.system import NOTICE, Diagnostic

INTERVAL = 1.0
"""Seconds between two messages about the same subject."""
MAX_SUBJECTS = 1000


class Diagnostics:
    """Counts what is reported by (level, about). Safe to use from any thread."""

    def __init__(
        self, node: str, publish: Callable[[Diagnostic], None], log: logging.Logger
    ) -> None:
        self._node = node
        self._publish = publish
        self._log = log
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, str], int] = {}
        self._sent: dict[tuple[str, str], float] = {}
        self._waiting: dict[tuple[str, str], str] = {}

    def report(self, about: str, message: str, level: str = "warning") -> None:
        key = (level, about)
        now = time.monotonic()
        with self._lock:
            if key not in self._counts and len(self._counts) >= MAX_SUBJECTS:
                key = (level, "other")
            self._counts[key] = self._counts.get(key, 0) + 1
            if now - self._sent.get(key, -INTERVAL) < INTERVAL:
                self._waiting[key] = message
                return
        self._emit(key, message, now)

    def flush(self) -> None:
        """Publish what was held back; to be called about once a second."""
        now = time.monotonic()
        with self._lock:
            due = [key for key in self._waiting if now - self._sent[key] >= INTERVAL]
            messages = [(key, self._waiting.pop(key)) for key in due]
        for key, message in messages:
            self._emit(key, message, now)

    def _emit(self, key: tuple[str, str], message: str, now: float) -> None:
        with self._lock:
            self._sent[key] = now
            self._waiting.pop(key, None)
            count = self._counts[key]
        level, about = key
        text = message if len(message) <= 500 else message[:499] + "…"
        times = "" if count == 1 or level == NOTICE else f" (seen {count} times)"
        self._log.log(
            logging.ERROR if level == "error" else logging.WARNING, "%s: %s%s", about, text, times
        )
        self._publish(
            Diagnostic(node=self._node, level=level, about=about, message=text, count=count)
        )
