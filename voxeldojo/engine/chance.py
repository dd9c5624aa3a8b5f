"""Random numbers: a stateless hash for terrain, and a counter for events of an episode."""

import numpy as np

from voxeldojo.engine.compiling.kernels import kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
X_SALT = np.uint64(0x8DA6B343D8163841)
Z_SALT = np.uint64(0xCB1AB31FD8163841)


@kernel
def mixed(value):
    """SplitMix64's output function: each input bit affects every output bit."""
    value = (value ^ (value >> np.uint64(30))) * MIX_1
    value = (value ^ (value >> np.uint64(27))) * MIX_2
    return value ^ (value >> np.uint64(31))


@kernel
def unit_at(seed, x, z):
    """A number in [0, 1) for a place: (uint64 seed, int x, int z)."""
    value = mixed(seed + np.uint64(x) * X_SALT + np.uint64(z) * Z_SALT)
    return np.float64(value >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def unit(player):
    """The episode's next number in [0, 1)."""
    player.random = player.random + GOLDEN
    return np.float64(mixed(player.random) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def below(player, limit):
    """The episode's next integer in 0 .. limit - 1."""
    return np.int64(unit(player) * limit)
