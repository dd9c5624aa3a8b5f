"""Eight blocks of a column as one number: tests and changes of all of them at once.

The lowest byte is the lowest block. The bounds of a loop over a few blocks, and what it finds in
them, change from column to column, so a processor that guesses them would mostly guess wrong.
"""

import numpy as np

from voxeldojo.engine.compiling.kernels import kernel

EIGHT = 8
EVERY = np.uint64(0x0101010101010101)
LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def alike(eight, block):
    """0xFF for each of eight blocks that is ``block``, 0 for the others."""
    other = eight ^ (np.uint64(block) * EVERY)
    other = (((other & LOW_BITS) + LOW_BITS) | other | LOW_BITS) ^ ALL  # 0x80 for a byte of 0
    return (other >> np.uint64(7)) * np.uint64(255)


@kernel
def between(low, high):
    """0xFF for the blocks low <= y < high, given relative to the lowest of the eight; low is less
    than 8, high at least 1."""
    start = np.uint64(EIGHT * max(low, 0))
    end = np.uint64(EIGHT * (EIGHT - min(high, EIGHT)))
    return (ALL << start) & (ALL >> end)


@kernel
def replaced(eight, where, block):
    """Eight blocks with ``block`` where the mask is 0xFF."""
    return (eight & ~where) | (np.uint64(block) * EVERY & where)
