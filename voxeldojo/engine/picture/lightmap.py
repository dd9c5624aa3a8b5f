"""How bright a pixel is by the light that falls on it: Minecraft's lightmap, one for each picture.

The formula is the game's (1.11.2, ``EntityRenderer.updateLightmap``) at the gamma that MineDojo
sets. Two things of it are left out: a torch's flicker, which is at its mean, and lightning.
"""

import math

from voxeldojo.engine.body.clock import sun_brightness
from voxeldojo.engine.body.effects import NIGHT_VISION, has_effect
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.state import END, NETHER

GAMMA = 2.0  # brightness; the slider of the game ends at 1.0
TORCH = 1.5  # what block light is multiplied by, before it is mixed
NETHER_AMBIENT = 0.1
NETHER_SUN, END_SUN = 0.2, 1.0  # it is always midnight in the one, and noon in the other
ENDING = 200  # ticks before its end from which on night vision flickers


@kernel
def sun_of(state, w):
    """How bright the sky is: 0.2 at midnight, 1 at noon."""
    dimension = state.players[w].dimension
    if dimension == NETHER:
        return NETHER_SUN
    return END_SUN if dimension == END else sun_brightness(state, w)


@kernel
def night_vision(state, w):
    """How much of it there is, 0..1."""
    if not has_effect(state.players[w], NIGHT_VISION):
        return 0.0
    left = state.effects[w, NIGHT_VISION] >> 3
    return 1.0 if left > ENDING else 0.7 + 0.3 * math.sin(0.2 * math.pi * (left - 1))


@kernel
def brightened(red, green, blue, part):
    """What a colour (0..1) is multiplied by where night vision makes its strongest part 1."""
    return 1.0 - part + part / max(max(red, green), max(blue, 1e-3))


@kernel
def brightness(level, ambient):
    """The share of the full brightness that a light level gives."""
    dark = 1.0 - level / 15.0
    return (1.0 - dark) / (dark * 3.0 + 1.0) * (1.0 - ambient) + ambient


@kernel
def with_gamma(value):
    value = min(1.0, value)
    rest = 1.0 - value
    curved = 1.0 - rest * rest * rest * rest
    value = value * (1.0 - GAMMA) + curved * GAMMA
    return min(1.0, max(0.0, value * 0.96 + 0.03))


@entry_kernel
def fill_lightmap(dimension, sun, vision, table):
    """(256, 3): brightness of red, green and blue by sky light << 4 | block light. ``vision``: how
    much night vision there is."""
    ambient = NETHER_AMBIENT if dimension == NETHER else 0.0
    for sky in range(16):
        above = brightness(sky, ambient) * (sun * 0.95 + 0.05)
        for lamp in range(16):
            warm = brightness(lamp, ambient) * TORCH
            green_warm = warm * ((warm * 0.6 + 0.4) * 0.6 + 0.4)
            blue_warm = warm * (warm * warm * 0.6 + 0.4)
            if dimension == END:
                red = 0.22 + warm * 0.75
                green = 0.28 + green_warm * 0.75
                blue = 0.25 + blue_warm * 0.75
            else:
                dim = above * (sun * 0.65 + 0.35)
                red = (dim + warm) * 0.96 + 0.03
                green = (dim + green_warm) * 0.96 + 0.03
                blue = (above + blue_warm) * 0.96 + 0.03
            more = brightened(red, green, blue, vision)
            table[16 * sky + lamp, 0] = with_gamma(red * more)
            table[16 * sky + lamp, 1] = with_gamma(green * more)
            table[16 * sky + lamp, 2] = with_gamma(blue * more)
