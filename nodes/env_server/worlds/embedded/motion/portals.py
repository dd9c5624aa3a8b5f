"""Portals: frames of obsidian that are lit, the way to the Nether and back, the End's.

Nether portals: a frame of obsidian around 2 x 3 to 21 x 21 free blocks, corners not needed.
"""

import math

from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.grid import AIR, block_at, meta_at
from nodes.env_server.worlds.embedded.motion.light import light_area
from nodes.env_server.worlds.embedded.state import END, HEIGHT, NETHER, OVERWORLD
from nodes.env_server.worlds.embedded.updates import set_block

OBSIDIAN, FIRE, PORTAL, END_PORTAL, FRAME, EYE = 49, 51, 90, 119, 120, 4
WAIT = 80  # ticks in a portal until it carries one off
SEARCH = 16  # blocks around the way out within which a place for a portal is looked for


@kernel
def free(state, w, x, y, z):
    return block_at(state, w, x, y, z) in (AIR, FIRE, PORTAL)


@kernel
def light_frame(state, rules, w, x, y, z):
    """Fills the frame around a place with portal, if there is one. False: there is none."""
    return fill_frame(state, rules, w, x, y, z, 1, 0) or fill_frame(state, rules, w, x, y, z, 0, 1)


@kernel
def fill_frame(state, rules, w, x, y, z, dx, dz):
    """``dx`` and ``dz`` say along which axis the frame stands."""
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


@kernel
def fill_eyes(state, rules, w, x, y, z):
    """An eye was put into the End's frame at a place: when all twelve have theirs the portal in
    their middle opens. False: it doesn't."""
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


@kernel
def pass_portal(state, rules, w):
    """Once a tick: who stands in a portal for 80 ticks is carried off, the End's does it at once.
    Having come out of one he must leave it first."""
    player = state.players[w]
    x = math.floor(player.x)
    y = math.floor(player.y)
    z = math.floor(player.z)
    block = block_at(state, w, x, y, z)
    if block != PORTAL and block != END_PORTAL:
        player.portal = 0
        return
    if block == END_PORTAL:
        if player.dimension == END:
            travel(state, rules, w, OVERWORLD, player.spawn_x, player.spawn_y, player.spawn_z)
        else:
            travel(state, rules, w, END, 100.5, 49.0, 0.5)
            platform(state, rules, w)
        return
    if player.portal < 0:
        return
    player.portal += 1
    if player.portal < WAIT:
        return
    if player.dimension == NETHER:
        go_through(state, rules, w, OVERWORLD, player.x * 8.0, player.z * 8.0)
    else:
        go_through(state, rules, w, NETHER, player.x / 8.0, player.z / 8.0)
    player.portal = -1


@kernel
def travel(state, rules, w, dimension, x, y, z):
    """Carries the player to a place of a dimension (OVERWORLD, NETHER or END): the window there is
    made, with what was changed in it before; mobs and what lay about stay behind. What is due
    there waits until he comes back."""
    player = state.players[w]
    player.dimension = dimension
    player.x = x
    player.y = y
    player.z = z
    for number in range(state.drops.shape[1]):
        state.drops[w, number].count = 0
    clear_mobs(state, w)
    load(state, rules, w, math.floor(x), math.floor(z))


@kernel
def go_through(state, rules, w, dimension, x, z):
    player = state.players[w]
    travel(state, rules, w, dimension, x, player.y, z)
    bx = math.floor(x)
    by = math.floor(player.y)
    bz = math.floor(z)
    found, px, py, pz = nearest_portal(state, w, bx, by, bz)
    if not found:
        px, py, pz = place_for_portal(state, rules, w, bx, by, bz)
        build_portal(state, rules, w, px, py, pz)
    player.x = px + 0.5
    player.y = float(py)
    player.z = pz + 0.5
    player.vx = 0.0
    player.vy = 0.0
    player.vz = 0.0
    player.fall = 0.0


@kernel
def nearest_portal(state, w, x, y, z):
    """The lowest block of the nearest portal of the window: (is there one, x, y, z)."""
    area = state.blocks.shape[1]
    player = state.players[w]
    best = 1 << 40
    bx = x
    by = y
    bz = z
    for px in range(player.west, player.west + area):
        for pz in range(player.north, player.north + area):
            column = state.blocks[w, px & (area - 1), pz & (area - 1)]
            for py in range(1, HEIGHT):
                if column[py] == PORTAL and column[py - 1] != PORTAL:
                    away = (px - x) ** 2 + (py - y) ** 2 + (pz - z) ** 2
                    if away < best:
                        best = away
                        bx = px
                        by = py
                        bz = pz
    return best < 1 << 40, bx, by, bz


@kernel
def roomy(state, rules, w, x, y, z):
    """Whether a portal can stand here: ground of 4 blocks, 4 high nothing, lava least of all."""
    for across in range(-1, 3):
        for side in range(-1, 2):
            if rules.block[block_at(state, w, x + across, y - 1, z + side)].solid == 0:
                return False
            for up in range(4):
                if block_at(state, w, x + across, y + up, z + side) != AIR:
                    return False
    return True


@kernel
def place_for_portal(state, rules, w, x, y, z):
    best = 1 << 40
    bx = x
    by = min(HEIGHT - 10, max(70, y))
    bz = z
    for px in range(x - SEARCH, x + SEARCH + 1):
        for pz in range(z - SEARCH, z + SEARCH + 1):
            for py in range(2, HEIGHT - 6):
                if block_at(state, w, px, py, pz) == AIR and roomy(state, rules, w, px, py, pz):
                    away = (px - x) ** 2 + (py - y) ** 2 + (pz - z) ** 2
                    if away < best:
                        best = away
                        bx = px
                        by = py
                        bz = pz
    return bx, by, bz


@kernel
def build_portal(state, rules, w, x, y, z):
    """A portal along x whose inner blocks begin at a place, with room before and behind it."""
    for across in range(-1, 3):
        for side in range(-1, 2):
            if rules.block[block_at(state, w, x + across, y - 1, z + side)].solid == 0:
                set_block(state, rules, w, x + across, y - 1, z + side, OBSIDIAN, 0)
            for up in range(3):
                if side != 0 and block_at(state, w, x + across, y + up, z + side) != AIR:
                    set_block(state, rules, w, x + across, y + up, z + side, AIR, 0)
    for across in range(-1, 3):
        for up in range(-1, 4):
            rim = across in (-1, 2) or up in (-1, 3)
            set_block(state, rules, w, x + across, y + up, z, OBSIDIAN if rim else AIR, 0)
    light_frame(state, rules, w, x, y, z)


@kernel
def platform(state, rules, w):
    """The obsidian on which one comes into the End."""
    for x in range(98, 103):
        for z in range(-2, 3):
            set_block(state, rules, w, x, 48, z, OBSIDIAN, 0)
            for y in range(49, 52):
                set_block(state, rules, w, x, y, z, AIR, 0)
