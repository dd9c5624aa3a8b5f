"""The time on the clock, shared out among the parts that were worked on.

Each line of a node spreads its seconds evenly over the time that it is about. Where the parts of
all nodes together come to more than the time that passed, because several were worked on at once,
each gets its share of it; where they come to less, the rest is counted for no part.
"""

from collections.abc import Iterable

import numpy as np

from nodes.times import WAITS, TimesLine
from rlgpt.profiling.reading import Window


class Shared:
    """The shares of the time inside ``windows``.

    Attributes:
        seconds: by part, of the time on the clock; with ``starting``.
        work: by part, of work.
        whole: all windows together.
    """

    def __init__(self, lines: Iterable[TimesLine], windows: list[Window]) -> None:
        self.whole = sum(window.ended - window.began for window in windows)
        rows = [
            (line.at - line.seconds, line.at, part, seconds)
            for line in lines
            if line.seconds > 0
            for spent in line.spent.values()
            for part, seconds in spent.items()
            if not part.startswith(WAITS)
        ]
        self._parts = sorted({part for _, _, part, _ in rows})
        marks = [mark for w in windows for mark in (w.began, w.ready, w.ended)]
        edges = np.unique(np.array([*marks, *(mark for row in rows for mark in row[:2])], float))
        self._edges = edges
        length = np.diff(edges)
        rates = np.zeros((len(self._parts), max(len(edges), 1)))
        place = {part: number for number, part in enumerate(self._parts)}
        for began, ended, part, seconds in rows:
            rate = seconds / (ended - began)
            rates[place[part], np.searchsorted(edges, began)] += rate
            rates[place[part], np.searchsorted(edges, ended)] -= rate
        rates = np.clip(np.cumsum(rates, axis=1)[:, :-1], 0.0, None)
        middle = (edges[:-1] + edges[1:]) / 2
        inside = np.zeros(len(length), bool)
        starting = np.zeros(len(length), bool)
        for window in windows:
            inside |= (middle > window.began) & (middle < window.ended)
            starting |= (middle > window.began) & (middle < window.ready)
        rates[:, ~inside] = 0.0
        together = rates.sum(axis=0)
        self._length = length
        self._inside = inside
        self._shares = rates / np.maximum(together, 1.0)
        self._starting = np.where(starting, 1.0 - self._shares.sum(axis=0), 0.0)
        clocked = (self._shares * length).sum(axis=1)
        worked = (rates * length).sum(axis=1)
        self.seconds = dict(zip(self._parts, clocked.tolist(), strict=True))
        self.work = dict(zip(self._parts, worked.tolist(), strict=True))
        self.seconds["starting"] = float((self._starting * length).sum())

    def timeline(self, most: int) -> list[tuple[float, float, dict[str, float]]]:
        """At most ``most`` spans of equal length from the first launch to the last: when each
        began, how long it is, and seconds by part. Time between launches belongs to none."""
        if len(self._edges) < 2 or self.whole <= 0:
            return []
        known = np.flatnonzero(self._inside)
        first, last = float(self._edges[known[0]]), float(self._edges[known[-1] + 1])
        span = max((last - first) / most, 1.0)
        bounds = np.arange(first, last, span)
        filled = np.vstack([self._shares, self._starting[None]]) * self._length
        running = np.concatenate([np.zeros((len(filled), 1)), np.cumsum(filled, axis=1)], axis=1)
        ends = np.append(bounds[1:], last)
        found: list[tuple[float, float, dict[str, float]]] = []
        at = [
            np.interp(np.array([*bounds, last]), self._edges, row) for row in running
        ]  # seconds of each part by then
        for number, (began, ended) in enumerate(zip(bounds.tolist(), ends.tolist(), strict=True)):
            parts = {
                part: round(float(at[row][number + 1] - at[row][number]), 3)
                for row, part in enumerate([*self._parts, "starting"])
            }
            parts = {part: seconds for part, seconds in parts.items() if seconds > 0}
            found.append((round(began, 3), round(ended - began, 3), parts))
        return found
