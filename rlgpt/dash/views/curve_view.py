"""The learning curves of a run: what the learner writes for TensorBoard, thinned for the page."""

import threading
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from rlgpt.dash.views.decimating import decimated, window
from rlgpt.dash.views.event_files import Columns, EventFile

MOST_COLUMNS = 4_000  # of pixels that a page may ask for


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
    """May be used from several threads."""

    def __init__(self, run: Path) -> None:
        self._root = run / "learner" / "tensorboard"
        self._files: dict[Path, EventFile] = {}
        self._lock = threading.Lock()
        self._version = -1
        self._curves: dict[tuple[str, str], Columns] = {}

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
        """Of some policies the curve of one tag between two counts of samples: ``series`` has x
        and y of each, in the order of ``policies``; of one that has no such curve they are
        empty."""
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
        return {"tag": tag, "policies": policies, "series": series}

    def _read(self, version: int) -> dict[tuple[str, str], Columns]:
        with self._lock:
            if version == self._version:
                return self._curves
            parts: dict[tuple[str, str], list[Columns]] = {}
            for path in sorted(self._root.rglob("events.out.tfevents.*")):
                policy = path.parent.relative_to(self._root).as_posix()
                for tag, columns in self._files.setdefault(path, EventFile(path)).read().items():
                    parts.setdefault((policy, tag), []).append(columns)
            merged = {key: _merged(each) for key, each in sorted(parts.items())}
            self._curves = {key: each for key, each in merged.items() if len(each[0])}
            self._version = version
            return self._curves


def _merged(parts: list[Columns]) -> Columns:
    """By samples. A learner that was started again repeats some: the later measurement stands."""
    steps, values, times = (np.concatenate(each) for each in zip(*parts, strict=True))
    kept: NDArray[np.bool_] = np.isfinite(values)
    steps, values, times = steps[kept], values[kept], times[kept]
    if len(steps) > 1 and not (np.diff(steps) > 0).all():
        order = np.argsort(steps, kind="stable")
        steps, values, times = steps[order], values[order], times[order]
        last = np.append(np.diff(steps) > 0, True)
        steps, values, times = steps[last], values[last], times[last]
    return steps, values, times
