"""Stores whole new worlds in an eighth of their space until they are wanted.

Blocks, metadata and light are packed like the window of a start (terrain/keeping.py); the rest is
small and copied.
"""

import numpy as np

from voxeldojo.engine.compiling.kernels import entry_kernel
from voxeldojo.engine.state import CHANGES, State, new_state
from voxeldojo.engine.terrain.keeping import CHUNK, pack, unpack

ENTRIES = 16  # for each column; forest needs 10, jungle 14
PACKED = frozenset({"blocks", "meta", "light"})
LEFT_OUT = frozenset({"settings", "layers", "queues", "tops"})
"""Arrays that are the same in all worlds of a batch, or scratch. A new world has no copy of its
start (``kept_...``) either."""
LOG = "changes"  # drawings and the ticks of a setup write to it; only its used part is copied
STORED = tuple(
    name for name in State._fields if name not in PACKED | LEFT_OUT and not name.startswith("kept_")
)


class PackedWorlds:
    """``places`` for worlds with windows of ``area`` columns along each side: at most 1.6 MB each,
    with the default of 128."""

    def __init__(self, places: int, area: int) -> None:
        arrays = new_state(1, area)._asdict()
        arrays |= {
            name: array
            for name, array in new_state(places, area)._asdict().items()
            if name in STORED
        }
        entries = places, 1, ENTRIES * area * area
        arrays["kept_words"], arrays["kept_steps"] = (
            np.zeros(entries, np.uint32),
            np.zeros(entries, np.uint8),
        )
        self._state = State(**arrays)

    def load(self, state: State) -> None:
        """Load the kernels, which the jail forbids later: world 0 is put here and back."""
        self.put(state, 0, 0)
        self.take(0, state, 0)

    def put(self, state: State, w: int, place: int) -> bool:
        """Store a world that was just made. False: it needs more space than there is."""
        if not pack_world(state, w, self._state, place):
            return False
        _copy(state, w, self._state, place)
        return True

    def take(self, place: int, state: State, w: int) -> None:
        """Make world ``w`` the stored one."""
        unpack_world(self._state, place, state, w)
        _copy(self._state, place, state, w)


def _copy(source: State, place: int, target: State, at: int) -> None:
    """Copy what is not packed."""
    for name in STORED:
        if name != LOG:
            getattr(target, name)[at] = getattr(source, name)[place]
    logged = min(int(source.players[place]["changes"]), CHANGES)
    target.changes[at, :logged] = source.changes[place, :logged]


@entry_kernel
def pack_world(state, w, shelf, place):
    at = np.int64(0)
    for i in range(state.blocks.shape[1] // CHUNK):
        for k in range(state.blocks.shape[1] // CHUNK):
            at = pack(shelf, place, state.blocks[w], i, k, at)
            if at >= 0:
                at = pack(shelf, place, state.meta[w], i, k, at)
            if at >= 0:
                at = pack(shelf, place, state.light[w], i, k, at)
            if at < 0:
                return False
    return True


@entry_kernel
def unpack_world(shelf, place, state, w):
    at = np.int64(0)
    for i in range(state.blocks.shape[1] // CHUNK):
        for k in range(state.blocks.shape[1] // CHUNK):
            at = unpack(shelf, place, state.blocks[w], i, k, at)
            at = unpack(shelf, place, state.meta[w], i, k, at)
            at = unpack(shelf, place, state.light[w], i, k, at)
