"""Memory of the GPUs of this machine, from the driver's own program; nothing where there is none.

It is asked seldom and in the thread of the follower: a call takes some 50 ms.
"""

import shutil
import subprocess
import time

import msgspec

_EVERY = 5.0  # seconds
_QUERY = "index,name,memory.used,memory.total,utilization.gpu"


class Gpu(msgspec.Struct, frozen=True, kw_only=True):
    """``used`` and ``total`` are bytes, ``busy`` percent of the last second."""

    index: int
    name: str
    used: int
    total: int
    busy: int | None


class Gpus:
    def __init__(self) -> None:
        self._program = shutil.which("nvidia-smi")
        self._asked_at = -_EVERY
        self._found: list[Gpu] = []

    def look(self) -> list[Gpu]:
        now = time.monotonic()
        if self._program is not None and now - self._asked_at >= _EVERY:
            self._asked_at = now
            self._found = self._ask(self._program)
        return self._found

    @staticmethod
    def _ask(program: str) -> list[Gpu]:
        command = [program, f"--query-gpu={_QUERY}", "--format=csv,noheader,nounits"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=3.0, check=True)
        except (OSError, subprocess.SubprocessError):
            return []
        return parse(done.stdout)


def parse(text: str) -> list[Gpu]:
    """The lines of the program's answer; one that is not understood is left out."""
    found: list[Gpu] = []
    for line in text.splitlines():
        parts = [part.strip() for part in line.split(",")]
        try:
            index, name, used, total, busy = parts
            found.append(
                Gpu(
                    index=int(index),
                    name=name,
                    used=int(used) << 20,
                    total=int(total) << 20,
                    busy=int(busy) if busy.isdigit() else None,
                )
            )
        except ValueError:
            continue
    return found
