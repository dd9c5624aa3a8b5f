"""Travel between the dimensions: through portals, the End's gateways, and by death.

Only the window of one dimension exists at a time. Changed blocks of the others are in the log and
come back; their mobs, items and scheduled updates are lost. Figures are those of Teleporter.
"""

import math

from numba import float64, int64

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.compiling.compiled_apart import apart
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.grid import AIR, block_at
from voxeldojo.engine.mobs.placing import clear_mobs
from voxeldojo.engine.motion.consequences import follow
from voxeldojo.engine.motion.end_of_dragon import GATEWAY, gateway
from voxeldojo.engine.motion.portals import (
    END_PORTAL,
    OBSIDIAN,
    PORTAL,
    light_frame,
)
from voxeldojo.engine.motion.scheduled import forget_updates
from voxeldojo.engine.state import END, HEIGHT, NETHER, OVERWORLD
from voxeldojo.engine.structures.places import landscape
from voxeldojo.engine.terrain.window import load

WAIT = 80  # ticks in a portal until the player changes dimension: EntityPlayer.getMaxInPortalTime
SHRINK = 8.0  # metres of the overworld for one of the Nether
SEARCH = 16  # columns around the exit in which a place for a new portal is searched for
END_STONE = 121
FAR = 1024.0  # metres from the middle of the End to where its gateway leads: TileEntityEndGateway
GATEWAY_HEIGHT = 12  # blocks above the ground, of the gateway back
ISLET = 76  # y on the islet that is made where there is no ground
ARRIVAL = (100, 48, 0)  # middle of the platform of the End


@kernel
def pass_portal(state, rules, w):
    """Once a tick: a player in a Nether portal changes dimension after 80 ticks, in the End's at
    once. After an arrival it has to leave the portal first."""
    player = state.players[w]
    x = math.floor(player.x)
    y = math.floor(player.y)
    z = math.floor(player.z)
    block = block_at(state, w, x, y, z)
    if block != PORTAL and block != END_PORTAL and block != GATEWAY:
        player.portal = 0
        return
    if player.life <= 0.0 or player.portal < 0:
        return
    if block == GATEWAY:
        pass_gateway(state, rules, w, x, z)
    elif block == END_PORTAL:
        if landscape(state, w) == END:
            go_home(state, rules, w)
        else:
            enter_end(state, rules, w)
    else:
        player.portal += 1
        if player.portal < WAIT:
            return
        if player.dimension == NETHER:
            go_through(state, rules, w, OVERWORLD, player.x * SHRINK, player.z * SHRINK)
        else:
            go_through(state, rules, w, NETHER, player.x / SHRINK, player.z / SHRINK)
        player.portal = -1


@apart(int64, int64, float64, float64, float64)
def travel(state, rules, w, dimension, x, y, z):
    """Move the player to a place in metres of a dimension (OVERWORLD, NETHER or END), and make the
    window there, with its earlier changes."""
    player = state.players[w]
    if player.touched > 0:
        follow(state, rules, w)
    for number in range(player.drops):
        state.drops[w, number].count = 0
    player.drops = 0
    clear_mobs(state, w)
    forget_updates(state, w)
    player.dimension = dimension
    load(state, rules, w, math.floor(x), math.floor(z))
    arrive_at(player, x, y, z)


@entry_kernel
def go_home(state, rules, w):
    """Move the player to its start in the overworld."""
    player = state.players[w]
    x = player.spawn_x
    y = player.spawn_y
    z = player.spawn_z
    travel(state, rules, w, OVERWORLD, x, y, z)


@kernel
def arrive_at(player, x, y, z):
    player.x = x
    player.y = y
    player.z = z
    player.vx = 0.0
    player.vy = 0.0
    player.vz = 0.0
    player.fall = 0.0
    player.riding = 0
    player.fishing = 0
    player.portal = 0
    player.digging = 0


@kernel
def go_through(state, rules, w, dimension, x, z):
    """Arrive at the nearest portal on the other side, or at a new one."""
    player = state.players[w]
    travel(state, rules, w, dimension, x, player.y, z)
    bx = math.floor(x)
    by = math.floor(player.y)
    bz = math.floor(z)
    found, px, py, pz = nearest_portal(state, w, bx, by, bz)
    if not found:
        px, py, pz = place_for_portal(state, rules, w, bx, by, bz)
        build_portal(state, rules, w, px, py, pz)
    arrive_at(player, px + 0.5, float(py), pz + 0.5)


