"""Where a process logs to, on a disk that may be full."""

import contextlib
import logging
import sys
from pathlib import Path

from nodes.plain_text import plain_entry


class _Sparing(logging.Handler):
    """Only an entry begins at a line's start, whatever its text. That it cannot be written is said
    once, in a sentence, and not in a traceback for each entry."""

    what = "the log"
    _told = False

    def format(self, record: logging.LogRecord) -> str:
        """Messages hold what programs, models and peers wrote, and so do tracebacks."""
        return plain_entry(super().format(record))

    def handleError(self, record: logging.LogRecord) -> None:
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
        elif not self._told:
            self._told = True
            with contextlib.suppress(OSError):
                print(f"{self.what} cannot be written: {error.strerror}", file=sys.stderr)


class LogFile(_Sparing, logging.FileHandler):
    """A log in a file; every text can be written to it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, encoding="utf-8", errors="backslashreplace")
        self.what = str(path)


class LogToTerminal(_Sparing, logging.StreamHandler):  # type: ignore[type-arg]
    """Standard error."""

    what = "standard error"
