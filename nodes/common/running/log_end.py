"""The end of a log that another process writes, for a sentence about why it ended."""

import os
from pathlib import Path

_MOST = 32_768  # bytes


def last_lines(log: Path, begin: int = 0) -> list[str]:
    """The lines of text after the first ``begin`` bytes of a log, without empty ones; of a long log
    the last ones. None of a log that cannot be read."""
    try:
        with log.open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(begin, end - _MOST))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if line.strip()]
