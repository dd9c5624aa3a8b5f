"""How many primitive steps a run's worlds have taken, kept so that no kill takes any of it."""

import os
import threading
from contextlib import suppress
from pathlib import Path


class StepCount:
    """A number in a file of its own. It is written with each step, into the kernel's memory alone
    (about a microsecond), which outlives this process; only the machine's end could lose some.

    Raises:
        OSError: the file cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._steps = 0
        with suppress(OSError, ValueError):
            self._steps = int(path.read_text())
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self.add(0)

    def __int__(self) -> int:
        return self._steps

    def add(self, steps: int) -> None:
        with self._lock:
            self._steps += steps
            # Of one length always, so that no digit of an earlier number is left behind it.
            os.pwrite(self._file, b"%020d\n" % self._steps, 0)
