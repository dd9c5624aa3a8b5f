"""Changing a block, with all that follows from it, and taking every change back."""

from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.grid import held, log_change, write_block
from nodes.env_server.worlds.embedded.state import CHANGES, HEIGHT


@kernel
def set_block(state, w, x, y, z, block, meta):
    """Change a block of the window; outside nothing happens."""
    if y >= HEIGHT or y < 0 or not held(state, w, x, z):
        return
    log_change(state, w, x, y, z, block, meta)
    write_block(state, w, x, y, z, block, meta)


@kernel
def restore(state, w):
    """Take all changes back. False: there were too many to be remembered, or there are some of
    another dimension."""
    player = state.players[w]
    if player.changes > CHANGES:
        return False
    for number in range(player.changes - 1, -1, -1):
        change = state.changes[w, number]
        if change.dimension != player.dimension:
            return False
        write_block(state, w, change.x, change.y, change.z, change.block, change.meta)
    player.changes = 0
    return True
