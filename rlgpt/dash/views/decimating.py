"""A long curve for a small chart: of each column of pixels the least and the greatest value.

So a curve of a million points looks as if all of them were drawn, peaks included.
"""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def window(x: Numbers, first: float, last: float) -> slice:
    """The points from ``first`` to ``last``, and one beyond each end, so that lines reach the
    chart's edges. ``x`` is in order."""
    left = int(np.searchsorted(x, first, "left"))
    right = int(np.searchsorted(x, last, "right"))
    return slice(max(left - 1, 0), right + 1)


def decimated(x: Numbers, y: Numbers, columns: int) -> tuple[Numbers, Numbers]:
    """At most two points for each of ``columns``: curves of up to that many stay as they are.
    ``x`` is in order; the first and the last point are kept."""
    size = len(x)
    if size <= 2 * columns or size <= 2:
        return x, y
    # Columns are of equal width, not of equal number of points.
    edges = np.linspace(x[0], x[-1], columns + 1)[:-1]
    starts = np.unique(np.searchsorted(x, edges, "left"))
    ends = np.append(starts[1:], size)
    kept = [0, size - 1]
    low, high = np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)
    column = np.repeat(np.arange(len(starts)), ends - starts)
    for extreme in (low, high):
        # Of each column the first point that has it.
        places = np.flatnonzero(y == extreme[column])
        _, first = np.unique(column[places], return_index=True)
        kept += places[first].tolist()
    chosen = np.unique(kept)
    return x[chosen], y[chosen]
