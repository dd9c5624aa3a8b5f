"""Random places in a box: the same as MineDojo's for the same seed."""

import hashlib

import numpy as np
from numpy.typing import NDArray

from voxeldojo.tasks.staging import Corner


class Box:
    """The sampling of gym 0.21's Box of float32."""

    def __init__(self, low: Corner, high: Corner, rows: int, seed: int | None) -> None:
        self._low = np.tile(np.array(low, np.float32), (rows, 1)).ravel()
        self._high = np.tile(np.array(high, np.float32), (rows, 1)).ravel()
        self._chance = np.random.RandomState()
        if seed is not None:
            self._chance.seed(_words(seed))

    def sample(self) -> NDArray[np.float32]:
        drawn = self._chance.uniform(low=self._low, high=self._high, size=len(self._low))
        return drawn.astype(np.float32).reshape(-1, 3)


def _words(seed: int) -> list[int]:
    """The 32-bit words that gym 0.21 makes of a seed."""
    digest = hashlib.sha512(str(seed).encode()).digest()[:8]
    value = int.from_bytes(digest, "little")
    words = [value & 0xFFFFFFFF, value >> 32]
    while words and words[-1] == 0:
        words.pop()
    return words or [0]
