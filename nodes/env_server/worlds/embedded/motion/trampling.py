"""What comes down on farmland may turn it back into dirt."""

from nodes.env_server.worlds.embedded.chance import unit
from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.grid import block_at
from nodes.env_server.worlds.embedded.updates import set_block

DIRT, FARMLAND = 3, 60


@kernel
def trample(state, rules, w, x, y, z, fall):
    """Somebody came down on a block after ``fall`` metres."""
    if block_at(state, w, x, y, z) == FARMLAND and unit(state.players[w]) < fall - 0.5:
        set_block(state, rules, w, x, y, z, DIRT, 0)
