"""What lies in chests."""

from nodes.env_server.worlds.embedded.compiled import kernel


@kernel
def drop_chest(state, rules, w, x, y, z, block):
    """What a chest holds spills out of it. Call it when it breaks."""
