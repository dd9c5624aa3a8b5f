"""The camera, the sky and the fog of a picture, as one row of numbers."""

import math

from voxeldojo.engine.body.clock import celestial_angle
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.picture.lightmap import brightened, night_vision, sun_of
from voxeldojo.engine.rays import direction
from voxeldojo.engine.state import (
    CLEAR,
    END,
    EYES,
    HEIGHT,
    NETHER,
    OVERWORLD,
    THUNDER,
)

FIELD_OF_VIEW = 70.0  # degrees from the top to the bottom of the picture
FAR_PLANE = 64.0  # metres: four chunks
# Places in the row.
OX, OY, OZ, FX, FY, FZ, RX, RY, RZ, UX, UY, UZ = range(12)
HALF_U, HALF_V, FAR, SUN_X, SUN_Y, DAY, FOG_R, FOG_G, FOG_B, TOP_R, TOP_G, TOP_B = range(12, 24)
FLUID_EYES, RAINING, STARS, CLOUD_SHIFT, DIMENSION, DUSK, VISION = range(24, 31)
ROW = 31
WATERY, FIERY = 1.0, 2.0


@kernel
def block_of_eyes(state, w, x, y, z):
    if y < 0 or y >= HEIGHT:
        return 0
    last = state.blocks.shape[1] - 1
    return state.blocks[w, x & last, z & last, y]


@kernel
def aim(state, w, height, width, view):
    """Write the eyes, the line of sight, the axes right and up of it, and the range of sight."""
    player = state.players[w]
    view[OX] = player.x
    view[OY] = player.y + EYES
    view[OZ] = player.z
    view[FX], view[FY], view[FZ] = direction(player.yaw, player.pitch)
    view[UX], view[UY], view[UZ] = direction(player.yaw, player.pitch - 90.0)
    view[RX] = -math.cos(math.radians(player.yaw))
    view[RY] = 0.0
    view[RZ] = -math.sin(math.radians(player.yaw))
    view[HALF_V] = math.tan(math.radians(FIELD_OF_VIEW / 2.0))
    view[HALF_U] = view[HALF_V] * width / height
    area = state.blocks.shape[1]
    edge = min(
        min(player.x - player.west, player.west + area - player.x),
        min(player.z - player.north, player.north + area - player.z),
    )
    view[FAR] = min(FAR_PLANE, max(edge, 24.0))
    eyes = block_of_eyes(
        state, w, math.floor(player.x), math.floor(player.y + EYES), math.floor(player.z)
    )
    view[FLUID_EYES] = WATERY if eyes in (8, 9) else (FIERY if eyes in (10, 11) else 0.0)
    view[DIMENSION] = player.dimension


@kernel
def tint(view, place, r, g, b):
    view[place] = r
    view[place + 1] = g
    view[place + 2] = b


@kernel
def light_the_sky(state, w, view):
    """Write the sun and the colours of sky and fog, by the time of day and the weather."""
    player = state.players[w]
    angle = celestial_angle(player.time)
    view[SUN_X] = -math.sin(2.0 * math.pi * angle)
    view[SUN_Y] = math.cos(2.0 * math.pi * angle)
    day = min(1.0, max(0.0, 2.0 * view[SUN_Y] + 0.5))
    rain = player.dimension == OVERWORLD and player.weather != CLEAR
    gloom = 1.0 if not rain else (0.42 if player.weather == THUNDER else 0.62)
    view[RAINING] = 1.0 if rain else 0.0
    view[DAY] = sun_of(state, w)
    view[VISION] = night_vision(state, w)
    view[STARS] = 0.0 if rain else max(0.0, 0.5 - day)
    view[DUSK] = 0.0 if rain else max(0.0, 1.0 - abs(view[SUN_Y] + 0.02) / 0.38)
    view[CLOUD_SHIFT] = 0.03 * player.time
    grey = 0.0 if gloom == 1.0 else 0.6
    for c in range(3):
        top = (104.0, 160.0, 255.0)[c] * (0.03 + 0.97 * day) * gloom
        low = (
            (178.0, 208.0, 255.0)[c] * ((0.06, 0.06, 0.09)[c] + (0.94, 0.94, 0.91)[c] * day) * gloom
        )
        view[TOP_R + c] = top + grey * (130.0 * day * gloom - top)
        view[FOG_R + c] = low + grey * (150.0 * day * gloom - low)
    view[FOG_R] += 40.0 * view[DUSK] * day
    view[FOG_B] -= 50.0 * view[DUSK] * day
    if player.dimension == NETHER:
        tint(view, TOP_R, 52.0, 9.0, 9.0)
        tint(view, FOG_R, 52.0, 9.0, 9.0)
        view[FAR] = min(view[FAR], 48.0)
    elif player.dimension == END:
        tint(view, TOP_R, 22.0, 17.0, 26.0)
        tint(view, FOG_R, 26.0, 21.0, 30.0)
    if view[FLUID_EYES] == WATERY:
        tint(view, FOG_R, 10.0 + 10.0 * day, 24.0 + 40.0 * day, 70.0 + 80.0 * day)
        tint(view, TOP_R, view[FOG_R], view[FOG_G], view[FOG_B])
        view[FAR] = 22.0
    elif view[FLUID_EYES] == FIERY:
        tint(view, FOG_R, 200.0, 70.0, 10.0)
        tint(view, TOP_R, 200.0, 70.0, 10.0)
        view[FAR] = 2.0
    if view[VISION] > 0.0:
        red, green, blue = view[FOG_R] / 255.0, view[FOG_G] / 255.0, view[FOG_B] / 255.0
        more = brightened(red, green, blue, view[VISION])
        for c in range(3):
            view[FOG_R + c] *= more
