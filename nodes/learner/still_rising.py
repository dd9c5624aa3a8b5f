"""Whether the success rate of a training still rises. A budget is chosen before anything is
learned; where it ends a training that has just begun to succeed, its samples were for nothing."""

import math
from bisect import bisect_left
from collections.abc import Sequence

ERRORS = 1.5
"""Standard errors of the difference by which the last rate must be above the one before. Of
trainings that do not get better, chance lets one of fifteen go on."""
LATEST = 0.75
"""The share of the samples after which the rate before is taken at the latest. It is taken at half
of them, or when there are enough episodes for a rate."""


def still_rises(
    curve: Sequence[tuple[int, float]], full_at: int | None, window: int
) -> tuple[int, float] | None:
    """Since when the rate has risen, as (samples, the rate then); None: it does not rise.

    Args:
        curve: (samples, success rate of the last ``window`` episodes), in order.
        full_at: samples at which there were first so many episodes.
    """
    if not curve or full_at is None:
        return None
    last, now = curve[-1]
    since = max(last / 2, full_at)
    if now == 1 or since > LATEST * last:
        return None
    place = bisect_left(curve, since, key=lambda point: point[0])
    samples, before = curve[place]
    mean = (before + now) / 2
    error = math.sqrt(2 * mean * (1 - mean) / window)
    return (samples, before) if now - before > ERRORS * error else None
