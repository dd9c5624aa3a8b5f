"""Renders the player's view: one ray per pixel, textured and lit, in MineDojo's picture format."""

import math

import numpy as np

from voxeldojo.engine.compiling.direct_calls import direct
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.grid import BARRIER
from voxeldojo.engine.picture.bodies import NOTHING, draw_bodies
from voxeldojo.engine.picture.camera import (
    DAY,
    DIMENSION,
    FAR,
    FLUID_EYES,
    FOG_B,
    FOG_G,
    FOG_R,
    FX,
    FY,
    FZ,
    HALF_U,
    HALF_V,
    OX,
    OY,
    OZ,
    RAINING,
    ROW,
    RX,
    RZ,
    UX,
    UY,
    UZ,
    VISION,
    aim,
    light_the_sky,
)
from voxeldojo.engine.picture.heads_up import draw_heads_up
from voxeldojo.engine.picture.hits import (
    ENDLESS,
    HIT,
    HIT_COLUMN,
    HIT_FACE,
    HIT_ROW,
    HIT_T,
    HIT_TEXTURE,
    HIT_U,
    HIT_V,
    boxes_hit,
    cross_hit,
    joined_sides,
)
from voxeldojo.engine.picture.lightmap import fill_lightmap
from voxeldojo.engine.picture.rainfall import draw_rain
from voxeldojo.engine.picture.shapes import (
    BOXES,
    CLEAR,
    CROSSED,
    CUBE,
    FLUID,
    HIDDEN,
)
from voxeldojo.engine.picture.sky import paint_sky
from voxeldojo.engine.rays import under_crosshair
from voxeldojo.engine.state import HEIGHT, OVERWORLD, REACH

SHADES = np.array((0.5, 1.0, 0.8, 0.8, 0.62, 0.62))  # by face
FULL = 240  # sky light 15
NO_CELL = -1
# A ray is followed block by block for every second pixel of every second row only. Where two of
# these see the same face of the same cube, the pixel between them sees it too.
ROW_FROM = np.array((0, 0, 1))
COLUMN_FROM = np.array((0, 1, 0))
COLUMN_STEP = np.array((2, 2, 1))


@kernel
def crack(row, column, dig):
    """Whether a pixel of a block under attack is cracked yet."""
    noise = (row * 7919 + column * 104729 + row * column * 31) % 97
    return noise < 60.0 * dig


@kernel
def shade_pixel(table, value, level, shade, seen):
    for c in range(3):
        seen[c] = shade * table[level, c] * np.float64((value >> np.uint32(8 * c)) & np.uint32(255))


@kernel
def marked(x, y, z, u, v, texture, target):
    """How much of its brightness a pixel of the block under the crosshair keeps."""
    if x != target[0] or y != target[1] or z != target[2]:
        return 1.0
    if min(min(u, v), min(1.0 - u, 1.0 - v)) < 0.025:
        return 0.2
    return 0.5 if crack((texture >> 4) & 15, texture & 15, target[3]) else 1.0


