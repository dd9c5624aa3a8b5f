"""Generates a rectangle of the Nether."""

from voxeldojo.engine.compiling.kernels import entry_kernel
from voxeldojo.engine.terrain.nether.caverns import hollow
from voxeldojo.engine.terrain.nether.dressing import dress


@entry_kernel
def generate_nether(state, rules, w, seed, x0, z0, x1, z1):
    """Generate the columns [x0, x1) x [z0, z1) of the Nether, from seed and place alone."""
    hollow(state, w, seed, x0, z0, x1, z1)
    dress(state, w, seed, x0, z0, x1, z1)
