"""Large trees: branching oaks, acacias, and those with a trunk of two by two.

(x, y, z) is the lowest log, of a thick trunk the one with the lowest x and z; ``bits`` are the
tree's own random numbers. Heights are the game's, the shapes this project's own.
"""

import math

import numpy as np

from voxeldojo.engine.chance import GOLDEN, mixed
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.terrain.pens import (
    ACROSS_X,
    ACROSS_Z,
    LEAVES,
    LEAVES_2,
    LOG,
    LOG_2,
    disc,
    disc_4,
    put_log,
    raise_trunk,
)
from voxeldojo.engine.terrain.trees import (
    JUNGLE,
    OAK,
    SPRUCE,
    hang_crown_vines,
    hang_trunk_vines,
)

ACACIA, DARK_OAK = 0, 1
TURN = 2.0 * math.pi


@kernel
def fraction(bits):
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def grow_branch(state, w, clip, x, y, z, dx, dy, dz, log, kind):
    """Logs from (x, y, z) to dx, dy, dz from there."""
    steps = max(abs(dx), abs(dy), abs(dz))
    across = 0
    if max(abs(dx), abs(dz)) > abs(dy):
        across = ACROSS_X if abs(dx) >= abs(dz) else ACROSS_Z
    for step in range(1, steps + 1):
        t = step / steps
        put_log(
            state,
            w,
            clip,
            x + np.int64(math.floor(dx * t + 0.5)),
            y + np.int64(math.floor(dy * t + 0.5)),
            z + np.int64(math.floor(dz * t + 0.5)),
            log,
            kind + across,
        )


@kernel
def grow_big_oak(state, w, clip, x, y, z, bits):
    """A trunk of 8 to 14 blocks whose branches each bear a ball of leaves."""
    height = 8 + np.int64(bits % np.uint64(6))
    puff(state, w, clip, x, y + height - 2, z)
    count = 4 + height // 3
    angle = TURN * fraction(bits)
    for number in range(count):
        bits = mixed(bits + GOLDEN)
        angle += 2.4 + 0.6 * fraction(bits)
        level = height // 2 + (number * (height - 2 - height // 2)) // count
        # The crown is widest at two thirds of the height.
        away = (1.6 + 2.6 * fraction(mixed(bits))) * (1.0 - 0.4 * number / count)
        dx = np.int64(math.floor(math.cos(angle) * away + 0.5))
        dz = np.int64(math.floor(math.sin(angle) * away + 0.5))
        puff(state, w, clip, x + dx, y + level, z + dz)
        drop = 1 if abs(dx) + abs(dz) > 2 else 0
        grow_branch(state, w, clip, x, y + level - drop, z, dx, drop, dz, LOG, OAK)
    raise_trunk(state, w, clip, x, y, z, height, LOG, OAK)


@kernel
def puff(state, w, clip, x, y, z):
    disc(state, w, clip, x, y - 1, z, 1.5, LEAVES, OAK)
    disc(state, w, clip, x, y, z, 2.3, LEAVES, OAK)
    disc(state, w, clip, x, y + 1, z, 2.3, LEAVES, OAK)
    disc(state, w, clip, x, y + 2, z, 1.5, LEAVES, OAK)


@kernel
def grow_acacia(state, w, clip, x, y, z, bits):
    """A trunk that bends, a flat crown on its end and mostly a second one on the other side."""
    height = 5 + np.int64(bits % np.uint64(3)) + np.int64((bits >> np.uint64(4)) % np.uint64(3))
    side = np.int64((bits >> np.uint64(8)) & np.uint64(3))
    dx = (0, -1, 0, 1)[side]
    dz = (1, 0, -1, 0)[side]
    bend = height - 1 - np.int64((bits >> np.uint64(12)) & np.uint64(3))
    lean = 3 - np.int64((bits >> np.uint64(16)) % np.uint64(3))
    raise_trunk(state, w, clip, x, y, z, min(bend + 1, height), LOG_2, ACACIA)
    top_x = x
    top_z = z
    for level in range(bend, height):
        if lean > 0:
            top_x += dx
            top_z += dz
            lean -= 1
        put_log(state, w, clip, top_x, y + level, top_z, LOG_2, ACACIA)
    canopy(state, w, clip, top_x, y + height - 1, top_z, 3)
    if (bits >> np.uint64(20)) & np.uint64(3) != np.uint64(0):
        away = 2 + np.int64((bits >> np.uint64(24)) & np.uint64(1))
        other = (side + 1 + np.int64((bits >> np.uint64(28)) % np.uint64(3))) & 3
        dx = away * (0, -1, 0, 1)[other]
        dz = away * (1, 0, -1, 0)[other]
        fork = max(2, bend - 1)
        grow_branch(state, w, clip, x, y + fork, z, dx, away, dz, LOG_2, ACACIA)
        canopy(state, w, clip, x + dx, y + fork + away, z + dz, 2)