@kernel
def draw_world(state, looks, w, view, table, target, near, paint, cells, image):
    """Draw every pixel: the blocks along its ray, then the bodies in ``near`` and ``paint``, then
    the sky. It is one long function on purpose: its parts share some thirty values of a ray, which
    calls would have to pass for each pixel."""
    height = image.shape[1]
    width = image.shape[2]
    player = state.players[w]
    area = state.blocks.shape[1]
    last = area - 1
    blocks = state.blocks[w].reshape(-1)
    metas = state.meta[w].reshape(-1)
    lights = state.light[w].reshape(-1)
    ink = looks.ink
    ox = view[OX]
    oy = view[OY]
    oz = view[OZ]
    far = view[FAR]
    west = float(player.west)
    north = float(player.north)
    ceiling = float(min(HEIGHT, player.ceiling + 1))
    # If the light is not computed yet, it is day everywhere.
    column = ((math.floor(ox) & last) * area + (math.floor(oz) & last)) * HEIGHT
    lit = view[DIMENSION] != OVERWORLD or lights[column + HEIGHT - 1] != 0
    seen = np.empty(3)
    hit = np.empty(HIT)
    fog_start = far * (0.55 if view[FLUID_EYES] == 0.0 else 0.0)
    for turn in range(3 * height):
        phase = turn // height
        row = turn - phase * height
        if (row & 1) != ROW_FROM[phase]:
            continue
        v = view[HALF_V] * (1.0 - 2.0 * (row + 0.5) / height)
        row_x = view[FX] + v * view[UX]
        dy = view[FY] + v * view[UY]
        row_z = view[FZ] + v * view[UZ]
        for col in range(COLUMN_FROM[phase], width, COLUMN_STEP[phase]):
            u = view[HALF_U] * (2.0 * (col + 0.5) / width - 1.0)
            dx = row_x + u * view[RX]
            dz = row_z + u * view[RZ]
            length = math.sqrt(1.0 + u * u + v * v)
            if abs(dx) < 1e-9:
                dx = 1e-9
            if abs(dz) < 1e-9:
                dz = 1e-9
            fall = dy if abs(dy) > 1e-9 else 1e-9
            gap_x = abs(1.0 / dx)
            gap_y = abs(1.0 / fall)
            gap_z = abs(1.0 / dz)
            limit = far / length
            body = near[row, col]
            end = min(limit, body)
            end = min(end, (west + area - ox if dx > 0.0 else ox - west) * gap_x - 1e-6)
            end = min(end, (north + area - oz if dz > 0.0 else oz - north) * gap_z - 1e-6)
            end = min(end, (ceiling - oy if fall > 0.0 else oy) * gap_y - 1e-6)
            t = 0.0
            beside = NO_CELL
            if phase == 1 and col + 1 < width and cells[row, col - 1] == cells[row, col + 1]:
                beside = cells[row, col - 1]
            elif phase == 2 and row + 1 < height and cells[row - 1, col] == cells[row + 1, col]:
                beside = cells[row - 1, col]
            if oy >= ceiling:
                # From above all blocks: start at the highest one.
                t = (oy - ceiling) * gap_y + 1e-6
                if fall > 0.0:
                    end = -1.0
                else:
                    end = min(min(limit, body), oy * gap_y - 1e-6)
                    end = min(end, (west + area - ox if dx > 0.0 else ox - west) * gap_x - 1e-6)
                    end = min(end, (north + area - oz if dz > 0.0 else oz - north) * gap_z - 1e-6)
            through = 1.0
            red = 0.0
            green = 0.0
            blue = 0.0
            found = False
            plain = True  # nothing was passed on the way that is not a whole cube
            cell = NO_CELL
            if beside != NO_CELL:
                face = beside & 7
                index = beside >> 3
                y = index & (HEIGHT - 1)
                z = player.north + (((index // HEIGHT & last) - player.north) & last)
                x = player.west + ((index // (HEIGHT * area) - player.west) & last)
                if face < 2:
                    t = (y + face - oy) / fall
                elif face < 4:
                    t = (z + face - 2 - oz) / dz
                else:
                    t = (x + face - 4 - ox) / dx
                if t < body:
                    key = 16 * blocks[index] + metas[index]
                    tu = oz + t * dz - z if face > 3 else ox + t * dx - x
                    tv = oz + t * dz - z if face < 2 else y + 1.0 - oy - t * fall
                    texture = (
                        looks.faces[key, face]
                        + 16 * min(15, max(0, int(tv * 16.0)))
                        + min(15, max(0, int(tu * 16.0)))
                    )
                    ahead = index
                    if face < 2:
                        ahead += 2 * face - 1
                    elif face < 4:
                        ahead = ((x & last) * area + ((z + 2 * face - 5) & last)) * HEIGHT + y
                    else:
                        ahead = (((x + 2 * face - 9) & last) * area + (z & last)) * HEIGHT + y
                    level = FULL
                    if lit and 0 <= ahead < lights.shape[0] and (face > 1 or ahead & 127 != 0):
                        level = np.int64(lights[ahead])
                    shade = 1.0 if looks.lit[blocks[index]] == 1 else SHADES[face]
                    shade *= marked(x, y, z, tu, tv, texture, target)
                    shade_pixel(table, ink[texture], level, shade, seen)
                    found = True
                    cell = beside
                t = t if found else 0.0
            if t <= end and not found:
                x = math.floor(ox + t * dx)
                y = min(HEIGHT - 1, math.floor(oy + t * fall))
                z = math.floor(oz + t * dz)
                step_x = 1 if dx > 0.0 else -1
                step_y = 1 if fall > 0.0 else -1
                step_z = 1 if dz > 0.0 else -1
                next_x = (x + 1 - ox if dx > 0.0 else ox - x) * gap_x
                next_y = (y + 1 - oy if fall > 0.0 else oy - y) * gap_y
                next_z = (z + 1 - oz if dz > 0.0 else oz - z) * gap_z
                face_x = 4 if dx > 0.0 else 5
                face_y = 0 if fall > 0.0 else 1
                face_z = 2 if dz > 0.0 else 3
                face = -1 if t == 0.0 else 1
                index = ((x & last) * area + (z & last)) * HEIGHT + y
                before = index
                passed = 8 if view[FLUID_EYES] == 1.0 else 0  # what one is looking through
                while True:
                    block = blocks[index]
                    if block == 0:
                        passed = 0
                    else:
                        key = 16 * block + metas[index]
                        model = looks.model[key]
                        texture = -1
                        light_at = before
                        tu = 0.5
                        tv = 0.5
                        at = t
                        if model == HIDDEN:
                            if block == BARRIER:
                                break
                        elif model in (BOXES, CROSSED, FLUID):
                            light_at = index
                            plain = False
                            if looks.halves[block] == 1 and metas[index] & 8 and y > 0:
                                key = 16 * block + (metas[index - 1] & 7)
                            if model == FLUID and block < 10 and passed == 8:
                                hit[HIT_T] = -1.0
                            elif model == CROSSED:
                                leaf = looks.faces[key, 2]
                                cross_hit(looks, leaf, ox - x, oy - y, oz - z, dx, fall, dz, hit)
                            elif (
                                model == FLUID
                                and y < HEIGHT - 1
                                and looks.model[16 * blocks[index + 1]] == FLUID
                            ):
                                full = 16 * block + 8
                                boxes_hit(looks, full, 0, ox - x, oy - y, oz - z, dx, fall, dz, hit)
                            else:
                                sides = 0
                                if looks.group[block] > 0:
                                    sides = joined_sides(
                                        looks, blocks, index, area, area, x, z, looks.group[block]
                                    )
                                boxes_hit(
                                    looks, key, sides, ox - x, oy - y, oz - z, dx, fall, dz, hit
                                )
                            # A crossing behind the cell's far side belongs to another cell.
                            if 0.0 < hit[HIT_T] <= end:
                                texture = np.int64(hit[HIT_TEXTURE]) + 16 * np.int64(
                                    hit[HIT_ROW]
                                ) + np.int64(hit[HIT_COLUMN])  # fmt: skip
                                at = hit[HIT_T]
                                side = np.int64(hit[HIT_FACE])
                                tu = hit[HIT_U]
                                tv = hit[HIT_V]
                            if model == FLUID and block < 10 and texture >= 0:
                                passed = 8
                        elif face >= 0 and not (model == CLEAR and passed == block):
                            hx = ox + t * dx - x
                            hy = oy + t * fall - y
                            hz = oz + t * dz - z
                            tu = hz if face > 3 else hx
                            tv = hz if face < 2 else 1.0 - hy
                            texture = (
                                looks.faces[key, face]
                                + 16 * min(15, max(0, int(tv * 16.0)))
                                + min(15, max(0, int(tu * 16.0)))
                            )
                            side = face
                            if model == CLEAR:
                                passed = block
                        if texture >= 0:
                            value = ink[texture]
                            alpha = value >> np.uint32(24)
                            plain = plain and model == CUBE
                            if alpha > 0:
                                level = np.int64(lights[light_at]) if lit else FULL
                                shade = SHADES[side]
                                if looks.lit[block] == 1:
                                    level = 255
                                    shade = 1.0
                                shade *= marked(x, y, z, tu, tv, texture, target)
                                shade_pixel(table, value, level, shade, seen)
                                if alpha == 255:
                                    t = at
                                    found = True
                                    if model == CUBE and plain:
                                        cell = index * 8 + face
                                    break
                                plain = False
                                part = through * alpha / 255.0
                                distance = at * length
                                if distance > fog_start:
                                    haze = min(1.0, (distance - fog_start) / (far - fog_start))
                                    seen[0] += (view[FOG_R] - seen[0]) * haze
                                    seen[1] += (view[FOG_G] - seen[1]) * haze
                                    seen[2] += (view[FOG_B] - seen[2]) * haze
                                red += part * seen[0]
                                green += part * seen[1]
                                blue += part * seen[2]
                                through -= part
                    before = index
                    if next_x < next_y and next_x < next_z:
                        t = next_x
                        if t > end:
                            break
                        next_x += gap_x
                        x += step_x
                        face = face_x
                        index = ((x & last) * area + (z & last)) * HEIGHT + y
                    elif next_y < next_z:
                        t = next_y
                        if t > end:
                            break
                        next_y += gap_y
                        y += step_y
                        face = face_y
                        index += step_y
                    else:
                        t = next_z
                        if t > end:
                            break
                        next_z += gap_z
                        z += step_z
                        face = face_z
                        index = ((x & last) * area + (z & last)) * HEIGHT + y
            if not found and body < limit:
                value = paint[row, col]
                seen[0] = np.float64(value & np.uint32(255))
                seen[1] = np.float64((value >> np.uint32(8)) & np.uint32(255))
                seen[2] = np.float64((value >> np.uint32(16)) & np.uint32(255))
                t = body
                found = True
            haze = 1.0
            if found:
                distance = t * length
                haze = 0.0
                if distance > fog_start:
                    haze = min(1.0, (distance - fog_start) / (far - fog_start))
            if haze < 1.0:
                seen[0] += (view[FOG_R] - seen[0]) * haze
                seen[1] += (view[FOG_G] - seen[1]) * haze
                seen[2] += (view[FOG_B] - seen[2]) * haze
            else:
                paint_sky(looks, view, dx / length, dy / length, dz / length, seen)
            image[0, row, col] = np.uint8(min(255.0, red + through * seen[0]))
            image[1, row, col] = np.uint8(min(255.0, green + through * seen[1]))
            image[2, row, col] = np.uint8(min(255.0, blue + through * seen[2]))
            near[row, col] = t if found else ENDLESS
            cells[row, col] = cell


@entry_kernel
def draw(state, rules, looks, w, near, paint, cells, image):
    """Draws world ``w`` into image (3, height, width). ``near``, ``paint`` and ``cells`` (height,
    width) are for the time being; ``near`` is NOTHING everywhere, before and after."""
    view = np.empty(ROW)
    table = np.empty((256, 3))
    target = np.empty(4)
    player = state.players[w]
    aim(state, w, image.shape[1], image.shape[2], view)
    light_the_sky(state, w, view)
    fill_lightmap(player.dimension, view[DAY], view[VISION], table)
    block, x, y, z, _face, _distance = under_crosshair(state, rules, w, REACH)
    target[0] = x if block != 0 else -1e9
    target[1] = y
    target[2] = z
    target[3] = player.dig
    draw_bodies(state, looks, w, view, table, near, paint)
    draw_world(state, looks, w, view, table, target, near, paint, cells, image)
    if view[RAINING] > 0.0:
        draw_rain(state, looks, w, view, near, image)
    for row in range(image.shape[1]):
        for col in range(image.shape[2]):
            near[row, col] = NOTHING
    draw_heads_up(state, rules, looks, w, view, image)


DRAW = direct(draw)
