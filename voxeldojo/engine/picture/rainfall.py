"""Draws rain and snow over everything that is further away."""

import math

import numpy as np

from voxeldojo.engine.chance import mixed
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.picture.camera import HALF_V, OX, OY, OZ
from voxeldojo.engine.picture.textures import DRY, SNOWY
from voxeldojo.engine.state import HEIGHT


@kernel
def draw_rain(state, looks, w, view, near, image):
    """Streaks, or flakes where it is cold; none in a desert or under a roof."""
    player = state.players[w]
    last = state.blocks.shape[1] - 1
    x = math.floor(view[OX]) & last
    z = math.floor(view[OZ]) & last
    kind = looks.falls[state.biomes[w, x, z]]
    y = min(HEIGHT - 1, max(0, math.floor(view[OY])))
    if kind == DRY or state.light[w, x, z, y] >> 4 < 12:
        return
    height = image.shape[1]
    width = image.shape[2]
    drops = width * 2 if kind == SNOWY else width
    size = max(1, height // 90)
    for number in range(drops):
        bits = mixed(np.uint64(number * 7919 + 13))
        depth = 2.0 + np.float64(bits % np.uint64(160)) / 10.0
        speed = 0.055 if kind == SNOWY else 0.4
        start = np.float64((bits >> np.uint64(8)) % np.uint64(1000)) / 1000.0
        phase = (start + player.ticks * speed / depth * 2.0) % 1.0
        column = np.int64((bits >> np.uint64(24)) % np.uint64(width))
        if kind == SNOWY:
            column = (column + np.int64(4.0 * math.sin(0.1 * player.ticks + number))) % width
        row = np.int64(phase * height)
        long = size if kind == SNOWY else max(2, np.int64(height * 0.5 / (depth * view[HALF_V])))
        wide = size if kind == SNOWY else max(1, size // 2)
        part = 0.85 if kind == SNOWY else 0.38
        for r in range(row, min(height, row + long)):
            for c in range(column, min(width, column + wide)):
                if near[r, c] > depth:
                    for k in range(3):
                        tone = 245.0 if kind == SNOWY else (130.0, 150.0, 210.0)[k]
                        old = np.float64(image[k, r, c])
                        image[k, r, c] = np.uint8(old + (tone - old) * part)
