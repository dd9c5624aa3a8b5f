"""The server's processes: a monitor, which leads their group, the server, and its engines."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from nodes.common.running.process_status import Watch


def kill_group(group: int) -> None:
    if not group:
        return  # no server runs, and 0 would be our own group
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGKILL)


class StopWatch:
    """Checks whether the monitor or a process that it started was stopped by a signal (SIGSTOP):
    no request would ever be answered."""

    def __init__(self, monitor: int) -> None:
        self._monitor = monitor
        self._watches: dict[int, Watch] = {}

    def stopped(self) -> bool:
        """Whether the group was stopped. To be called about every half second."""
        for pid in self._members(self._monitor):
            if pid not in self._watches:
                self._watches[pid] = Watch(pid)
            if self._watches[pid].look():
                return True
        return False

    def _members(self, pid: int) -> Iterator[int]:
        yield pid
        with contextlib.suppress(OSError):
            for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                yield from self._members(int(child))
