"""Makes the arrays of a batch, if the machine's memory is large enough for them."""

import os

from voxeldojo.engine.state import State, new_state

MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")  # bytes


def fitting_state(size: int, area: int) -> State:
    """Raises ValueError: the arrays are larger than the memory. The system would grant most of them
    all the same, and kill the process without a word while they are filled."""
    one = new_state(1, area)._asdict().items()
    # The starts are kept only of seeds that are played again.
    needed = size * sum(array.nbytes for name, array in one if not name.startswith("kept_"))
    if needed > MEMORY:
        raise ValueError(
            f"{size:,} environments do not fit into memory: they take {needed / 1e9:,.1f} GB, and "
            f"this machine has {MEMORY / 1e9:,.1f} GB"
        )
    try:
        return new_state(size, area)
    except (MemoryError, ValueError) as error:
        raise ValueError(f"{size:,} environments do not fit into memory: {error}") from None
