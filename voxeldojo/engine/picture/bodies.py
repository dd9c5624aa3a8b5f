"""Draws mobs, shots and item entities as boxes, before the blocks, each in its screen rectangle."""

import math

import numpy as np

from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.picture.camera import (
    DIMENSION,
    FAR,
    FX,
    FY,
    FZ,
    HALF_U,
    HALF_V,
    OX,
    OY,
    OZ,
    RX,
    RZ,
    UX,
    UY,
    UZ,
)
from voxeldojo.engine.picture.textures import FLYING, SHEEP, SWOLLEN
from voxeldojo.engine.state import HEIGHT, OVERWORLD
from voxeldojo.rules.mobs import MOB_IDS

NOTHING = 1e30
SHEEP_KIND, CREEPER_KIND = MOB_IDS["sheep"], MOB_IDS["creeper"]
SLIME_KIND, MAGMA_KIND = MOB_IDS["slime"], MOB_IDS["magma_cube"]
NEAREST = 0.02
SHADES = np.array((0.6, 1.0, 0.82, 0.82, 0.7, 0.7))
# A body's row: where its feet are, the sine and cosine of its yaw, its size, its light,
# and whether it is hurt (below 0).
BODY_X, BODY_Y, BODY_Z, SINE, COSINE, SIZE, RED, GREEN, BLUE, HURT = range(10)
BODY = 10


@kernel
def light_body(state, w, view, table, x, y, z, body):
    last = state.blocks.shape[1] - 1
    row = min(HEIGHT - 1, max(0, math.floor(y)))
    column = state.light[w, math.floor(x) & last, math.floor(z) & last]
    level = column[row]
    if view[DIMENSION] == OVERWORLD and column[HEIGHT - 1] == 0:
        level = 240
    for c in range(3):
        body[RED + c] = table[level, c]


@kernel
def rectangle(view, box, size, ox, oy, oz, fx, fz, rx, rz, ux, uz, height, width):
    """(first row, last row, first column, last column) of the pixels that a box can cover. (ox, oy,
    oz) are the eyes relative to the body. Empty if the whole box is behind the eyes."""
    left = 1e9
    right = -1e9
    low = 1e9
    high = -1e9
    behind = 0
    for corner in range(8):
        cx = size * box[3 if corner & 1 else 0] - ox
        cy = size * box[4 if corner & 2 else 1] - oy
        cz = size * box[5 if corner & 4 else 2] - oz
        depth = cx * fx + cy * view[FY] + cz * fz
        if depth < NEAREST:
            behind += 1
            continue
        u = (cx * rx + cz * rz) / depth
        v = (cx * ux + cy * view[UY] + cz * uz) / depth
        left = min(left, u)
        right = max(right, u)
        low = min(low, v)
        high = max(high, v)
    if behind == 8:
        return 0, -1, 0, -1
    if behind > 0:
        left = low = -1e3
        right = high = 1e3
    first_col = max(0, math.floor((left / view[HALF_U] + 1.0) * 0.5 * width - 0.5))
    last_col = min(width - 1, math.ceil((right / view[HALF_U] + 1.0) * 0.5 * width - 0.5))
    first_row = max(0, math.floor((1.0 - high / view[HALF_V]) * 0.5 * height - 0.5))
    last_row = min(height - 1, math.ceil((1.0 - low / view[HALF_V]) * 0.5 * height - 0.5))
    return first_row, last_row, first_col, last_col


@kernel
def draw_box(looks, view, body, box, faces, near, paint):
    """One box (x0, y0, z0, x1, y1, z1 in metres) of a body."""
    height = near.shape[0]
    width = near.shape[1]
    sine = body[SINE]
    cosine = body[COSINE]
    size = body[SIZE]
    # In the body's coordinates: z ahead, x to its left.
    wx = view[OX] - body[BODY_X]
    wy = view[OY] - body[BODY_Y]
    wz = view[OZ] - body[BODY_Z]
    ox = cosine * wx + sine * wz
    oz = -sine * wx + cosine * wz
    fx = cosine * view[FX] + sine * view[FZ]
    fz = -sine * view[FX] + cosine * view[FZ]
    rx = cosine * view[RX] + sine * view[RZ]
    rz = -sine * view[RX] + cosine * view[RZ]
    ux = cosine * view[UX] + sine * view[UZ]
    uz = -sine * view[UX] + cosine * view[UZ]
    first_row, last_row, first_col, last_col = rectangle(
        view, box, size, ox, wy, oz, fx, fz, rx, rz, ux, uz, height, width
    )
    for row in range(first_row, last_row + 1):
        v = view[HALF_V] * (1.0 - 2.0 * (row + 0.5) / height)
        dy = view[FY] + v * view[UY]
        for col in range(first_col, last_col + 1):
            u = view[HALF_U] * (2.0 * (col + 0.5) / width - 1.0)
            dx = fx + v * ux + u * rx
            dz = fz + v * uz + u * rz
            enter = -1e30
            leave = 1e30
            face = -1
            for axis in range(3):
                o = ox if axis == 0 else (wy if axis == 1 else oz)
                d = dx if axis == 0 else (dy if axis == 1 else dz)
                lower = size * box[axis]
                upper = size * box[axis + 3]
                if abs(d) < 1e-12:
                    if o < lower or o > upper:
                        enter = 1e30
                    continue
                a = (lower - o) / d
                b = (upper - o) / d
                if a > b:
                    a, b = b, a
                if a > enter:
                    enter = a
                    face = (4, 0, 2)[axis] + (0 if d > 0.0 else 1)
                leave = min(leave, b)
            if enter > leave or enter <= NEAREST or face < 0 or enter >= near[row, col]:
                continue
            x = (ox + enter * dx - size * box[0]) / (size * (box[3] - box[0]))
            y = (wy + enter * dy - size * box[1]) / (size * (box[4] - box[1]))
            z = (oz + enter * dz - size * box[2]) / (size * (box[5] - box[2]))
            across = z if face > 3 else x
            down = z if face < 2 else 1.0 - y
            texel = 16 * min(15, max(0, int(down * 16.0))) + min(15, max(0, int(across * 16.0)))
            value = looks.ink[faces[face] + texel]
            if value >> np.uint32(24) == 0:
                continue
            near[row, col] = enter
            shade = SHADES[face]
            hurt = body[HURT]
            r = np.float64(value & np.uint32(255))
            g = np.float64((value >> np.uint32(8)) & np.uint32(255))
            b = np.float64((value >> np.uint32(16)) & np.uint32(255))
            if hurt < 0.0:  # hurt
                r += (255.0 - r) * 0.45
                g *= 0.45
                b *= 0.45
            r = min(255.0, r * shade * body[RED])
            g = min(255.0, g * shade * body[GREEN])
            b = min(255.0, b * shade * body[BLUE])
            paint[row, col] = (
                np.uint32(r) | (np.uint32(g) << np.uint32(8)) | (np.uint32(b) << np.uint32(16))
            )


