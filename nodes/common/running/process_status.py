"""The kernel's state of another process: whether it runs, waits, or was stopped by a signal, and
what the signal is called."""

import os
import signal
import time
from pathlib import Path
from typing import NamedTuple

STOPPED_FOR = 5.0
"""Seconds after which a stopped process (SIGSTOP) is given up: it may never be continued, and its
callers would wait without end."""
_LONGEST_GAP = 1.0  # seconds that count between two checks: the watcher may have been stopped too
_TICK = os.sysconf("SC_CLK_TCK")


class Status(NamedTuple):
    state: str  # the kernel's letter: R runs, S sleeps, D waits for a disk, T was stopped, Z ended
    processor: float  # seconds of CPU time that it has had
    started: str  # in clock ticks since boot: with the number, it identifies a process


def status_of(pid: int) -> Status | None:
    """The status of a process; None: there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return Status(fields[0], (int(fields[11]) + int(fields[12])) / _TICK, fields[19])


def signal_name(number: int) -> str:
    """``SIGKILL`` for 9, ``signal 40`` for one that has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:  # real-time signals have no names
        return f"signal {number}"


class Watch:
    """Reports why a process need not be waited for any longer, from regular checks. Only time that
    was watched counts."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._looked = time.monotonic()
        self._stopped = 0.0
        self._idle = 0.0
        self._processor = -1.0

    def look(self, patience: float | None = None) -> str:
        """Empty while it makes progress. ``patience``: seconds that it may sleep without using the
        processor; None if it has nothing to do."""
        status = status_of(self._pid)
        now = time.monotonic()
        passed, self._looked = min(now - self._looked, _LONGEST_GAP), now
        if status is None:
            return ""  # its end is reported elsewhere
        self._stopped = self._stopped + passed if status.state == "T" else 0.0
        if self._stopped >= STOPPED_FOR:
            return "was stopped by a signal"
        progress = status.processor != self._processor or status.state in "RD"
        self._idle = 0.0 if progress or patience is None else self._idle + passed
        self._processor = status.processor
        if patience is not None and self._idle >= patience:
            return f"has done nothing for {patience:g} s"
        return ""
