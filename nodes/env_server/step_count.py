"""How many primitive steps a run's worlds have taken, stored so that a kill loses none."""

import os
import threading
from pathlib import Path

from nodes.common.storage.whole_files import UnusableFile


class StepCount:
    """A number in a file of its own. It is written with each step, into the kernel's memory alone
    (about a microsecond), which outlives this process; only the machine's end could lose some.

    Raises:
        UnusableFile: the file holds something else.
        OSError: it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._steps = 0
        try:
            self._steps = int(path.read_text("ascii") or 0)  # empty: a kill came before the first
        except FileNotFoundError:
            pass  # the run begins
        except ValueError:
            raise UnusableFile(
                f"{path} holds no count of steps; move it away to count from 0"
            ) from None
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self.add(0)

    def __int__(self) -> int:
        return self._steps

    def add(self, steps: int) -> None:
        with self._lock:
            self._steps += steps
            # Of one length always, so that no digit of an earlier number is left behind it.
            os.pwrite(self._file, b"%020d\n" % self._steps, 0)
