"""Whether a policy in training has become worse than it was, by its tryouts.

Every tryout has the same seeds and the same draws, so that two of them differ by the policy: what
one owes to its seeds the others owe as well. `SHARED` of the variance of a rate is taken for that.

Each tryout is another chance to end a healthy training by bad luck. Simulated with 20 episodes in a
tryout and a correlation of `SHARED`, trainings of 40 tryouts that got no worse were ended so often:

    success rate   0.1   0.3   0.5   0.7   0.9
    ended          2 %   3 %   4 %   5 %   5 %

Of those that fell from 0.60 to 0.40 after their first tryout, 67 % were ended, half of all within
5 tryouts; from 0.60 to 0.30 94 %, from 0.90 to 0.70 85 %, from 0.90 to 0.50 5,996 of 6,000.
"""

import math
from collections.abc import Sequence

ERRORS = 2.5
"""Standard errors by which later tryouts must be below the first one."""
ERRORS_OF_BEST = 4.0
"""The same below the best one, which is too high by its selection."""
SHARED = 0.5
"""Correlation of two tryouts' rates where the policy is no better and no worse."""
FALLS = 2
"""Tryouts, at least, that are compared with an earlier one."""


def has_fallen(
    before: float, later: Sequence[float], episodes: int, errors: float = ERRORS
) -> bool:
    """Whether the success rates ``later`` have come to be below the one ``before`` by more than
    chance explains: two proportions, with ``episodes`` episodes in each tryout. The last half of
    those later are pooled. How many that are is not chosen by what they are, which would find a
    fall in any training that has a few bad tryouts in a row."""
    if len(later) < FALLS or later[-1] >= before:
        return False
    last = later[-max(FALLS, math.ceil(len(later) / 2)) :]
    mean = sum(last) / len(last)
    # The middle of both: the mean of all would be that of those later alone, and take a rate for
    # too certain that is near 0 after a lucky first tryout.
    middle = (before + mean) / 2
    variance = middle * (1 - middle) / episodes
    error = math.sqrt(variance * (1 - SHARED) * (1 + 1 / len(last)))
    return before - mean > errors * error


def fallen_below(rates: Sequence[float], episodes: int) -> str:
    """What the last of a training's tryouts fell below, in words; empty where they did not."""
    if not rates:
        return ""
    first, best = rates[0], max(rates)
    if has_fallen(first, rates[1:], episodes):
        return f"the {first:.2f} that it began with"
    newest = max(at for at, rate in enumerate(rates) if rate == best)
    if has_fallen(best, rates[newest + 1 :], episodes, ERRORS_OF_BEST):
        return f"the {best:.2f} of the best of them"
    return ""
