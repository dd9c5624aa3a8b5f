"""Confidence intervals of success rates."""

import math

Z95 = 1.959963984540054


def wilson(successes: int, episodes: int) -> tuple[float, float]:
    """Wilson's 95 % score interval of a rate; (0, 1) of nothing.

    Raises:
        ValueError: more successes than episodes, or less than none.
    """
    if not 0 <= successes <= episodes:
        raise ValueError(f"{successes} successes in {episodes} episodes")
    if episodes == 0:
        return 0.0, 1.0
    rate = successes / episodes
    weight = Z95 * Z95 / episodes
    middle = rate + weight / 2
    half = Z95 * math.sqrt(rate * (1 - rate) / episodes + weight / (4 * episodes))
    low, high = (middle - half) / (1 + weight), (middle + half) / (1 + weight)
    # Exact at the ends, where rounding would leave 1e-17.
    return (0.0 if successes == 0 else low), (1.0 if successes == episodes else high)
