"""Cleans up on a host when the process that Ray started there ends in any way: killed by Ray, as
after its launcher was killed, or together with Ray."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from nodes.common.running.process_status import status_of
from rlgpt.launching import guardian


class HostGuardian:
    """A launch's guardian (`guardian.py`), as another one's process: Ray kills the children of what
    it ends. It kills what has begun and has not ended, and deletes the folder."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError where it cannot be started."""
        read, self._lines = os.pipe()
        try:
            subprocess.run(
                [sys.executable, "-I", "-S", guardian.__file__, str(folder), guardian.APART],
                stdin=read,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        finally:
            os.close(read)

    def began(self, pid: int) -> None:
        """The leader of a process group was started."""
        status = status_of(pid)
        self._send(f"+{pid} {'' if status is None else status.started}\n")

    def ended(self, pid: int) -> None:
        """Nothing of the group is left."""
        self._send(f"-{pid}\n")

    def close(self) -> None:
        """Have it delete what is left of the folder, and end."""
        lines, self._lines = self._lines, -1
        if lines >= 0:
            os.close(lines)

    def _send(self, line: str) -> None:
        with contextlib.suppress(OSError):  # it was killed: the folder may stay then
            os.write(self._lines, line.encode())
