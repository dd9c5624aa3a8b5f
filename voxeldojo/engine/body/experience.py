"""Experience points, which ores, mobs, smelting, fishing and breeding give."""

from voxeldojo.engine.compiling.kernels import kernel


@kernel
def gain_xp(state, w, points):
    """The player gains experience at once: there are no orbs to pick up."""
    state.players[w].xp += points
