"""Whether what was sampled grows: each series by the 90th percentile of each quarter. (A node that
is restarted falls back: medians would depend on when.)

The first quarter is a warming up and is left out. Of the other three each has to be higher than the
one before, and the last than the second by more than what a series may differ by, for it to count
as growth: a training takes memory and gives it back.
"""

import itertools
from collections.abc import Mapping, Sequence
from statistics import median

import msgspec

SHARE = 0.05
"""Share of a series' level by which it has to rise: a smaller rise is none."""
LEAST = {"rss": 4 << 20, "heap": 1 << 20, "nodes": 100.0, "listeners": 20.0}
"""A smaller rise is none; of counts: 2."""
_COUNT = 2.0
_ENOUGH = 12  # samples of a series


class Growth(msgspec.Struct, frozen=True, kw_only=True):
    """The growth of one series: the heights of its last three quarters, and what the rise would be
    in an hour, at the pace of these quarters."""

    of: str
    measure: str
    heights: tuple[float, float, float]
    an_hour: float
    grows: bool


def growth(of: str, measure: str, times: Sequence[float], values: Sequence[float]) -> Growth | None:
    """``times``: in seconds. None: too few samples to judge by."""
    size = len(values)
    if size < _ENOUGH:
        return None
    cuts = [size * quarter // 4 for quarter in range(5)]
    second, third, fourth = (
        _height(values[first:last]) for first, last in itertools.pairwise(cuts[1:])
    )
    passed = median(times[cuts[3] :]) - median(times[cuts[1] : cuts[2]])
    rise = fourth - second
    least = max(LEAST.get(measure, _COUNT), SHARE * abs(second))
    return Growth(
        of=of,
        measure=measure,
        heights=(second, third, fourth),
        an_hour=rise / max(passed, 1e-9) * 3600.0,
        grows=second < third < fourth and rise > least,
    )


def _height(values: Sequence[float]) -> float:
    return sorted(values)[int(0.9 * (len(values) - 1))]


def growths(series: Mapping[tuple[str, str], tuple[list[float], list[float]]]) -> list[Growth]:
    """The growth of all series that have enough samples, by whose and what: times and values."""
    found = [growth(of, measure, *each) for (of, measure), each in sorted(series.items())]
    return [each for each in found if each is not None]


def verdict(found: Sequence[Growth], goals: int, failures: int) -> list[str]:
    """What speaks against a soak, as sentences; none if nothing grows. ``goals``: how many were
    pursued to their end. ``failures``: of goals and restarts."""
    grown = [f"{each.of}: {each.measure}" for each in found if each.grows]
    reasons = {
        f"it grows: {', '.join(grown)}": bool(grown),
        f"nothing has the {_ENOUGH} samples to judge by: take more minutes": not found,
        "no goal was pursued to its end: an idle stack does not grow": not goals,
        f"failures of goals or restarts: {failures}, see above": bool(failures),
    }
    return [sentence for sentence, holds in reasons.items() if holds]


def table(found: Sequence[Growth]) -> str:
    """The growth as a Markdown table, a row for each process and a column for each measure."""
    measures = list(dict.fromkeys(each.measure for each in found))
    by_row: dict[str, dict[str, Growth]] = {}
    for each in found:
        by_row.setdefault(each.of, {})[each.measure] = each
    rows = [["", *measures], ["---"] * (len(measures) + 1)]
    for of, cells in by_row.items():
        rows.append([of, *(_cell(cells.get(measure)) for measure in measures)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(each: Growth | None) -> str:
    if each is None:
        return "-"
    size = 1 << 20 if each.measure in ("rss", "heap") else 1
    unit = " MiB" if size > 1 else ""
    level, hour = each.heights[-1] / size, each.an_hour / size
    return f"{level:.0f}{unit}, {hour:+.0f} an hour{' **grows**' if each.grows else ''}"
