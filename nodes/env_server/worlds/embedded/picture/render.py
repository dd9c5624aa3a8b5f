"""What the player sees: one ray a pixel, textured and shaded, in MineDojo's picture format."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.grid import BARRIER, block_at, meta_at
from nodes.env_server.worlds.embedded.picture.heads_up import draw_heads_up
from nodes.env_server.worlds.embedded.picture.textures import textures
from nodes.env_server.worlds.embedded.rays import FAR, direction, enter_slab, under_crosshair
from nodes.env_server.worlds.embedded.state import EYES, HEIGHT, REACH
from nodes.env_server.worlds.embedded.terrain.ground import STONE
from nodes.env_server.worlds.embedded.terrain.pens import LEAVES, LOG

if TYPE_CHECKING:
    from nodes.env_server.worlds.embedded.embedded import EmbeddedWorld

FIELD_OF_VIEW = 70.0  # degrees from the top to the bottom of the picture
FAR_PLANE = 64.0  # metres: four chunks
SHADES = (0.55, 1.0, 0.82, 0.82, 0.68, 0.68)  # by face
SHADE_TABLE = np.array(SHADES)
COVERED = 0.72  # of the light that is left under leaves and roofs
SKY_TOP = np.array((104.0, 156.0, 255.0))
SKY_LOW = np.array((196.0, 216.0, 250.0))


@kernel
def shine(state, w, x, y, z, face):
    """How bright a face is: by its direction, and less under a cover."""
    shade = SHADE_TABLE[face]
    if face == 0:
        return shade
    if face == 2:
        z -= 1
    elif face == 3:
        z += 1
    elif face == 4:
        x -= 1
    elif face == 5:
        x += 1
    area = state.blocks.shape[1]
    if x < 0 or z < 0 or x >= area or z >= area:
        return shade
    for above in range(y + 1, min(HEIGHT, y + 16)):
        block = state.blocks[w, x, z, above]
        if block in (LOG, LEAVES, STONE):
            return shade * COVERED
    return shade


@kernel
def cross_hit(pixels, ox, oy, oz, dx, dy, dz, x, y, z):
    """Where a ray hits a plant of two crossed planes: (distance, row, column) or distance -1."""
    best = -1.0
    best_row = 0
    best_column = 0
    for plane in range(2):
        if plane == 0:
            across = dx - dz
            offset = (ox - x) - (oz - z)
        else:
            across = dx + dz
            offset = (ox - x) + (oz - z) - 1.0
        if abs(across) < 1e-9:
            continue
        t = -offset / across
        if t <= 0.0 or (best >= 0.0 and t >= best):
            continue
        u = ox + t * dx - x
        v = oy + t * dy - y
        if u < 0.0 or u >= 1.0 or v < 0.0 or v >= 1.0:
            continue
        row = 15 - int(v * 16.0)
        column = int(u * 16.0)
        if pixels[row, column, 3] > 0:
            best = t
            best_row = row
            best_column = column
    return best, best_row, best_column


@kernel
def on_face(face, hx, hy, hz):
    """Row and column of a point (0..1 in its cell) on a face's texture, as fractions."""
    if face < 2:
        return hz, hx
    if face < 4:
        return 1.0 - hy, hx
    return 1.0 - hy, hz


@kernel
def crack(row, column, dig):
    """Whether a pixel of a block under attack is cracked yet."""
    noise = (row * 7919 + column * 104729 + row * column * 31) % 97
    return noise < 60.0 * dig


@kernel
def see(state, rules, looks, w, ox, oy, oz, dx, dy, dz, target, colour):
    """The colour and the distance of what one ray sees; distance FAR is the sky."""
    x = math.floor(ox)
    y = math.floor(oy)
    z = math.floor(oz)
    step_x = 1 if dx > 0.0 else -1
    step_y = 1 if dy > 0.0 else -1
    step_z = 1 if dz > 0.0 else -1
    gap_x = abs(1.0 / dx) if dx != 0.0 else FAR
    gap_y = abs(1.0 / dy) if dy != 0.0 else FAR
    gap_z = abs(1.0 / dz) if dz != 0.0 else FAR
    next_x = gap_x * (x + 1 - ox if dx > 0.0 else ox - x) if dx != 0.0 else FAR
    next_y = gap_y * (y + 1 - oy if dy > 0.0 else oy - y) if dy != 0.0 else FAR
    next_z = gap_z * (z + 1 - oz if dz > 0.0 else oz - z) if dz != 0.0 else FAR
    distance = 0.0
    face = -1
    ceiling = state.players[w].ceiling
    while distance <= FAR_PLANE:
        block = block_at(state, w, x, y, z)
        if block == BARRIER or (y < 0 and step_y < 0) or (y > ceiling and step_y > 0):
            return FAR
        if block != 0:
            kind = meta_at(state, w, x, y, z) & 3
            if looks.crossed[block]:
                pixels = looks.pixels[looks.faces[block, kind, 2]]
                near, row, column = cross_hit(pixels, ox, oy, oz, dx, dy, dz, x, y, z)
                if near >= 0.0:
                    for c in range(3):
                        colour[c] = pixels[row, column, c]
                    return near
            elif face >= 0:
                pixels = looks.pixels[looks.faces[block, kind, min(face, 2)]]
                v, u = on_face(
                    face, ox + distance * dx - x, oy + distance * dy - y, oz + distance * dz - z
                )
                row = min(15, max(0, int(v * 16.0)))
                column = min(15, max(0, int(u * 16.0)))
                if pixels[row, column, 3] > 0:
                    shade = shine(state, w, x, y, z, face)
                    if x == target[0] and y == target[1] and z == target[2]:
                        if min(u, v, 1.0 - u, 1.0 - v) < 0.02:
                            shade *= 0.25
                        elif crack(row, column, target[3]):
                            shade *= 0.5
                    for c in range(3):
                        colour[c] = shade * pixels[row, column, c]
                    return distance
        if next_x < next_y and next_x < next_z:
            distance = next_x
            next_x += gap_x
            x += step_x
            face = 4 if step_x > 0 else 5
        elif next_y < next_z:
            distance = next_y
            next_y += gap_y
            y += step_y
            face = 0 if step_y > 0 else 1
        else:
            distance = next_z
            next_z += gap_z
            z += step_z
            face = 2 if step_z > 0 else 3
    return FAR


