"""Puts what was built into a rectangle of finished columns."""

from nodes.env_server.worlds.embedded.compiled import kernel


@kernel
def build(state, rules, w, seed, x0, z0, x1, z1):
    """The parts of structures of the player's dimension that stand in [x0, x1) x [z0, z1)."""
