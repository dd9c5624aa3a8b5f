"""Whether a policy in training has become worse than the one that the training began with."""

import math
from collections.abc import Sequence

ERRORS = 2.0
"""Standard errors by which the later rate must be below the first one. Tryouts follow one another,
and each is a chance to end a healthy training by bad luck."""


def has_fallen(first: float, later: Sequence[float], episodes: int) -> bool:
    """Whether all ``later`` success rates are below ``first``, and their mean is by more than
    chance explains: two proportions, with ``episodes`` episodes in each tryout."""
    if max(later) >= first:
        return False
    mean = sum(later) / len(later)
    pooled = (first + sum(later)) / (1 + len(later))
    error = math.sqrt(pooled * (1 - pooled) * (1 + 1 / len(later)) / episodes)
    return first - mean > ERRORS * error
