"""Puts mobs into the world and removes them."""

import math

from voxeldojo.engine.chance import below, unit
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.grid import held
from voxeldojo.engine.mobs.kinds import CHICKEN, MAGMA_CUBE, SHEEP, SLIME
from voxeldojo.engine.state import HEIGHT, MOBS

WHITE, ORANGE, PINK, GRAY, SILVER, BROWN, BLACK = 0, 1, 6, 7, 8, 12, 15
LARGEST = 4  # of slimes: 1, 2 or 4


@entry_kernel
def place_mob(state, rules, w, kind, x, y, z):
    """Place a grown mob with the middle of its feet at (x, y, z). Returns its number, -1 if there
    is no room for more mobs or the place is outside the window."""
    if kind <= 0 or kind >= rules.mob.shape[0]:
        return -1
    if not held(state, w, math.floor(x), math.floor(z)) or y < 0.0 or y >= HEIGHT:
        return -1
    for number in range(MOBS):
        if state.mobs[w, number].kind == 0:
            fill(state, rules, w, number, kind, x, y, z)
            player = state.players[w]
            player.mobs = max(player.mobs, number + 1)
            return number
    return -1


@kernel
def fill(state, rules, w, number, kind, x, y, z):
    player = state.players[w]
    mob = state.mobs[w, number]
    mob.x = x
    mob.y = y
    mob.z = z
    mob.vx = 0.0
    mob.vy = 0.0
    mob.vz = 0.0
    mob.yaw = 360.0 * unit(player) - 180.0
    mob.pitch = 0.0
    mob.life = rules.mob[kind].health
    mob.goal_x = x
    mob.goal_y = y
    mob.goal_z = z
    mob.fall = 0.0
    mob.struck = 0.0
    mob.kind = kind
    mob.variant = 0
    mob.mood = 0
    mob.wait = 20 + below(player, 100)
    mob.age = 0
    mob.invulnerable = 0
    mob.fire = 0
    mob.air = 300
    mob.ground = 0
    mob.counter = 0
    mob.angry = 0
    mob.stays = 0
    mob.love = 0
    mob.carried = 0
    mob.pause = 0
    mob.blame = 0
    mob.target = 0
    if kind == SHEEP:
        mob.variant = wool_colour(unit(player))
    elif kind in (SLIME, MAGMA_CUBE):
        resize(mob, 1 << below(player, 3))
    elif kind == CHICKEN:
        mob.counter = 6000 + below(player, 6000)


@kernel
def wool_colour(draw):
    """A natural colour of wool, with the chances of EntitySheep.getRandomSheepColor."""
    if draw < 0.05:
        return BLACK
    if draw < 0.10:
        return GRAY
    if draw < 0.15:
        return SILVER
    if draw < 0.18:
        return BROWN
    if draw < 0.18164:
        return PINK
    return WHITE


@entry_kernel
def resize(mob, size):
    """A slime of size 1, 2 or 4, with the life of that size."""
    mob.variant = size
    mob.life = float(size * size)


@kernel
def half_of(rules, mob):
    """Half the width of a mob: slimes by size, young ones half as wide."""
    half = rules.mob[mob.kind].half
    if mob.kind in (SLIME, MAGMA_CUBE):
        return half * mob.variant / LARGEST
    return half * 0.5 if mob.age < 0 else half


@kernel
def tall_of(rules, mob):
    tall = rules.mob[mob.kind].tall
    if mob.kind in (SLIME, MAGMA_CUBE):
        return tall * mob.variant / LARGEST
    return tall * 0.5 if mob.age < 0 else tall


@entry_kernel
def remove_mob(state, w, number):
    state.mobs[w, number].kind = 0
    player = state.players[w]
    while player.mobs > 0 and state.mobs[w, player.mobs - 1].kind == 0:
        player.mobs -= 1


@kernel
def clear_mobs(state, w):
    """Remove all mobs and shots."""
    player = state.players[w]
    for number in range(player.mobs):
        state.mobs[w, number].kind = 0
    for number in range(player.shots):
        state.shots[w, number].kind = 0
    player.mobs = 0
    player.shots = 0
