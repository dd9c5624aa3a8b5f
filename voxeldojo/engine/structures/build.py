"""Draws structures into a rectangle of finished columns; one kernel for every kind."""

import numpy as np

from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.state import HEIGHT
from voxeldojo.engine.structures.catalogue import AT_EACH
from voxeldojo.engine.structures.places import PIECES, landscape, pieces_at
from voxeldojo.engine.structures.plans import KEEP

LIQUIDS = (8, 11)
GROWN = (17, 18, 99, 100, 106, 161, 162)  # logs, leaves, great mushrooms, vines
TREES = 20  # blocks that they rise above a house


@entry_kernel
def build(state, rules, w, seed, x0, z0, x1, z1):
    """Draw the parts of structures of the player's dimension in [x0, x1) x [z0, z1). Call it after
    ground, caves and ores, and before plants."""
    found = np.empty((PIECES, 4), np.int64)
    setting = state.settings[w]
    dimension = landscape(state, w)
    count = pieces_at(
        rules, setting.biome, setting.generator, dimension, seed, x0, z0, x1, z1, found
    )
    for number in range(count):
        draw(state, rules, w, found[number], x0, z0, x1, z1)


@kernel
def draw(state, rules, w, place, x0, z0, x1, z1):
    """One piece, clipped to the rectangle."""
    piece = rules.piece[place[0]]
    last = state.blocks.shape[1] - 1
    highest = np.int64(state.players[w].ceiling)
    for x in range(max(x0, place[1]), min(x1, place[1] + piece.wide)):
        for z in range(max(z0, place[3]), min(z1, place[3] + piece.deep)):
            first = piece.cell + ((x - place[1]) * piece.deep + z - place[3]) * piece.tall
            base = place[2]
            column = state.blocks[w, x & last, z & last]
            if piece.level == AT_EACH:
                base = np.int64(state.ground[w, x & last, z & last]) + piece.y
                if LIQUIDS[0] <= column[min(HEIGHT - 1, base + 1)] <= LIQUIDS[1]:
                    continue
            for level in range(piece.tall):
                what = rules.cells[first + level]
                y = base + level
                if what != KEEP and 0 < y < HEIGHT:
                    column[y] = what >> 4
                    state.meta[w, x & last, z & last, y] = what & 15
                    if what >> 4:
                        highest = max(highest, y)
            if piece.foundation or piece.level == AT_EACH:
                fell(state, w, x, base + piece.tall, z)
            if piece.foundation and rules.cells[first] != KEEP and rules.cells[first] >> 4:
                stand(state, rules, w, x, min(base, HEIGHT) - 1, z, piece.foundation)
    state.players[w].ceiling = max(state.players[w].ceiling, highest)


@kernel
def fell(state, w, x, y, z):
    """Remove the parts of trees from ``y`` on."""
    last = state.blocks.shape[1] - 1
    column = state.blocks[w, x & last, z & last]
    for above in range(max(0, y), min(HEIGHT, y + TREES)):
        if column[above] in GROWN:
            column[above] = 0
            state.meta[w, x & last, z & last, above] = 0


@kernel
def stand(state, rules, w, x, y, z, foundation):
    """Fill a column from the ground to ``y``."""
    last = state.blocks.shape[1] - 1
    column = state.blocks[w, x & last, z & last]
    while y > 0 and rules.block[column[y]].solid == 0:
        column[y] = foundation >> 4
        state.meta[w, x & last, z & last, y] = foundation & 15
        y -= 1
