"""One tick of what blocks do of their own accord."""

from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.grid import held
from nodes.env_server.worlds.embedded.motion.scheduled import tidy

ROUNDS = 16  # what follows at once from what happened, in one tick
AWAY = 20  # ticks until a block outside the window is asked again


@kernel
def run_updates(state, rules, w):
    """Does all that is due. Nothing being so is one comparison."""
    player = state.players[w]
    for _ in range(ROUNDS):
        if player.pending == 0 or player.next_due > player.ticks:
            return
        for number in range(player.pending):
            entry = state.pending[w, number]
            if entry.due > max(1, player.ticks):
                continue
            if entry.dimension != player.dimension or not held(state, w, entry.x, entry.z):
                entry.due = player.ticks + AWAY
                continue
            entry.due = 0
            come(state, rules, w, entry.kind, entry.x, entry.y, entry.z)
        tidy(state, w)


@kernel
def come(state, rules, w, kind, x, y, z):
    """The time of one update has come."""
    # Fluids, falling blocks and the rest land here.
    return
