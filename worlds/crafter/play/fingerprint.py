"""Digits that differ where Crafter's episodes do: python -m worlds.crafter.play.fingerprint [drawn]

Of what random players see in two episodes. With ``drawn`` pictures are taken of them, which is to
change nothing.
"""

import hashlib
import sys

import numpy as np

from worlds.crafter.card.crafter_names import ACTIONS
from worlds.crafter.play.crafter_world import CrafterWorld

_STEPS = 400
_DIGITS = 12


def fingerprint(drawn: bool = False) -> str:
    """Hexadecimal."""
    world, chance, digest = CrafterWorld(2), np.random.RandomState(0), hashlib.sha256()
    world.reset(np.arange(2), np.array([7, 8]))
    for _ in range(_STEPS):
        world.step(chance.randint(0, len(ACTIONS), (2, 1)), np.ones(2, bool))
        for row in range(2):
            digest.update(world.sight(row).things.tobytes())
            if drawn:
                world.rgb(row)
    return digest.hexdigest()[:_DIGITS]


if __name__ == "__main__":
    print(fingerprint("drawn" in sys.argv[1:]))