@kernel
def canopy(state, w, clip, x, y, z, radius):
    disc(state, w, clip, x, y, z, radius + 0.5, LEAVES_2, ACACIA)
    disc(state, w, clip, x, y + 1, z, radius - 0.8, LEAVES_2, ACACIA)


@kernel
def thick_trunk(state, w, clip, x, y, z, height, log, kind):
    for dx in range(2):
        for dz in range(2):
            raise_trunk(state, w, clip, x + dx, y, z + dz, height, log, kind)


@kernel
def grow_dark_oak(state, w, clip, x, y, z, bits):
    """A thick trunk of 6 to 9 blocks under a broad roof."""
    height = 6 + np.int64(bits % np.uint64(3)) + np.int64((bits >> np.uint64(4)) & np.uint64(1))
    disc_4(state, w, clip, x, y + height - 2, z, 3, LEAVES_2, DARK_OAK)
    disc_4(state, w, clip, x, y + height - 1, z, 4, LEAVES_2, DARK_OAK)
    disc_4(state, w, clip, x, y + height, z, 2, LEAVES_2, DARK_OAK)
    if bits & np.uint64(256) != np.uint64(0):
        disc_4(state, w, clip, x, y + height + 1, z, 0, LEAVES_2, DARK_OAK)
    thick_trunk(state, w, clip, x, y, z, height, LOG_2, DARK_OAK)
    # Stubs beside the trunk that hold the roof.
    for number in range(4):
        bits = mixed(bits + GOLDEN)
        if bits % np.uint64(3) != np.uint64(0):
            continue
        length = 2 + np.int64((bits >> np.uint64(8)) % np.uint64(3))
        along = np.int64((bits >> np.uint64(16)) & np.uint64(1))
        dx = (-1, 2, along, along)[number]
        dz = (along, along, -1, 2)[number]
        for level in range(height - 1 - length, height - 1):
            put_log(state, w, clip, x + dx, y + level, z + dz, LOG_2, DARK_OAK)


@kernel
def grow_mega_jungle(state, w, clip, x, y, z, bits):
    """The jungle's giants: 14 to 30 blocks high, with boughs and vines."""
    height = 14 + np.int64(bits % np.uint64(9)) + np.int64((bits >> np.uint64(8)) % np.uint64(9))
    for layer in range(-2, 1):
        disc_4(state, w, clip, x, y + height + layer, z, 3 - layer if layer < 0 else 2, LEAVES, 3)
    level = height - 2 - np.int64((bits >> np.uint64(16)) & np.uint64(3))
    while level > height // 2:
        bits = mixed(bits + GOLDEN)
        angle = TURN * fraction(bits)
        dx = np.int64(math.floor(math.cos(angle) * 4.0 + 0.5))
        dz = np.int64(math.floor(math.sin(angle) * 4.0 + 0.5))
        grow_branch(state, w, clip, x, y + level - 3, z, dx, 2, dz, LOG, JUNGLE)
        disc(state, w, clip, x + dx, y + level - 1, z + dz, 2.3, LEAVES, JUNGLE)
        disc(state, w, clip, x + dx, y + level, z + dz, 1.5, LEAVES, JUNGLE)
        level -= 3 + np.int64((bits >> np.uint64(32)) & np.uint64(3))
    thick_trunk(state, w, clip, x, y, z, height, LOG, JUNGLE)
    bits = hang_trunk_vines(state, w, clip, x, y, z, height - 3, bits)
    bits = hang_trunk_vines(state, w, clip, x + 1, y, z + 1, height - 3, bits)
    hang_crown_vines(state, w, clip, x, y + height - 2, z, 5, bits)


@kernel
def grow_mega_spruce(state, w, clip, x, y, z, whole, bits):
    """The taiga's giants of 13 to 30 blocks: a cone, of a spruce most of its height, of a pine at
    its tip only."""
    height = 13 + np.int64(bits % np.uint64(3)) + np.int64((bits >> np.uint64(8)) % np.uint64(15))
    crown = 3 + np.int64((bits >> np.uint64(16)) % np.uint64(5))
    if whole:
        crown = height - 3 - np.int64((bits >> np.uint64(16)) & np.uint64(3))
    widest = 3.6 if whole else 2.6
    for layer in range(crown + 1):
        radius = 0.6 + widest * layer / crown - 0.8 * (layer % 2)
        disc_4(state, w, clip, x, y + height - layer, z, max(0, int(radius)), LEAVES, SPRUCE)
    thick_trunk(state, w, clip, x, y, z, height, LOG, SPRUCE)