@kernel
def see_drops(state, looks, w, ox, oy, oz, dx, dy, dz, distance, colour):
    """Item entities are small blocks; the nearest before ``distance`` hides what is behind it."""
    for number in range(state.drops.shape[1]):
        drop = state.drops[w, number]
        if drop.count == 0:
            continue
        ax, bx = enter_slab(ox, dx, drop.x - 0.125, drop.x + 0.125)
        ay, by = enter_slab(oy, dy, drop.y, drop.y + 0.25)
        az, bz = enter_slab(oz, dz, drop.z - 0.125, drop.z + 0.125)
        near = max(ax, ay, az)
        if near <= 0.0 or near > min(bx, by, bz) or near >= distance:
            continue
        face = 1 if near == ay else (2 if near == az else 4)
        hx = (ox + near * dx - drop.x) * 4.0 + 0.5
        hy = (oy + near * dy - drop.y) * 4.0
        hz = (oz + near * dz - drop.z) * 4.0 + 0.5
        v, u = on_face(face, hx, hy, hz)
        pixels = looks.pixels[looks.icons[drop.item]]
        row = min(15, max(0, int(v * 16.0)))
        column = min(15, max(0, int(u * 16.0)))
        if pixels[row, column, 3] == 0:
            row = 8
            column = 8
        for c in range(3):
            colour[c] = SHADE_TABLE[face] * pixels[row, column, c]
        distance = near
    return distance


@kernel
def draw(state, rules, looks, w, image):
    """Draws world ``w`` into image (3, height, width)."""
    player = state.players[w]
    height = image.shape[1]
    width = image.shape[2]
    ox = player.x
    oy = player.y + EYES
    oz = player.z
    fx, fy, fz = direction(player.yaw, player.pitch)
    ux, uy, uz = direction(player.yaw, player.pitch - 90.0)
    rx = -math.cos(math.radians(player.yaw))
    rz = -math.sin(math.radians(player.yaw))
    half = math.tan(math.radians(FIELD_OF_VIEW / 2.0))
    target = np.empty(4)
    block, tx, ty, tz, _face, _distance = under_crosshair(state, rules, w, REACH)
    target[0] = tx if block != 0 else -1e9
    target[1] = ty
    target[2] = tz
    target[3] = player.dig
    colour = np.empty(3)
    for row in range(height):
        v = half * (1.0 - 2.0 * (row + 0.5) / height)
        for column in range(width):
            u = half * (2.0 * (column + 0.5) / width - 1.0) * width / height
            dx = fx + u * rx + v * ux
            dy = fy + v * uy
            dz = fz + u * rz + v * uz
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            dx /= length
            dy /= length
            dz /= length
            distance = see(state, rules, looks, w, ox, oy, oz, dx, dy, dz, target, colour)
            distance = see_drops(state, looks, w, ox, oy, oz, dx, dy, dz, distance, colour)
            high = min(1.0, max(0.0, dy * 1.6))
            # Far things fade into the horizon.
            haze = 1.0 if distance >= FAR_PLANE else (distance / FAR_PLANE) ** 3
            for c in range(3):
                sky = SKY_LOW[c] + (SKY_TOP[c] - SKY_LOW[c]) * high
                seen = sky if distance >= FAR_PLANE else colour[c]
                image[c, row, column] = np.uint8(seen + (sky - seen) * haze)


def picture(world: "EmbeddedWorld", environment: int, height: int, width: int) -> NDArray[np.uint8]:
    """The picture of one environment, (3, height, width).

    Raises:
        ValueError: a picture without pixels, or one of more than 16 million.
    """
    if height < 1 or width < 1 or height * width > 1 << 24:
        raise ValueError(f"a picture of {height} x {width} pixels cannot be drawn")
    image: Any = world.buffer(("image", height, width), (3, height, width), np.uint8)
    looks = textures()
    draw(world.state, world.rules, looks, environment, image)
    draw_heads_up(image, world.state, environment, looks)
    return image
