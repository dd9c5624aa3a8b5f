"""The sky behind everything: its colours, sun, moon, stars and clouds."""

import math

import numpy as np

from voxeldojo.engine.chance import mixed
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.picture.camera import (
    CLOUD_SHIFT,
    DAY,
    DIMENSION,
    DUSK,
    FLUID_EYES,
    FOG_R,
    OX,
    OY,
    OZ,
    RAINING,
    STARS,
    SUN_X,
    SUN_Y,
    TOP_R,
)
from voxeldojo.engine.state import OVERWORLD

CLOUD_HEIGHT = 128.0
SUN_SIZE, MOON_SIZE = 0.11, 0.085
STAR_CELLS = 90.0


@kernel
def paint_sky(looks, view, dx, dy, dz, colour):
    """The sky in a direction (a unit vector), 0..255 each of red, green and blue."""
    high = min(1.0, max(0.0, dy * 2.2))
    for c in range(3):
        colour[c] = view[FOG_R + c] + (view[TOP_R + c] - view[FOG_R + c]) * high
    if view[DIMENSION] != OVERWORLD or view[FLUID_EYES] != 0.0:
        return
    # The glow where the sun rises and sets.
    if view[DUSK] > 0.0 and dx * view[SUN_X] > 0.0:
        glow = view[DUSK] * max(0.0, 1.0 - abs(dy) * 2.0) * dx * dx
        colour[0] += (235.0 - colour[0]) * glow
        colour[1] += (120.0 - colour[1]) * glow
        colour[2] += (60.0 - colour[2]) * glow
    if dy < -0.05:
        return
    if view[RAINING] == 0.0:
        along = dx * view[SUN_X] + dy * view[SUN_Y]
        across = abs(dx * view[SUN_Y] - dy * view[SUN_X])
        if along > 0.0 and across < SUN_SIZE and abs(dz) < SUN_SIZE:
            middle = max(across, abs(dz)) < SUN_SIZE * 0.8
            colour[0] = 255.0
            colour[1] = 252.0 if middle else 240.0
            colour[2] = 226.0 if middle else 150.0
            return
        if along < 0.0 and across < MOON_SIZE and abs(dz) < MOON_SIZE:
            place = np.int64(40.0 * (across + 1.0)) * 97 + np.int64(40.0 * (dz + 1.0))
            shade = 0.86 if mixed(np.uint64(place)) & np.uint64(3) == 0 else 1.0
            colour[0] = 222.0 * shade
            colour[1] = 228.0 * shade
            colour[2] = 236.0 * shade
            return
        if view[STARS] > 0.0:
            turned = dx * view[SUN_Y] - dy * view[SUN_X]
            up = dx * view[SUN_X] + dy * view[SUN_Y]
            place = np.int64(STAR_CELLS * (turned + 2.0)) * 1009
            place = (place + np.int64(STAR_CELLS * (up + 2.0))) * 1009
            place += np.int64(STAR_CELLS * (dz + 2.0))
            if mixed(np.uint64(place)) % np.uint64(260) == np.uint64(0):
                for c in range(3):
                    colour[c] += (235.0 - colour[c]) * 1.6 * view[STARS]
    if dy > 0.03 and view[OY] < CLOUD_HEIGHT:
        away = (CLOUD_HEIGHT - view[OY]) / dy
        if away < 420.0:
            x = math.floor((view[OX] + away * dx + view[CLOUD_SHIFT]) / 12.0)
            z = math.floor((view[OZ] + away * dz) / 12.0)
            if looks.clouds[x & 63, z & 63] == 1:
                part = 0.75 * (1.0 - away / 420.0)
                gloom = 0.7 if view[RAINING] > 0.0 else 1.25
                white = 30.0 + 222.0 * max(0.0, view[DAY] - 0.2) * gloom
                for c in range(3):
                    colour[c] += (min(250.0, white) - colour[c]) * part
