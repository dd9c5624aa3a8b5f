"""Where a process logs to, on a disk that may be full."""

import contextlib
import logging
import sys
from pathlib import Path


class _Sparing(logging.Handler):
    """Says once, in a sentence, that it cannot write: not in a traceback for each line."""

    what = "the log"
    _told = False

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
