"""One player process and what it plays in: started, asked, watched, ended."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import msgspec

from worlds.minecraft.play.minedojo.framed_msgpack import MOST

HERE = Path(__file__).parent
LAST_WORDS = 2000  # characters of its log that an error shows


class Lost(Exception):
    """The player or its game ended or does not answer; the sentence has how it was noticed."""


class RefusedByPackage(ValueError):
    """The real package refused what was asked, in its own words."""


class Instance:
    """A process with the real package in it. ``log``: where it and its game write."""

    def __init__(self, python: Path, log: Path) -> None:
        ours, theirs = socket.socketpair()
        self._socket = ours
        self._log = log
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        with log.open("ab") as written:
            self.process = subprocess.Popen(
                [str(python), str(HERE / "player_process.py"), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
                pass_fds=[theirs.fileno()],
                env=environment,
                start_new_session=True,  # its game is killed with it
            )
        theirs.close()

    def ask(self, what: dict[str, Any], seconds: float) -> None:
        """Raises Lost: there is no player."""
        data = msgspec.msgpack.encode(what)
        try:
            self._socket.settimeout(seconds)
            self._socket.sendall(len(data).to_bytes(4, "big") + data)
        except OSError as error:
            raise Lost(self._end(f"cannot be asked ({error})")) from None

    def answer(self, seconds: float) -> dict[str, Any]:
        """The reply of an instance within so many seconds.

        Raises:
            Lost: none came, or its game was lost.
            RefusedByPackage: the package refused what was asked.
        """
        deadline = time.monotonic() + seconds
        length = int.from_bytes(self._exactly(4, deadline, seconds), "big")
        if length > MOST:
            raise Lost(f"announces an answer of {length} bytes")
        found = msgspec.msgpack.decode(self._exactly(length, deadline, seconds))
        if "lost" in found:
            raise Lost(found["lost"])
        if "refused" in found:
            raise RefusedByPackage(f"MineDojo refuses: {found['why']} ({found['refused']})")
        return found

    def memory(self) -> int:
        """MiB that it and its game hold; 0 where the system does not report it."""
        pages = 0
        waiting = [self.process.pid]
        while waiting:
            pid = waiting.pop()
            with contextlib.suppress(OSError, ValueError, IndexError):
                pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
                children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
                waiting += [int(child) for child in children]
        return pages * os.sysconf("SC_PAGE_SIZE") >> 20

    def kill(self) -> None:
        self._socket.close()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def close(self, seconds: float = 10.0) -> None:
        """Let it end by itself, and its game with it."""
        with contextlib.suppress(Lost, subprocess.TimeoutExpired):
            self.ask({"do": "close"}, 1.0)
            self.process.wait(seconds)
        self.kill()

    def _exactly(self, count: int, deadline: float, seconds: float) -> bytes:
        parts: list[bytes] = []
        while count:
            try:
                self._socket.settimeout(max(0.001, deadline - time.monotonic()))
                part = self._socket.recv(min(count, 1 << 20))
            except TimeoutError:
                raise Lost(f"did not answer within {seconds:g} s") from None
            except OSError as error:
                raise Lost(self._end(f"broke off ({error})")) from None
            if not part:
                raise Lost(self._end("ended"))
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _end(self, how: str) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1.0)
        code = self.process.poll()
        words = self._log.read_text(errors="replace")[-LAST_WORDS:].strip().splitlines()
        last = f"; its last words: {words[-1]}" if words else ""
        return f"{how}, exit code {code}{last}"
