"""What changes in a run folder: log entries, and that a panel's files are others than before."""

import os
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from rlgpt.inspecting.node_logs import Entry, NodeLog

_KEPT = 5_000  # log entries
_MOST = 1 << 20  # bytes of a log that are read at once: the last ones
_GROUPS = {
    "account": (
        "launches.json",
        "goal_report.json",
        "*/goals.sqlite",
        "*/goals.sqlite-wal",
        "*/memory.sqlite",
        "*/memory.sqlite-wal",
    ),
    "episodes": ("env_server/episodes.sqlite", "env_server/episodes.sqlite-wal"),
    "curves": ("learner/tensorboard/**/events.out.tfevents.*",),
    "conversation": ("llm/transcript.jsonl", "llm/unanswered.jsonl"),
    "films": ("films/*.mp4", "env_server/videos/*.mp4"),
}
"""Files by the panel that shows them."""


class NumberedEntry(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    entry: Entry


class Versions:
    """A number for each panel that grows whenever its files are others. It begins with the time:
    a page that stayed open while its server was started again has none of the new numbers yet."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._stamps: dict[str, Any] = {}
        self._lock = threading.Lock()
        self.numbers: dict[str, int] = dict.fromkeys(_GROUPS, time.time_ns() // 10**6)

    def look(self) -> dict[str, int]:
        for group, patterns in _GROUPS.items():
            stamp = _stamp(path for pattern in patterns for path in self._run.glob(pattern))
            if stamp != self._stamps.get(group):
                self._stamps[group] = stamp
                self.renew(group)
        return dict(self.numbers)

    def renew(self, group: str) -> dict[str, int]:
        """Renew a run's version: its files count as others than before. From any thread."""
        with self._lock:
            self.numbers[group] += 1
            return dict(self.numbers)


def _stamp(paths: Iterable[Path]) -> list[tuple[str, int, int]]:
    found: list[tuple[str, int, int]] = []
    for path in paths:
        try:
            state = os.stat(path)
        except OSError:
            continue
        found.append((str(path), state.st_size, state.st_mtime_ns))
    return sorted(found)


class MergedLog:
    """The newest entries of all nodes and of the launcher, numbered as they were found. Numbers of
    another log, as of an earlier server of the page, mean other entries: ``id`` is this one's."""

    def __init__(self, run: Path, nodes: Iterable[str]) -> None:
        self.id = uuid.uuid4().hex
        self._logs = [NodeLog(run / node / "node.log", node, _MOST) for node in nodes]
        self._logs.append(NodeLog(run / "launcher.log", "launcher", _MOST))
        self._entries: deque[NumberedEntry] = deque(maxlen=_KEPT)
        self.newest = 0

    def look(self) -> int:
        """Read on; the number of the newest entry."""
        fresh = [entry for log in self._logs for entry in log.read()]
        for entry in sorted(fresh, key=lambda entry: entry.time):
            self._entries.append(NumberedEntry(number=self.newest + 1, entry=entry))
            self.newest += 1
        return self.newest

    def after(self, number: int, most: int, id: str) -> list[NumberedEntry]:
        """The entries after ``number``, of too many the newest; all, where the number is one of
        another log than ``id``."""
        if id != self.id:
            number = 0
        found = [each for each in list(self._entries) if each.number > number]
        return found[-most:]


_POINTS = 5_400  # some hours of memory
_DRAWN = 700  # of these, for a chart: pages ask for them every few seconds


class Memory:
    """Memory of the nodes over time, some hours of it. Bytes; times in seconds since the epoch."""

    def __init__(self, every: float = 2.0) -> None:
        self._every = every
        self._points: deque[tuple[float, dict[str, int]]] = deque(maxlen=_POINTS)

    def note(self, used: dict[str, int], now: float) -> None:
        if used and (not self._points or now - self._points[-1][0] >= self._every):
            self._points.append((now, used))

    def columns(self) -> dict[str, Any]:
        points = list(self._points)
        # The newest of each span of time: the same ones the next time.
        span = self._every * -(-len(points) // _DRAWN)
        points = list({at // span: (at, used) for at, used in points}.values())
        names = list(dict.fromkeys(name for _, used in points for name in used))
        return {
            "times": [at for at, _ in points],
            "series": {name: [used.get(name) for _, used in points] for name in names},
        }
