"""The window of columns around the player: loading it anywhere, and moving it."""

import math

from numba import int64

from voxeldojo.engine.compiling.compiled_apart import apart
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.grid import write_block
from voxeldojo.engine.mobs.herds import settle_herds
from voxeldojo.engine.mobs.placing import remove_mob
from voxeldojo.engine.motion.light import light_area
from voxeldojo.engine.state import CHANGES
from voxeldojo.engine.structures.inhabitants import settle
from voxeldojo.engine.terrain.generate import generate_area
from voxeldojo.engine.terrain.keeping import stray

CHUNK = 16
STEP = 32  # columns by which the window moves, less in a small one: chunks share their caves
FAR = 24  # columns off the middle at which it does; less in a small window


@entry_kernel
def load(state, rules, w, x, z):
    """Load the window around a place of the player's dimension, with all changes of this episode.
    Mobs and items outside are removed."""
    area = state.blocks.shape[1]
    player = state.players[w]
    player.west = ((x - area // 2 + CHUNK // 2) >> 4) << 4
    player.north = ((z - area // 2 + CHUNK // 2) >> 4) << 4
    player.ceiling = 0
    forget_outside(state, w)
    fill(state, rules, w, player.west, player.north, player.west + area, player.north + area)


@apart(int64, int64, int64, int64, int64)
def fill(state, rules, w, x0, z0, x1, z1):
    """Generate a part of the window, repeat its changes, light it and add its mobs."""
    seed = state.players[w].seed
    generate_area(state, rules, w, seed, x0, z0, x1, z1)
    repeat_changes(state, w, x0, z0, x1, z1)
    light_area(state, rules, w, x0, z0, x1, z1)
    stray(state, w, x0, z0, x1, z1)
    people(state, rules, w, x0, z0, x1, z1)


@kernel
def people(state, rules, w, x0, z0, x1, z1):
    """Add the mobs that are generated with the world, in structures and on the ground."""
    seed = state.players[w].seed
    settle(state, rules, w, seed, x0, z0, x1, z1)
    settle_herds(state, rules, w, seed, x0, z0, x1, z1)


@kernel
def repeat_changes(state, w, x0, z0, x1, z1):
    """Repeat the logged changes of blocks in [x0, x1) x [z0, z1). Changes after the log was full
    are lost."""
    player = state.players[w]
    for number in range(min(CHANGES, player.changes)):
        change = state.changes[w, number]
        if change.dimension == player.dimension and x0 <= change.x < x1 and z0 <= change.z < z1:
            write_block(state, w, change.x, change.y, change.z, change.new_block, change.new_meta)
            player.ceiling = max(player.ceiling, change.y)


@entry_kernel
def keep_window(state, rules, w):
    """Move the window if the player is far from its middle. Call it after the player has moved."""
    area = state.blocks.shape[1]
    player = state.players[w]
    x = math.floor(player.x)
    z = math.floor(player.z)
    limit = min(FAR, area // 2 - 1)
    if abs(off(x, player.west, area)) < limit and abs(off(z, player.north, area)) < limit:
        return
    step = min(STEP, area // 2)
    far = area - step
    if abs(off(x, player.west, area)) >= far or abs(off(z, player.north, area)) >= far:
        load(state, rules, w, x, z)
        return
    while off(x, player.west, area) > limit:
        player.west += step
        fill_strip(state, rules, w, player.west + area - step, player.north, step, area)
    while off(x, player.west, area) < -limit:
        player.west -= step
        fill_strip(state, rules, w, player.west, player.north, step, area)
    while off(z, player.north, area) > limit:
        player.north += step
        fill_strip(state, rules, w, player.west, player.north + area - step, area, step)
    while off(z, player.north, area) < -limit:
        player.north -= step
        fill_strip(state, rules, w, player.west, player.north, area, step)


@kernel
def off(column, low, area):
    """Metres from the window's middle to a column's."""
    return column + 0.5 - (low + area // 2)


@kernel
def fill_strip(state, rules, w, x, z, width, depth):
    forget_outside(state, w)
    fill(state, rules, w, x, z, x + width, z + depth)


@kernel
def forget_outside(state, w):
    """Remove items, mobs, shots and scheduled updates outside the window."""
    area = state.blocks.shape[1]
    player = state.players[w]
    west = player.west
    north = player.north
    east = west + area
    south = north + area
    for number in range(player.drops):
        drop = state.drops[w, number]
        if drop.count > 0 and not (west <= drop.x < east and north <= drop.z < south):
            drop.count = 0
    for number in range(player.mobs - 1, -1, -1):
        mob = state.mobs[w, number]
        if mob.kind != 0 and not (west <= mob.x < east and north <= mob.z < south):
            remove_mob(state, w, number)
            if player.riding == number + 1:
                player.riding = 0
    for number in range(player.shots):
        shot = state.shots[w, number]
        if shot.kind != 0 and not (west <= shot.x < east and north <= shot.z < south):
            shot.kind = 0
    for number in range(player.pending):
        update = state.pending[w, number]
        if update.due != 0 and not (west <= update.x < east and north <= update.z < south):
            update.due = 0
