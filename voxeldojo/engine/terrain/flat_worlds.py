"""Flat worlds: the same layers of blocks everywhere, from the bottom up.

Their description is Minecraft's, ``version;layers;biome;structures``: "3;7,2*3,2;1;" is bedrock,
two layers of dirt and grass in plains. Structures are not built.
"""

import re

import numpy as np
from numpy.typing import NDArray

from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.state import HEIGHT
from voxeldojo.names import quoted
from voxeldojo.rules import BIOMES, BLOCKS

CLASSIC = "3;7,2*3,2;1;village"
VERSIONS = {"2": "x", "3": "*"}  # with the sign between a count and a block
LAYER = re.compile(r"(?:(\d{1,3})[*x])?(?:minecraft:)?([a-z_]+|\d{1,3})(?::(\d{1,2}))?")
BLOCK_IDS = {block.name: block.id for block in BLOCKS}
BIOME_IDS = {biome.id for biome in BIOMES}
PLAINS = 1


def parse_flat(description: str) -> tuple[NDArray[np.uint8], int]:
    """Layers (2, HEIGHT), block ids and metadata, and the biome's id.

    Raises:
        ValueError: the description is invalid; the sentence names the part.
    """
    parts = (description or CLASSIC).split(";")
    if len(parts) == 1:
        # Before Minecraft 1.4.4 there was no version.
        parts = ["2", *parts]
    if parts[0] not in VERSIONS:
        raise ValueError(
            f"flat_world_seed_string: the version of {quoted(description)} is 2 or 3, "
            f"as in {CLASSIC!r}"
        )
    layers = np.zeros((2, HEIGHT), np.uint8)
    y = 0
    for text in parts[1].split(","):
        found = LAYER.fullmatch(text.strip())
        if found is None:
            raise ValueError(
                f"flat_world_seed_string: a layer is COUNT*BLOCK or BLOCK, not {text[:40]!r}"
            )
        count, name, meta = int(found[1] or 1), found[2], int(found[3] or 0)
        block = int(name) if name.isdecimal() else BLOCK_IDS.get(name, -1)
        if block not in BLOCK_IDS.values() or meta > 15:
            raise ValueError(f"flat_world_seed_string: there is no block {text.strip()[:40]!r}")
        layers[0, y : y + count] = block
        layers[1, y : y + count] = meta
        y += count
        if y >= HEIGHT:
            raise ValueError(f"flat_world_seed_string: {y} layers, {HEIGHT - 1} is the most here")
    biome = parts[2] if len(parts) > 2 and parts[2] else str(PLAINS)
    number = int(biome) if biome.isdecimal() and len(biome) < 4 else -1
    if number not in BIOME_IDS:
        raise ValueError(f"flat_world_seed_string: no biome has the id {biome[:20]!r}")
    return layers, number


@kernel
def fill_flat(state, w, x0, z0, x1, z1):
    """Fill the columns [x0, x1) x [z0, z1) of the window."""
    last = state.blocks.shape[1] - 1
    top = 0
    for y in range(HEIGHT):
        if state.layers[w, 0, y] != 0:
            top = y
    for x in range(x0, x1):
        for z in range(z0, z1):
            for y in range(HEIGHT):
                state.blocks[w, x & last, z & last, y] = state.layers[w, 0, y]
                state.meta[w, x & last, z & last, y] = state.layers[w, 1, y]
            state.ground[w, x & last, z & last] = top
            state.biomes[w, x & last, z & last] = state.settings[w].biome
    state.players[w].ceiling = max(state.players[w].ceiling, top)
