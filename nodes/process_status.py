"""What the kernel says of another process: whether it runs, waits, or was stopped by a signal."""

import os
import time
from pathlib import Path
from typing import NamedTuple

STOPPED_FOR = 5.0
"""Seconds after which a process that was stopped (SIGSTOP) is given up. Nobody may ever have it go
on, and whoever waits for it would wait as long."""
_LONGEST_GAP = 1.0  # seconds between two looks that count: the looker may have been stopped as well
_TICK = os.sysconf("SC_CLK_TCK")


class Status(NamedTuple):
    state: str  # the kernel's letter: R runs, S sleeps, D waits for a disk, T was stopped, Z ended
    processor: float  # seconds of the processor that it has had
    started: str  # in clock ticks since boot: with the number, it tells one process from all others


def status_of(pid: int) -> Status | None:
    """None: there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return Status(fields[0], (int(fields[11]) + int(fields[12])) / _TICK, fields[19])


class Watch:
    """Says of a process that is looked at now and then why it is not to be waited for any longer.
    Only time in which somebody looked counts."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._looked = time.monotonic()
        self._stopped = 0.0
        self._idle = 0.0
        self._processor = -1.0

    def look(self, patience: float | None = None) -> str:
        """Empty while it goes on. ``patience``: seconds that it may sleep without having had the
        processor; None if it has nothing to do."""
        status = status_of(self._pid)
        now = time.monotonic()
        passed, self._looked = min(now - self._looked, _LONGEST_GAP), now
        if status is None:
            return ""  # its end is for others to tell
        self._stopped = self._stopped + passed if status.state == "T" else 0.0
        if self._stopped >= STOPPED_FOR:
            return "was stopped by a signal"
        gets_on = status.processor != self._processor or status.state in "RD"
        self._idle = 0.0 if gets_on or patience is None else self._idle + passed
        self._processor = status.processor
        if patience is not None and self._idle >= patience:
            return f"has done nothing for {patience:g} s"
        return ""
