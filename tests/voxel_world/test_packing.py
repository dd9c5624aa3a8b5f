"""Packed windows: whatever is in them, they come back to the bit."""

import numpy as np
import pytest

from voxeldojo.engine.state import HEIGHT, State, new_state
from voxeldojo.engine.threads.packed_worlds import PackedWorlds, pack_world, unpack_world

AREA = 32


def unpacked(state: State, place: int, store: State) -> State:
    """A state that was full of other things, with the stored world in it."""
    other = new_state(1, AREA)
    for name in ("blocks", "meta", "light"):
        getattr(other, name)[:] = 9
    unpack_world(store, place, other, 0)
    return other


@pytest.mark.parametrize("changed", [0, 1, 40, 2_000])
@pytest.mark.parametrize("seed", range(3))
def test_changed_blocks_come_back_however_far_apart_they_are(changed: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    state = new_state(1, AREA)
    layers = random.integers(0, 255, HEIGHT, np.uint8)  # a row is like the one before
    for cells in (state.blocks, state.meta, state.light):
        cells[0] = layers
        at = random.integers(0, AREA * AREA * HEIGHT, changed)
        cells.reshape(-1)[at] = random.integers(0, 255, changed, np.uint8)
    state.meta[0, :, 5] = 0
    state.meta[0, 17, 15, HEIGHT - 1] = 1  # the last cell of a row, alone in it
    store = PackedWorlds(2, AREA)
    assert store.put(state, 0, 1)
    again = unpacked(state, 1, store._state)
    for name in ("blocks", "meta", "light"):
        assert (getattr(again, name) == getattr(state, name)).all(), name


def test_a_world_in_which_no_row_is_like_another_is_not_stored() -> None:
    state = new_state(1, AREA)
    state.blocks[:] = np.random.default_rng(0).integers(0, 255, state.blocks.shape, np.uint8)
    store = PackedWorlds(1, AREA)
    assert not pack_world(state, 0, store._state, 0)