@kernel
def nearest_portal(state, w, x, y, z):
    """The lowest block of the nearest portal of the window: (whether there is one, x, y, z)."""
    area = state.blocks.shape[1]
    player = state.players[w]
    nearest = 1 << 40
    bx = x
    by = y
    bz = z
    for px in range(player.west, player.west + area):
        for pz in range(player.north, player.north + area):
            column = state.blocks[w, px & (area - 1), pz & (area - 1)]
            for py in range(1, HEIGHT):
                if column[py] == PORTAL and column[py - 1] != PORTAL:
                    away = (px - x) ** 2 + (py - y) ** 2 + (pz - z) ** 2
                    if away < nearest:
                        nearest = away
                        bx = px
                        by = py
                        bz = pz
    return nearest < 1 << 40, bx, by, bz


@kernel
def roomy(state, rules, w, x, y, z):
    """Whether a portal fits with its inner blocks from here on: ground below it, before it and
    behind it, and free space above."""
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
    """The nearest place with room for a portal; if there is none, this place, in the air."""
    nearest = 1 << 40
    bx = x
    by = min(HEIGHT - 10, max(70, y))
    bz = z
    for px in range(x - SEARCH, x + SEARCH + 1):
        for pz in range(z - SEARCH, z + SEARCH + 1):
            for py in range(2, HEIGHT - 6):
                if block_at(state, w, px, py, pz) == AIR and roomy(state, rules, w, px, py, pz):
                    away = (px - x) ** 2 + (py - y) ** 2 + (pz - z) ** 2
                    if away < nearest:
                        nearest = away
                        bx = px
                        by = py
                        bz = pz
    return bx, by, bz


@kernel
def build_portal(state, rules, w, x, y, z):
    """Build a portal along x whose inner blocks begin at a place, with room on both sides of it."""
    for across in range(-1, 3):
        for side in (-1, 1):
            if rules.block[block_at(state, w, x + across, y - 1, z + side)].solid == 0:
                set_block(state, rules, w, x + across, y - 1, z + side, OBSIDIAN, 0)
            for up in range(3):
                lay(state, rules, w, x + across, y + up, z + side, AIR)
    for across in range(-1, 3):
        for up in range(-1, 4):
            rim = across == -1 or across == 2 or up == -1 or up == 3
            lay(state, rules, w, x + across, y + up, z, OBSIDIAN if rim else AIR)
    light_frame(state, rules, w, x, y, z)


@kernel
def lay(state, rules, w, x, y, z, block):
    """Change a block if it differs."""
    if block_at(state, w, x, y, z) != block:
        set_block(state, rules, w, x, y, z, block, 0)


@kernel
def enter_end(state, rules, w):
    """Move the player onto the obsidian platform, which is repaired each time."""
    x, y, z = ARRIVAL
    travel(state, rules, w, END, x + 0.5, y + 1.0, z + 0.5)
    for bx in range(x - 2, x + 3):
        for bz in range(z - 2, z + 3):
            lay(state, rules, w, bx, y, bz, OBSIDIAN)
            for up in range(1, 4):
                lay(state, rules, w, bx, y + up, bz, AIR)


@kernel
def pass_gateway(state, rules, w, x, z):
    """Go from the middle of the End to its outer islands, or back."""
    player = state.players[w]
    away = math.sqrt(float(x * x + z * z))
    if away > FAR / 2.0:
        enter_end(state, rules, w)
        return
    x = math.floor(FAR * x / away)
    z = math.floor(FAR * z / away)
    travel(state, rules, w, END, x + 0.5, 75.0, z + 0.5)
    px, py, pz = ground_near(state, rules, w, x, z)
    gateway(state, rules, w, px, py + GATEWAY_HEIGHT, pz)
    arrive_at(player, px + 0.5, float(py), pz + 0.5)


@kernel
def ground_near(state, rules, w, x, z):
    """The y of feet on the ground nearest to a column; makes a small island if there is none."""
    reach = 3 * state.blocks.shape[1] // 8
    nearest = 1 << 40
    bx = x
    by = 0
    bz = z
    for px in range(x - reach, x + reach + 1):
        for pz in range(z - reach, z + reach + 1):
            away = (px - x) ** 2 + (pz - z) ** 2
            if away >= nearest:
                continue
            y = HEIGHT - 20
            while y > 0 and block_at(state, w, px, y - 1, pz) != END_STONE:
                y -= 1
            if y > 0:
                nearest = away
                bx = px
                by = y
                bz = pz
    if by == 0:
        by = ISLET
        for dx in range(-2, 3):
            for dz in range(-2, 3):
                lay(state, rules, w, bx + dx, by - 1, bz + dz, END_STONE)
    return bx, by, bz
