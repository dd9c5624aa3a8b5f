"""Runs what blocks do by themselves in one tick."""

import numpy as np
from numba import int64

from voxeldojo.engine.compiling.compiled_apart import apart
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import held
from voxeldojo.engine.motion.burning import burn
from voxeldojo.engine.motion.consequences import follow
from voxeldojo.engine.motion.explosions import blow
from voxeldojo.engine.motion.falling import fall
from voxeldojo.engine.motion.fluids import flow, mix
from voxeldojo.engine.motion.growth import grow
from voxeldojo.engine.motion.portals import light_frame
from voxeldojo.engine.motion.scheduled import (
    BURN,
    DECAY,
    DROP_OFF,
    FALL,
    FLOW,
    LIGHT,
    MIX,
    RANDOM,
    tidy,
)
from voxeldojo.engine.motion.support import decay, drop_off
from voxeldojo.engine.state import END

ROUNDS = 16  # of updates that cause others, at most in one tick
AWAY = 20  # ticks by which the update of a block outside the window is put off


@apart(int64)
def run_updates(state, rules, w):
    """Run all updates that are due. If there is none this is one comparison."""
    player = state.players[w]
    for _ in range(ROUNDS):
        if player.touched > 0:
            follow(state, rules, w)
        if player.pending == 0 or player.next_due > max(1, player.ticks):
            return
        for number in range(player.pending):
            entry = state.pending[w, number]
            if entry.due == 0 or entry.due > max(1, player.ticks):
                continue
            if entry.dimension != player.dimension or not held(state, w, entry.x, entry.z):
                entry.due = player.ticks + AWAY
                continue
            entry.due = 0
            come(
                state, rules, w, np.int64(entry.kind),
                np.int64(entry.x), np.int64(entry.y), np.int64(entry.z),
            )  # fmt: skip
        tidy(state, w)


@kernel
def come(state, rules, w, kind, x, y, z):
    """Run one update."""
    if kind == FLOW:
        flow(state, rules, w, x, y, z)
    elif kind == MIX:
        mix(state, rules, w, x, y, z)
    elif kind == FALL:
        fall(state, rules, w, x, y, z)
    elif kind == DROP_OFF:
        drop_off(state, rules, w, x, y, z)
    elif kind == RANDOM:
        grow(state, rules, w, x, y, z)
    elif kind == DECAY:
        decay(state, rules, w, x, y, z)
    elif kind == BURN:
        burn(state, rules, w, x, y, z)
    elif kind == LIGHT:
        if state.players[w].dimension != END:  # BlockFire.onBlockAdded
            light_frame(state, rules, w, x, y, z)
    else:
        blow(state, rules, w, x, y, z)
