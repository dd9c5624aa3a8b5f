"""The launcher's side of the guardian: it starts it, reports nodes to it, and replaces it."""

import os
import subprocess
import sys
import time
from pathlib import Path

from nodes.common.running.process_status import Watch, status_of
from rlgpt.launching import guardian

LOOK_EVERY = 2.0
"""Seconds between two checks whether it runs, and whether it was stopped."""
_AT_ONCE = 1.0  # seconds that one must have run to be replaced before the next check


class Guardian:
    """``folder``: the launcher's temporary one, which the guardian removes if the launcher is
    killed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._nodes: dict[int, str] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._start()

    def fileno(self) -> int:
        """Becomes readable when it ends. Another number after each `replace`."""
        return self._pidfd

    def began(self, pid: int) -> None:
        """A node was started."""
        status = status_of(pid)
        self._nodes[pid] = "" if status is None else status.started
        self._send(f"+{pid} {self._nodes[pid]}\n")

    def ended(self, pid: int) -> None:
        """A node's process was reaped."""
        self._nodes.pop(pid, None)
        self._send(f"-{pid}\n")

    def look(self) -> None:
        """Kill the guardian if it was stopped: it would not notice the launcher's end."""
        if self._process is not None and self._watch.look():
            self._process.kill()

    def replace(self) -> bool:
        """After its end, start another one, which is sent all running nodes. False if the caller
        has to retry later."""
        if self._process is not None:
            self._release()
            if time.monotonic() - self._began < _AT_ONCE:
                return False
        try:
            self._start()
        except OSError:
            return False
        return True

    @property
    def there(self) -> bool:
        return self._process is not None

    def close(self) -> None:
        """No node is left for it."""
        if self._process is not None:
            self._process.kill()
            self._release()

    def _start(self) -> None:
        read, self._lines = os.pipe()
        os.set_blocking(self._lines, False)
        try:
            # Sent before it starts: the launcher may be killed as soon as it runs.
            for pid, started in self._nodes.items():
                os.write(self._lines, f"+{pid} {started}\n".encode())
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", guardian.__file__, str(self._folder)],
                stdin=read,
                start_new_session=True,
            )
            self._pidfd = os.pidfd_open(self._process.pid)
        except OSError:
            if self._process is not None:  # too many open files: it cannot be watched
                self._process.kill()
                self._process.wait()
                self._process = None
            os.close(self._lines)
            raise
        finally:
            os.close(read)
        self._watch = Watch(self._process.pid)
        self._began = time.monotonic()

    def _send(self, line: str) -> None:
        if self._process is None:
            return  # the next one is sent all nodes
        try:
            os.write(self._lines, line.encode())
        except BlockingIOError:  # it reads no more
            self._process.kill()
        except OSError:
            return  # it has ended: the next one is sent all nodes

    def _release(self) -> None:
        process, self._process = self._process, None
        assert process is not None
        process.wait()
        os.close(self._pidfd)
        os.close(self._lines)
