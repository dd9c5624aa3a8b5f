"""How many cells a machine has room for, side by side."""

from rlgpt.usable_machine import usable_cores, usable_memory

GIB = 1 << 30
GIB_A_CELL = 2
"""GiB of memory, for all nodes of a launch and what the world needs. A cell keeps about one core
busy and takes about 1 GB."""


def cells_at(cores: float, memory: float) -> int:
    """The number of cells that run side by side on a machine with that many cores and bytes of
    memory."""
    return int(min(cores, memory // (GIB_A_CELL * GIB)))


def cells_here() -> int:
    """The number of cells that run side by side on this machine; one at least."""
    return max(1, cells_at(usable_cores(), usable_memory()))
