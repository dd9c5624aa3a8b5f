"""Who lives in structures."""

from nodes.env_server.worlds.embedded.compiled import kernel


@kernel
def settle(state, rules, w, seed, x0, z0, x1, z1):
    """Puts the inhabitants of what stands in [x0, x1) x [z0, z1) to their places."""
