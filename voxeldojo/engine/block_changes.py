"""Changes a block, and undoes all changes.

The consequences of a change are computed by ``motion/consequences.py`` at the next ``run_updates``,
so that the many kernels that change blocks stay small to compile.
"""

from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.grid import block_at, held, log_change, write_block
from voxeldojo.engine.motion.light import relight
from voxeldojo.engine.state import CHANGES, HEIGHT, TOUCHED


@entry_kernel
def set_block(state, rules, w, x, y, z, block, meta):
    """Change a block of the window; outside it nothing happens. Light, fluids, falling blocks and
    blocks that it supported follow in ``run_updates``."""
    if y >= HEIGHT or y < 0 or not held(state, w, x, z):
        return
    player = state.players[w]
    if player.touched < TOUCHED:
        touched = state.touched[w, player.touched]
        touched.x = x
        touched.z = z
        touched.y = y
        touched.old = block_at(state, w, x, y, z)
    player.touched += 1
    log_change(state, w, x, y, z, block, meta)
    write_block(state, w, x, y, z, block, meta)


@kernel
def restore(state, rules, w):
    """Undo all changes, and their light, in a window that has not moved. False: there were too many
    for the log, or some in another dimension."""
    player = state.players[w]
    if player.changes > CHANGES:
        return False
    player.touched = 0
    for number in range(player.changes - 1, -1, -1):
        change = state.changes[w, number]
        if change.dimension != player.dimension:
            return False
        write_block(state, w, change.x, change.y, change.z, change.block, change.meta)
    for number in range(player.changes):
        change = state.changes[w, number]
        if held(state, w, change.x, change.z):
            relight(state, rules, w, int(change.x), int(change.y), int(change.z))
    player.changes = 0
    player.ceiling = player.kept_ceiling
    return True
