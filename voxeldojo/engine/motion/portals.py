"""Frames of portals to the Nether and to the End.

A Nether portal is a frame of obsidian around 2 x 3 to 21 x 21 free blocks, corners not needed
(BlockPortal.Size). The End's frame needs twelve eyes of ender.
"""

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.grid import AIR, block_at, meta_at

OBSIDIAN, FIRE, PORTAL, END_PORTAL, FRAME, EYE = 49, 51, 90, 119, 120, 4


@kernel
def free(state, w, x, y, z):
    return block_at(state, w, x, y, z) in (AIR, FIRE, PORTAL)


@kernel
def light_frame(state, rules, w, x, y, z):
    """Fill the frame around a place with portal blocks. False: there is no frame."""
    return fill_frame(state, rules, w, x, y, z, 1, 0) or fill_frame(state, rules, w, x, y, z, 0, 1)


@kernel
def fill_frame(state, rules, w, x, y, z, dx, dz):
    """``dx`` and ``dz``: the axis of the frame."""
    while y > 1 and free(state, w, x, y - 1, z):
        y -= 1
    left = 0
    while left < 22 and free(state, w, x - dx * left, y, z - dz * left):
        left += 1
    x -= dx * (left - 1)
    z -= dz * (left - 1)
    width = 0
    while width < 22 and free(state, w, x + dx * width, y, z + dz * width):
        width += 1
    tall = 0
    while tall < 22 and free(state, w, x, y + tall, z):
        tall += 1
    if left == 0 or not (2 <= width <= 21 and 3 <= tall <= 21):
        return False
    for across in range(width):
        px = x + dx * across
        pz = z + dz * across
        if block_at(state, w, px, y - 1, pz) != OBSIDIAN:
            return False
        if block_at(state, w, px, y + tall, pz) != OBSIDIAN:
            return False
        for up in range(tall):
            if not free(state, w, px, y + up, pz):
                return False
    for up in range(tall):
        if block_at(state, w, x - dx, y + up, z - dz) != OBSIDIAN:
            return False
        if block_at(state, w, x + dx * width, y + up, z + dz * width) != OBSIDIAN:
            return False
    for up in range(tall):
        for across in range(width):
            set_block(
                state, rules, w, x + dx * across, y + up, z + dz * across, PORTAL, 1 if dx else 2
            )
    return True


@entry_kernel
def fill_eyes(state, rules, w, x, y, z):
    """An eye was put into the End's frame at a place: if all twelve are there, open the portal.
    False: it stays closed."""
    for cx in range(x - 2, x + 3):
        for cz in range(z - 2, z + 3):
            if ringed(state, w, cx, y, cz):
                for dx in range(-1, 2):
                    for dz in range(-1, 2):
                        set_block(state, rules, w, cx + dx, y, cz + dz, END_PORTAL, 0)
                return True
    return False


@kernel
def ringed(state, w, x, y, z):
    for along in range(-1, 2):
        for side in range(4):
            fx = x + (along if side < 2 else (2 if side == 2 else -2))
            fz = z + ((2 if side == 0 else -2) if side < 2 else along)
            if block_at(state, w, fx, y, fz) != FRAME or not meta_at(state, w, fx, y, fz) & EYE:
                return False
    return True
