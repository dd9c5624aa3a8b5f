"""The ground around a player, seen from above: a pixel for each block.

Each is the mean colour of its block's upper side, lighter where the ground is higher and darker on
slopes that face south and east. Under a roof what lies above the player's head is left out.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voxeldojo.engine.picture.textures import TEXELS, textures
from voxeldojo.rules import BLOCKS, block_names

RADIUS = 20
"""Blocks that are seen to each side."""
_TOP = 1  # of the sides of a block
_HEAD = 2  # blocks above the feet from which one looks down if there is a roof


@cache
def colours() -> NDArray[np.float32]:
    """Of each of ``block_names``, (N, 3), 0 to 255."""
    looks = textures()
    table = np.full((len(block_names), 3), 110.0, np.float32)
    known: set[str] = set()
    for block in BLOCKS:
        if block.localised in known:
            continue
        known.add(block.localised)
        first = int(looks.faces[16 * block.id, _TOP])
        ink = looks.ink[first : first + TEXELS]
        pixels = np.stack([ink >> shift & 255 for shift in (0, 8, 16, 24)], 1).astype(np.float32)
        seen = pixels[pixels[:, 3] > 0]
        if len(seen):
            table[block_names.index(block.localised)] = seen[:, :3].mean(0)
    return table


def from_above(world: Any, environment: int) -> NDArray[np.uint8]:
    """(3, 2 RADIUS + 1, 2 RADIUS + 1) uint8, north at the top, of an `EmbeddedWorld`."""
    blocks = world.voxels(RADIUS, np.array([environment]))[0]  # x, y, z
    if blocks[RADIUS, RADIUS + _HEAD :, RADIUS].any():
        blocks = blocks[:, : RADIUS + _HEAD, :]
    filled = blocks[:, ::-1, :] != 0
    depth = filled.argmax(1)  # from the top down to the first block
    shown = np.take_along_axis(blocks[:, ::-1, :], depth[:, None, :], 1)[:, 0, :]
    height = -depth.astype(np.float32)
    slope = np.zeros_like(height)
    slope[1:, :] += np.sign(height[1:, :] - height[:-1, :])
    slope[:, 1:] += np.sign(height[:, 1:] - height[:, :-1])
    light = 1.0 + 0.07 * slope + 0.012 * (height - height[RADIUS, RADIUS]).clip(-12, 12)
    picture = colours()[shown] * light[:, :, None]
    picture[~filled.any(1)] = 0.0
    return np.ascontiguousarray(picture.clip(0, 255).astype(np.uint8).transpose(2, 1, 0))
