"""Whether a policy in training has become worse than it was, by its tryouts.

Every tryout has the same seeds and the same draws, so that two of them differ by the policy: what
one owes to its seeds the others owe as well. `SHARED` of the variance of a rate is taken for that.
"""

import math
from collections.abc import Sequence

ERRORS = 2.0
"""Standard errors by which later tryouts must be below the first one. Tryouts follow one another,
and each is a chance to end a healthy training by bad luck."""
ERRORS_OF_BEST = 3.0
"""The same below the best one. The best of k is too high by its selection: 3 errors against each
of 15 tryouts are chance no more often than 2 errors against the first."""
SHARED = 0.5
"""Correlation of two tryouts' rates where the policy is no better and no worse."""
FALLS = 2
"""Tryouts in a row, at least, that are below what they are compared with."""


def has_fallen(
    before: float, later: Sequence[float], episodes: int, errors: float = ERRORS
) -> bool:
    """Whether all ``later`` success rates are below the one ``before``, and their mean is by more
    than chance explains: two proportions, with ``episodes`` episodes in each tryout. Those later
    are pooled, so that more of them show a smaller fall."""
    if len(later) < FALLS or max(later) >= before:
        return False
    mean = sum(later) / len(later)
    pooled = (before + sum(later)) / (1 + len(later))
    variance = pooled * (1 - pooled) / episodes
    error = math.sqrt(variance * (1 - SHARED) * (1 + 1 / len(later)))
    return before - mean > errors * error


def fallen_below(rates: Sequence[float], episodes: int) -> str:
    """What the last of a training's tryouts fell below, in words; empty where they did not."""
    if not rates:
        return ""
    first, best = rates[0], max(rates)
    if has_fallen(first, _below(first, rates), episodes):
        return f"the {first:.2f} that it began with"
    if has_fallen(best, _below(best, rates), episodes, ERRORS_OF_BEST):
        return f"the {best:.2f} of the best of them"
    return ""


def _below(rate: float, rates: Sequence[float]) -> list[float]:
    """The last tryouts, as many in a row as are below ``rate``."""
    last = next((at for at in range(len(rates), 0, -1) if rates[at - 1] >= rate), 0)
    return list(rates[last:])
