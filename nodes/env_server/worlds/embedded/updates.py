"""Changing a block, with all that follows from it, and taking every change back."""

from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.grid import block_at, held, log_change, write_block
from nodes.env_server.worlds.embedded.motion.light import relight
from nodes.env_server.worlds.embedded.state import CHANGES, HEIGHT


@kernel
def set_block(state, rules, w, x, y, z, block, meta):
    """Change a block of the window; outside nothing happens."""
    if y >= HEIGHT or y < 0 or not held(state, w, x, z):
        return
    log_change(state, w, x, y, z, block, meta)
    change_block(state, rules, w, x, y, z, block, meta)


@kernel
def change_block(state, rules, w, x, y, z, block, meta):
    """Puts a block into the window; light follows. What it was is not remembered."""
    old = block_at(state, w, x, y, z)
    write_block(state, w, x, y, z, block, meta)
    if rules.opacity[old] != rules.opacity[block] or rules.glow[old] != rules.glow[block]:
        relight(state, rules, w, x, y, z)


@kernel
def restore(state, rules, w):
    """Take all changes back. False: there were too many to be remembered, or there are some of
    another dimension."""
    player = state.players[w]
    if player.changes > CHANGES:
        return False
    for number in range(player.changes - 1, -1, -1):
        change = state.changes[w, number]
        if change.dimension != player.dimension:
            return False
        change_block(state, rules, w, change.x, change.y, change.z, change.block, change.meta)
    player.changes = 0
    return True
