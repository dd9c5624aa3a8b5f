"""One line of the table, and how a rate is measured."""

import statistics
import time
from collections.abc import Callable

import msgspec


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """``values`` are of the repeats. ``target`` is in the same unit: at least that much, or at most
    where less is better."""

    section: str
    name: str
    unit: str
    values: list[float]
    target: float | None = None
    less_is_better: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return self.median <= self.target if self.less_is_better else self.median >= self.target


class Pace(msgspec.Struct, frozen=True):
    """How long is measured."""

    repeats: int = 7
    seconds: float = 0.5  # of each repeat, at least

    def rates(
        self,
        call: Callable[[], object],
        each: int = 1,
        before: Callable[[], object] = lambda: None,
    ) -> list[float]:
        """How many a second, if one call is ``each`` of them. The first call is not counted, nor
        ``before``, with which each repeat begins."""
        call()
        found = []
        for _ in range(self.repeats):
            before()
            calls, start = 0, time.perf_counter()
            while (spent := time.perf_counter() - start) < self.seconds:
                call()
                calls += 1
            found.append(calls * each / spent)
        return found

    def times(self, call: Callable[[], object], before: Callable[[], object]) -> list[float]:
        """Milliseconds of single calls, ``before`` each of which something is done that does not
        count."""
        found = []
        for _ in range(2 * self.repeats + 1):
            before()
            start = time.perf_counter()
            call()
            found.append(1000.0 * (time.perf_counter() - start))
        return found


def table(rows: list[Row]) -> str:
    """The rows as Markdown, a line each; worst and best repeat beside the median."""
    lines = ["| | median | worst to best | unit | target | |", "|---|---:|---|---|---:|---|"]
    section = ""
    for row in rows:
        if row.section != section:
            section = row.section
            lines.append(f"| **{section}** | | | | | |")
        ends = sorted(row.values, reverse=row.less_is_better)
        spread = f"{_number(ends[0])} to {_number(ends[-1])}" if len(ends) > 1 else ""
        target = "" if row.target is None else _number(row.target)
        if target:
            target = ("at most " if row.less_is_better else "") + target
        met = {None: "", True: "met", False: "missed"}[row.met]
        lines.append(
            f"| {row.name} | {_number(row.median)} | {spread} | {row.unit} | {target} | {met} |"
        )
    return "\n".join(lines)


def _number(value: float) -> str:
    if value >= 100.0:
        digits = max(0, len(str(int(value))) - 3)
        return f"{round(value, -digits):,.0f}"
    return f"{value:.3g}"
