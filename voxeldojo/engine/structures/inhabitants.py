"""The inhabitants of structures."""

import numpy as np

from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.mobs.placing import place_mob
from voxeldojo.engine.motion.end_of_dragon import dragon_is_dead
from voxeldojo.engine.state import END
from voxeldojo.engine.structures.places import PIECES, landscape, pieces_at
from voxeldojo.engine.terrain.end.generate import fountain_height
from voxeldojo.rules.mobs import MOB_IDS

DRAGON = MOB_IDS["ender_dragon"]
DRAGON_HEIGHT = 20.0  # over the fountain


@entry_kernel
def settle(state, rules, w, seed, x0, z0, x1, z1):
    """Place the inhabitants of the structures in [x0, x1) x [z0, z1), which never despawn; in the
    End the dragon over its fountain. Call it when the rectangle has been generated."""
    found = np.empty((PIECES, 4), np.int64)
    setting = state.settings[w]
    dimension = landscape(state, w)
    count = pieces_at(
        rules, setting.biome, setting.generator, dimension, seed, x0, z0, x1, z1, found
    )
    for number in range(count):
        piece = rules.piece[found[number, 0]]
        for row in range(piece.dweller, piece.dweller + piece.dwellers):
            dweller = rules.dweller[row]
            move_in(
                state, rules, w, dweller.kind, found[number, 1] + dweller.x,
                found[number, 2] + dweller.y, found[number, 3] + dweller.z, x0, z0, x1, z1,
            )  # fmt: skip
    if dimension == END and x0 <= 0 < x1 and z0 <= 0 < z1 and not dragon_is_gone(state, w):
        height = fountain_height(seed) + DRAGON_HEIGHT
        move_in(state, rules, w, DRAGON, 0.5, height, 0.5, x0, z0, x1, z1)


@kernel
def dragon_is_gone(state, w):
    """Whether it was killed, or followed the player into another part of the End."""
    for number in range(state.players[w].mobs):
        if state.mobs[w, number].kind == DRAGON:
            return True
    return dragon_is_dead(state, w)


@kernel
def move_in(state, rules, w, kind, x, y, z, x0, z0, x1, z1):
    if x0 <= x < x1 and z0 <= z < z1:
        number = place_mob(state, rules, w, kind, x, y, z)
        if number >= 0:
            state.mobs[w, number].stays = 1
