"""Checks which environments of a batch are named, and their seeds: kernels do not."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from voxeldojo.names import quoted
from voxeldojo.world_interface import Ints


def checked_rows(environments: Any, size: int) -> Ints:
    """The numbers of the named environments, in an array of the caller's own.

    Raises:
        ValueError: they are no row of whole numbers, or there is no such environment.
    """
    rows = _whole_numbers("environments", environments)
    if len(rows) and not 0 <= rows.min() <= rows.max() < size:
        raise ValueError(f"environments are numbered 0 to {size - 1}, not {quoted(environments)}")
    return rows


def checked_seeds(environments: Any, seeds: Any, size: int) -> tuple[Ints, Ints]:
    """The environments to reset, and their seeds.

    Raises:
        ValueError: they are no rows of whole numbers of one length, or out of range; or an
            environment is named twice, which two threads would make at once.
    """
    rows, row_seeds = checked_rows(environments, size), _whole_numbers("seeds", seeds)
    if rows.shape != row_seeds.shape:
        raise ValueError(
            f"reset wants as many seeds as environments, not {row_seeds.shape} for {rows.shape}"
        )
    if len(np.unique(rows)) < len(rows):
        raise ValueError(f"an environment is named twice: {quoted(environments)}")
    if len(row_seeds) and row_seeds.min() < 0:
        raise ValueError("a seed is 0 to 2**63 - 1")
    return rows, row_seeds


def _whole_numbers(name: str, values: Any) -> Ints:
    """A mask is refused: it would be read as the numbers 0 and 1."""
    try:
        row: NDArray[Any] = np.array(values, order="C")
    except ValueError:  # a ragged list
        row = np.empty((0, 0))
    if row.ndim != 1 or (len(row) and row.dtype.kind not in "iu"):
        raise ValueError(f"{name} are a row of whole numbers, not {quoted(values)}")
    return row.astype(np.int64, copy=False)
