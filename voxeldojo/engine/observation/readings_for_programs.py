"""Readings for programs beyond those of the whole batch, for the named worlds only."""

import math

import numpy as np

from voxeldojo.engine.compiling.kernels import entry_kernel
from voxeldojo.engine.hands.crafting import nearby_tools
from voxeldojo.engine.mobs.aim import mob_on_ray
from voxeldojo.engine.observation.batch_observation import read_voxels
from voxeldojo.engine.observation.surroundings import LIGHT, read_surroundings
from voxeldojo.engine.rays import direction, march
from voxeldojo.engine.state import EYES

ARMOUR = 36  # the first of the four armour slots; the off hand follows them


@entry_kernel
def look_around(state, rules, environments, names):
    """Names of the blocks around the feet, a row of x, y, z ascending for each environment."""
    for row in range(environments.shape[0]):
        read_voxels(state, rules, environments[row], row, names)


@entry_kernel
def look_for_mobs(state, rules, environments, pitch_yaw, reach, kinds, distances):
    """The kind of the nearest mob on each ray before any block (0: none), and its distance."""
    for row in range(environments.shape[0]):
        w = environments[row]
        player = state.players[w]
        eyes = player.y + EYES
        for number in range(kinds.shape[1]):
            dx, dy, dz = direction(
                player.yaw + math.degrees(np.float64(pitch_yaw[number, 1])),
                player.pitch + math.degrees(np.float64(pitch_yaw[number, 0])),
            )
            mob, away = mob_on_ray(state, rules, w, player.x, eyes, player.z, dx, dy, dz, reach)
            kinds[row, number] = 0
            distances[row, number] = reach
            if mob >= 0:
                _, wall = march(state, rules, w, player.x, eyes, player.z, dx, dy, dz, away)
                if wall >= away:
                    kinds[row, number] = state.mobs[w, mob].kind
                    distances[row, number] = away


@entry_kernel
def look_at_oneself(state, environments, oxygen, tools, equipment):
    """``oxygen`` (n,); ``tools`` (n, 2) table and furnace nearby; ``equipment`` (n, 6) items."""
    for row in range(environments.shape[0]):
        w = environments[row]
        oxygen[row] = max(0, state.players[w].air)
        nearby = nearby_tools(state, w)
        tools[row, 0] = nearby & 1 != 0
        tools[row, 1] = nearby & 2 != 0
        equipment[row, 0] = state.slots[w, 0].item
        for number in range(5):
            equipment[row, 1 + number] = state.slots[w, ARMOUR + number].item


@entry_kernel
def read_light(state, environments, found, levels):
    """The light level at each player. ``found`` (6,) is scratch."""
    for row in range(environments.shape[0]):
        read_surroundings(state, environments[row], found)
        levels[row] = found[LIGHT]
