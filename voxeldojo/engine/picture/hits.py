"""Hits of a ray on blocks that are not full cubes: crossed planes, and lists of boxes."""

import numpy as np

from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.state import HEIGHT

ENDLESS = 1e30
# The numbers of a hit: distance, texture, row and column of its pixel, face, and where on it.
HIT_T, HIT_TEXTURE, HIT_ROW, HIT_COLUMN, HIT_FACE, HIT_U, HIT_V = range(7)
HIT = 7


@kernel
def cross_hit(looks, texture, ox, oy, oz, dx, dy, dz, hit):
    """Two crossed planes in the cell at 0, 0, 0: fills ``hit``, its distance -1 for a miss."""
    hit[HIT_T] = -1.0
    for plane in range(2):
        across = dx - dz if plane == 0 else dx + dz
        offset = ox - oz if plane == 0 else ox + oz - 1.0
        if abs(across) < 1e-9:
            continue
        t = -offset / across
        if t <= 0.0 or (hit[HIT_T] >= 0.0 and t >= hit[HIT_T]):
            continue
        u = ox + t * dx
        v = oy + t * dy
        if u < 0.0 or u >= 1.0 or v < 0.0 or v >= 1.0:
            continue
        row = 15 - int(v * 16.0)
        column = int(u * 16.0)
        if looks.ink[texture + 16 * row + column] >> np.uint32(24) > 0:
            hit[HIT_T] = t
            hit[HIT_TEXTURE] = texture
            hit[HIT_ROW] = row
            hit[HIT_COLUMN] = column
            hit[HIT_FACE] = 1
            hit[HIT_U] = 0.5
            hit[HIT_V] = 0.5


@kernel
def joined_sides(looks, blocks, index, across, area, x, z, group):
    """The sides on which a fence, wall or pane joins its neighbour."""
    last = area - 1
    y = index & (HEIGHT - 1)
    sides = 0
    for side in range(4):
        nx = x + (0, 0, -1, 1)[side]
        nz = z + (-1, 1, 0, 0)[side]
        block = blocks[((nx & last) * across + (nz & last)) * HEIGHT + y]
        if looks.solid[block] == 1 or looks.group[block] == group:
            sides |= 1 << side
    return sides


@kernel
def boxes_hit(looks, row, sides, ox, oy, oz, dx, dy, dz, hit):
    """The nearest box of a block in the cell at 0, 0, 0: fills ``hit``."""
    best = ENDLESS
    hit[HIT_T] = -1.0
    for number in range(looks.first[row], looks.first[row] + looks.count[row]):
        if looks.joins[number] & ~sides:
            continue
        near = -ENDLESS
        far = ENDLESS
        face = -1
        for axis in range(3):
            o = ox if axis == 0 else (oy if axis == 1 else oz)
            d = dx if axis == 0 else (dy if axis == 1 else dz)
            low = looks.boxes[number, axis]
            high = looks.boxes[number, axis + 3]
            if abs(d) < 1e-12:
                if o < low or o > high:
                    near = ENDLESS
                continue
            a = (low - o) / d
            b = (high - o) / d
            if a > b:
                a, b = b, a
            if a > near:
                near = a
                face = (4, 0, 2)[axis] + (0 if d > 0.0 else 1)
            far = min(far, b)
        if near > far or near <= 0.0 or near >= best or face < 0:
            continue
        x = ox + near * dx
        y = oy + near * dy
        z = oz + near * dz
        if looks.fitted[number] == 1:
            x = (x - looks.boxes[number, 0]) / (looks.boxes[number, 3] - looks.boxes[number, 0])
            y = (y - looks.boxes[number, 1]) / (looks.boxes[number, 4] - looks.boxes[number, 1])
            z = (z - looks.boxes[number, 2]) / (looks.boxes[number, 5] - looks.boxes[number, 2])
        u = z if face > 3 else x
        v = z if face < 2 else 1.0 - y
        pixel_row = min(15, max(0, int(v * 16.0)))
        column = min(15, max(0, int(u * 16.0)))
        texture = looks.faces[row, face]
        if looks.ink[texture + 16 * pixel_row + column] >> np.uint32(24) > 0:
            best = near
            hit[HIT_T] = near
            hit[HIT_TEXTURE] = texture
            hit[HIT_ROW] = pixel_row
            hit[HIT_COLUMN] = column
            hit[HIT_FACE] = face
            hit[HIT_U] = u
            hit[HIT_V] = v
