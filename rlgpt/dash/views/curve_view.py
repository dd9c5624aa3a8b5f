"""The learning curves of a run: what the learner writes for TensorBoard, thinned for the page.

Where much is yet to be read, some points of each curve are shown first, and the whole when it is
read, in a thread of its own.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from rlgpt.curves.event_files import Columns, EventFile
from rlgpt.curves.joining import Key, event_files, joined, joined_curves, policy_of
from rlgpt.curves.skimming import skim
from rlgpt.dash.views.decimating import decimated, window

MOST_COLUMNS = 4_000  # of pixels that a page may ask for
_AT_ONCE = 4 << 20  # bytes that a page waits for; some hundredths of a second


class CurveLine(msgspec.Struct, frozen=True, kw_only=True):
    """One curve: ``policy`` is its folder, ``tag`` what is measured."""

    policy: str
    tag: str
    points: int
    first: int  # samples
    last: int
    value: float | None  # the last one
    began: float  # seconds since the epoch
    ended: float


class Curves:
    """May be used from several threads. ``read``: is called when the whole of what was shown in
    part has been read."""

    def __init__(self, run: Path, read: Callable[[], None] = lambda: None) -> None:
        self._root = run / "learner" / "tensorboard"
        self._read_whole = read
        self._files: dict[Path, EventFile] = {}
        self._lock = threading.Lock()  # held to read files, and to change what follows
        self._version = -1
        self._curves: dict[Key, Columns] = {}
        self._partial = False  # the curves are some points of each
        self._thread: threading.Thread | None = None

    def lines(self, version: int) -> list[CurveLine]:
        """All curves. ``version``: of the files; only where it is another one are they read."""
        return [
            CurveLine(
                policy=policy,
                tag=tag,
                points=len(steps),
                first=int(steps[0]),
                last=int(steps[-1]),
                value=float(values[-1]) if np.isfinite(values[-1]) else None,
                began=float(times.min()),
                ended=float(times.max()),
            )
            for (policy, tag), (steps, values, times) in self._read(version).items()
        ]

    def points(
        self, version: int, tag: str, policies: list[str], first: float, last: float, columns: int
    ) -> dict[str, Any]:
        """The curve of one tag of some policies between two counts of samples: ``series`` has x and
        y of each, in the order of ``policies``; of one that has no such curve they are empty."""
        columns = min(max(columns, 10), MOST_COLUMNS)
        series: list[dict[str, list[float]]] = []
        known = self._read(version)
        for policy in policies:
            found = known.get((policy, tag))
            if found is None:
                series.append({"x": [], "y": []})
                continue
            part = window(found[0].astype(np.float64), first, last)
            x, y = decimated(found[0][part].astype(np.float64), found[1][part], columns)
            series.append({"x": x.tolist(), "y": y.tolist()})
        return {"tag": tag, "policies": policies, "series": series, "partial": self._partial}

    def _read(self, version: int) -> dict[Key, Columns]:
        with self._lock:
            if version == self._version or self._thread is not None:
                return self._curves
            for path in event_files(self._root):
                self._files.setdefault(path, EventFile(path))
            if sum(file.unread for file in self._files.values()) <= _AT_ONCE:
                self._curves = self._joined()
                self._version = version
                return self._curves
            if not self._curves:
                parts: dict[Key, list[Columns]] = {}
                for path in self._files:
                    for tag, columns in skim(path).items():
                        parts.setdefault((policy_of(path, self._root), tag), []).append(columns)
                self._curves, self._partial = joined_curves(parts), True
            self._thread = threading.Thread(target=self._finish, name="dash-curves", daemon=True)
            self._thread.start()
            return self._curves

    def _finish(self) -> None:
        """Read the whole. Meanwhile the lock is free: nothing else reads files then."""
        whole = self._joined()
        with self._lock:
            self._curves, self._partial, self._thread = whole, False, None
        self._read_whole()

    def _joined(self) -> dict[Key, Columns]:
        """Of all files, read on. What was not added to is taken as it is."""
        parts: dict[Key, list[Columns]] = {}
        grown: set[str] = set()
        for path, file in self._files.items():
            policy, before = policy_of(path, self._root), file.at
            for tag, columns in file.read().items():
                parts.setdefault((policy, tag), []).append(columns)
            if file.at != before:
                grown.add(policy)
        known = {} if self._partial else self._curves
        each = {
            key: joined(columns) if key[0] in grown or key not in known else known[key]
            for key, columns in sorted(parts.items())
        }
        return {key: columns for key, columns in each.items() if len(columns[0])}
