"""Whether the success rate of a training still rises. A budget is chosen before anything is
learned; where it ends a training that has just begun to succeed, its samples were for nothing."""

import math
from bisect import bisect_left
from typing import NamedTuple

ERRORS = 1.5
"""Standard errors of the difference by which the rate in the last quarter of the samples must be
above that in the quarter before. Of trainings that do not get better, chance lets one of fifteen
go on."""
LEAST = 10
"""Episodes that must have ended in each of the two quarters."""


class Ended(NamedTuple):
    """Training episodes that had ended after so many samples, and those of them that succeeded."""

    samples: int
    episodes: int
    succeeded: int


def still_rises(ended: list[Ended]) -> tuple[float, float] | None:
    """The success rates of the episodes that ended in the last two quarters of the samples, where
    the later one is higher; None: it does not rise. ``ended``: as it was again and again, in order.
    """
    if not ended:
        return None
    last = ended[-1]
    half, later = (_after(ended, share * last.samples) for share in (0.5, 0.75))
    before_episodes = later.episodes - half.episodes
    now_episodes = last.episodes - later.episodes
    if min(before_episodes, now_episodes) < LEAST:
        return None
    before = (later.succeeded - half.succeeded) / before_episodes
    now = (last.succeeded - later.succeeded) / now_episodes
    mean = (last.succeeded - half.succeeded) / (last.episodes - half.episodes)
    error = math.sqrt(mean * (1 - mean) * (1 / before_episodes + 1 / now_episodes))
    return (before, now) if now - before > ERRORS * error else None


def _after(ended: list[Ended], samples: float) -> Ended:
    return ended[bisect_left(ended, samples, key=lambda each: each.samples)]
