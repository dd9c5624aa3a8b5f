"""Log handlers that tolerate a full disk and hostile text."""

import contextlib
import logging
import sys
from pathlib import Path
from typing import Literal

from nodes.common.running.plain_text import plain_entry

LEVELS = Literal["debug", "info", "warning", "error"]

_OURS = ("node", "bus", "env_server", "llm", "minedojo")
"""Loggers of our own. Other libraries have too much to say below ``info``."""


def set_level(level: LEVELS) -> None:
    """From now on, write no entries below this level to the log of this process."""
    number = logging.getLevelNamesMapping()[level.upper()]
    logging.getLogger().setLevel(max(number, logging.INFO))
    for name in _OURS:
        logging.getLogger(name).setLevel(number)


class _Sparing(logging.Handler):
    """Only an entry begins at a line's start, with any text in it. A write error is printed once,
    as a sentence, and not as a traceback for each entry."""

    what = "the log"
    _reported = False

    def format(self, record: logging.LogRecord) -> str:
        """Messages and tracebacks contain text of programs, models and peers."""
        return plain_entry(super().format(record))

    def handleError(self, record: logging.LogRecord) -> None:
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
        elif not self._reported:
            self._reported = True
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
