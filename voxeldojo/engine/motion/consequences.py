"""The consequences of changed blocks: light, and updates of their neighbours."""

import numpy as np
from numba import int64

from voxeldojo.engine.compiling.compiled_apart import apart
from voxeldojo.engine.grid import block_at, held
from voxeldojo.engine.motion.light import light_area, relight
from voxeldojo.engine.motion.waking import wake
from voxeldojo.engine.state import TOUCHED


@apart(int64)
def follow(state, rules, w):
    """Process every change that ``set_block`` has recorded since the last call."""
    player = state.players[w]
    if player.touched > TOUCHED:
        area = state.blocks.shape[1]
        west = np.int64(player.west)
        north = np.int64(player.north)
        light_area(state, rules, w, west, north, west + area, north + area)
    for number in range(min(TOUCHED, player.touched)):
        touched = state.touched[w, number]
        x = np.int64(touched.x)
        y = np.int64(touched.y)
        z = np.int64(touched.z)
        old = np.int64(touched.old)
        if not held(state, w, x, z):
            continue
        block = block_at(state, w, x, y, z)
        if rules.opacity[old] != rules.opacity[block] or rules.glow[old] != rules.glow[block]:
            relight(state, rules, w, x, y, z)
        wake(state, rules, w, x, y, z, old)
    player.touched = 0