@kernel
def draw_model(state, looks, w, view, table, model, x, y, z, yaw, size, hurt, near, paint):
    """Draw all boxes of a mob or shot that is near enough and not behind the eyes."""
    wx = x - view[OX]
    wy = y - view[OY]
    wz = z - view[OZ]
    reach = looks.mob_reach[model] * size
    away = math.sqrt(wx * wx + wy * wy + wz * wz)
    if away - reach > view[FAR]:
        return
    if wx * view[FX] + wy * view[FY] + wz * view[FZ] < -reach:
        return
    body = np.empty(BODY)
    body[BODY_X] = x
    body[BODY_Y] = y
    body[BODY_Z] = z
    body[SINE] = math.sin(math.radians(yaw))
    body[COSINE] = math.cos(math.radians(yaw))
    body[SIZE] = size
    body[HURT] = hurt
    light_body(state, w, view, table, x, y + 0.5, z, body)
    first = looks.mob_first[model]
    for number in range(first, first + looks.mob_count[model]):
        draw_box(looks, view, body, looks.mob_boxes[number], looks.mob_faces[number], near, paint)


@kernel
def draw_drop(state, looks, w, view, table, drop, near, paint):
    """An item entity: a small block, or a thin picture of the item, that turns."""
    wx = drop.x - view[OX]
    wz = drop.z - view[OZ]
    if wx * wx + wz * wz > view[FAR] * view[FAR]:
        return
    body = np.empty(BODY)
    body[BODY_X] = drop.x
    body[BODY_Y] = drop.y + 0.06
    body[BODY_Z] = drop.z
    yaw = drop.age * 2.9
    body[SINE] = math.sin(math.radians(yaw))
    body[COSINE] = math.cos(math.radians(yaw))
    body[SIZE] = 1.0
    body[HURT] = 0.0
    light_body(state, w, view, table, drop.x, drop.y + 0.25, drop.z, body)
    flat = looks.item_flat[drop.item] == 1
    wide = 0.2 if flat else 0.125
    thin = 0.02 if flat else 0.125
    box = np.empty(6)
    box[0] = -wide
    box[1] = 0.0
    box[2] = -thin
    box[3] = wide
    box[4] = 2.0 * wide
    box[5] = thin
    draw_box(looks, view, body, box, looks.item_faces[drop.item], near, paint)


@kernel
def draw_bodies(state, looks, w, view, table, near, paint):
    player = state.players[w]
    for number in range(state.mobs.shape[1]):
        mob = state.mobs[w, number]
        if mob.kind == 0 or player.riding == number + 1:
            continue
        model = np.int64(mob.kind)
        size = 0.5 if mob.age < 0 else 1.0
        if model == SHEEP_KIND and mob.carried == 0:
            model = SHEEP + (mob.variant & 15)
        if model == CREEPER_KIND and mob.counter > 0 and (mob.counter // 3) % 2 == 1:
            model = SWOLLEN
        if model in (SLIME_KIND, MAGMA_KIND):
            size = float(max(1, mob.variant))
        hurt = -1.0 if mob.invulnerable > 0 or mob.life <= 0.0 else 0.0
        x, y, z, yaw = mob.x, mob.y, mob.z, mob.yaw
        draw_model(
            state, looks, w, view, table, model, x, y, z, yaw, size, hurt, near, paint
        )  # fmt: skip
    for number in range(state.shots.shape[1]):
        shot = state.shots[w, number]
        if shot.kind == 0:
            continue
        yaw = math.degrees(math.atan2(-shot.vx, shot.vz))
        model = FLYING + (0 if shot.kind == 1 else 1)
        draw_model(
            state, looks, w, view, table, model, shot.x, shot.y, shot.z, yaw, 1.0, 0.0, near, paint
        )
    for number in range(state.drops.shape[1]):
        if state.drops[w, number].count > 0:
            draw_drop(state, looks, w, view, table, state.drops[w, number], near, paint)
