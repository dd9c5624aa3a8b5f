"""Ends the nodes of a launcher that was killed: nothing of a launch outlives it.

Run by the launcher (`guarding.py`) as a script, without site-packages, in a session of its own.
Standard input has ``+<pid> <start>`` and ``-<pid>`` as nodes start and end, where ``start`` is the
process's start time by ``/proc``; end of file with nodes left means that the launcher was killed.
Nodes ask the kernel for the same by themselves, but that does not reach the processes that they
started, nor foreign programs.

Arguments: a folder, which is deleted then, and ``apart``, if it is to be no child of its starter,
whose children may be killed with it.
"""

import os
import shutil
import signal
import sys
import time
from pathlib import Path

APART = "apart"
_TRIES, _PAUSE = 100, 0.1  # seconds: processes that were killed may still write into the folder


def _started_at(pid: int) -> str:
    """When process ``pid`` was started, in clock ticks since boot; ``""`` if there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if APART in sys.argv[2:] and os.fork():
        os._exit(0)
    nodes: dict[int, str] = {}
    for line in sys.stdin:
        pid, _, start = line[1:].strip().partition(" ")
        if line.startswith("+"):
            nodes[int(pid)] = start
        else:
            nodes.pop(int(pid), None)
    for pid, start in nodes.items():
        # A process that has ended keeps its number only for as long as its group lives.
        if _started_at(pid) in (start, ""):
            try:
                os.killpg(pid, signal.SIGKILL)
            except OSError:
                continue
    if len(sys.argv) > 1:
        _delete(Path(sys.argv[1]))


def _delete(folder: Path) -> None:
    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(_PAUSE)


if __name__ == "__main__":
    main()
