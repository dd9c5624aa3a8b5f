"""Scheduled updates of blocks.

The entries of an environment are at the front of ``state.pending``, in the order in which they were
made; ``player.pending`` counts them and ``player.next_due`` is the tick of the earliest, so that a
tick in which nothing is due costs one comparison.
"""

from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.state import PENDING

FLOW, MIX, FALL, DROP_OFF, RANDOM, BURN, EXPLODE, DECAY, LIGHT = 1, 2, 3, 4, 5, 6, 7, 8, 9
NEVER = 1 << 60


@kernel
def forget_updates(state, w):
    """Cancel all updates."""
    player = state.players[w]
    player.pending = 0
    player.touched = 0
    player.next_due = NEVER


@kernel
def is_scheduled(state, w, x, y, z, kind):
    for number in range(state.players[w].pending):
        entry = state.pending[w, number]
        if entry.x == x and entry.z == z and entry.y == y and entry.kind == kind and entry.due > 0:
            return True
    return False


@kernel
def schedule(state, w, x, y, z, delay, kind):
    """Schedule the update ``kind`` of a block in ``delay`` ticks; 0: in the next run. If it is
    scheduled already, that entry stays. If there is no room the least urgent entry is lost."""
    player = state.players[w]
    if is_scheduled(state, w, x, y, z, kind):
        return
    due = max(1, player.ticks + delay)
    number = player.pending
    if number < PENDING:
        player.pending += 1
    else:
        number = 0
        for other in range(1, PENDING):
            if state.pending[w, other].due > state.pending[w, number].due:
                number = other
        if state.pending[w, number].due <= due:
            return
    entry = state.pending[w, number]
    entry.due = due
    entry.x = x
    entry.y = y
    entry.z = z
    entry.kind = kind
    entry.dimension = player.dimension
    player.next_due = min(player.next_due, due)


@kernel
def tidy(state, w):
    """Close the gaps of finished entries, and find the next due one."""
    player = state.players[w]
    kept = 0
    player.next_due = NEVER
    for number in range(player.pending):
        entry = state.pending[w, number]
        if entry.due == 0:
            continue
        if kept != number:
            target = state.pending[w, kept]
            target.due = entry.due
            target.x = entry.x
            target.y = entry.y
            target.z = entry.z
            target.kind = entry.kind
            target.dimension = entry.dimension
        kept += 1
        player.next_due = min(player.next_due, entry.due)
    player.pending = kept
