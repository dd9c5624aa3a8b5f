"""The ground and creatures that an episode begins with, by compiled kernels.

The same world, bit for bit, as ``crafter.worldgen.generate_world`` makes of the same random stream
(tests/games/test_crafter.py), in about a twentieth of its time: the package takes 65 ms a world,
as long as a random player's whole episode. Rules, figures and the order of the random draws are
the package's.
"""

from typing import Any

import numba
import numpy as np
import opensimplex
from numpy.typing import NDArray
from opensimplex.internals import _noise3 as noise3  # compiled by the package

from worlds.crafter.card.crafter_names import MATERIALS

Field = NDArray[np.float64]

_WATER, _GRASS, _STONE, _PATH, _SAND, _TREE, _LAVA, _COAL, _IRON, _DIAMOND = (
    MATERIALS.index(name)
    for name in (
        "water", "grass", "stone", "path", "sand", "tree", "lava", "coal", "iron", "diamond",
    )
)  # fmt: skip
_COW, _ZOMBIE, _SKELETON = 1, 2, 3
_MOST_DRAWS = 6  # of one cell: coal, iron, diamond; cow, zombie, skeleton


def make_world(world: Any, player: Any) -> None:
    """Lay the ground of ``world`` and put cows, zombies and skeletons on it.

    The parameters are the package's objects. The random stream of the world is left where the
    package leaves it.
    """
    from crafter import objects

    noise = opensimplex.OpenSimplex(seed=world.random.randint(0, 2**31 - 1))
    tables = noise._perm, noise._perm_grad_index3
    width, height = world.area
    x, y = np.meshgrid(np.arange(width), np.arange(height), indexing="ij")
    distance = np.sqrt((x - player.pos[0]) ** 2 + (y - player.pos[1]) ** 2)
    # exp is numpy's, as in the package: a compiled one may differ in the last bit.
    start = 1 / (1 + np.exp(-(4 - distance + _noise_near_start(width, height, *tables))))

    tunnels = np.zeros((width, height), np.bool_)
    creatures = np.zeros((width, height), np.uint8)
    draws = _next_draws(world.random, width * height * _MOST_DRAWS)
    used = _lay_ground(world._mat_map, tunnels, start, draws, *tables)
    used = _put_creatures(world._mat_map, tunnels, distance, draws, used, creatures)
    world.random.random_sample(used)
    for at in zip(*(axis.tolist() for axis in np.nonzero(creatures)), strict=True):
        if creatures[at] == _COW:
            world.add(objects.Cow(world, at))
        elif creatures[at] == _ZOMBIE:
            world.add(objects.Zombie(world, at, player))
        else:
            world.add(objects.Skeleton(world, at, player))


def _next_draws(random: np.random.RandomState, count: int) -> Field:
    """The uniform numbers that the stream gives next. None of them is drawn yet."""
    state = random.get_state()
    numbers = random.random_sample(count)
    random.set_state(state)
    return numbers


@numba.njit(cache=True)
def _noise_near_start(width: int, height: int, table: Any, gradients: Any) -> Field:
    """What makes the border of the grass around the player uneven, (width, height)."""
    noise = np.empty((width, height))
    for x in range(width):
        for y in range(height):
            noise[x, y] = 2 * noise3(x / 3, y / 3, 8.0, table, gradients)
    return noise


@numba.njit(cache=True)
def _lay_ground(
    ground: Any, tunnels: Any, start: Any, draws: Any, table: Any, gradients: Any
) -> int:
    """Write each cell's material and whether it is a tunnel; return how many draws were used."""
    width, height = ground.shape
    used = 0
    for x in range(width):
        for y in range(height):
            near = start[x, y]
            water = noise3(x / 15, y / 15, 3.0, table, gradients)
            water += 0.15 * noise3(x / 5, y / 5, 3.0, table, gradients)
            water += 0.1
            water -= 2 * near
            mountain = noise3(x / 15, y / 15, 0.0, table, gradients)
            mountain += 0.3 * noise3(x / 5, y / 5, 0.0, table, gradients)
            mountain /= 1.3
            mountain -= 4 * near + 0.3 * water
            if near > 0.5:
                ground[x, y] = _GRASS
            elif mountain > 0.15:
                ground[x, y], tunnels[x, y], more = _rock(
                    x, y, mountain, draws, used, table, gradients
                )
                used += more
            elif 0.25 < water <= 0.35 and noise3(x / 9, y / 9, 4.0, table, gradients) > -0.2:
                ground[x, y] = _SAND
            elif water > 0.3:
                ground[x, y] = _WATER
            else:
                ground[x, y] = _GRASS
                if noise3(x / 7, y / 7, 5.0, table, gradients) > 0:
                    if draws[used] > 0.8:
                        ground[x, y] = _TREE
                    used += 1
    return used


@numba.njit(cache=True)
def _rock(
    x: int, y: int, mountain: float, draws: Any, used: int, table: Any, gradients: Any
) -> tuple[int, bool, int]:
    """Material of a cell of a mountain, whether it is a tunnel, and how many draws it used."""
    if mountain > 0.3 and noise3(x / 7, y / 7, 6.0, table, gradients) > 0.15:
        return _PATH, False, 0  # a cave
    if noise3(2 * x / 3, y / 5 / 3, 7.0, table, gradients) > 0.4:
        return _PATH, True, 0
    if noise3(x / 5 / 3, 2 * y / 3, 7.0, table, gradients) > 0.4:
        return _PATH, True, 0
    more = 0
    if noise3(x / 8, y / 8, 1.0, table, gradients) > 0:
        more += 1
        if draws[used + more - 1] > 0.85:
            return _COAL, False, more
    if noise3(x / 6, y / 6, 2.0, table, gradients) > 0.4:
        more += 1
        if draws[used + more - 1] > 0.75:
            return _IRON, False, more
    if mountain > 0.18:
        more += 1
        if draws[used + more - 1] > 0.994:
            return _DIAMOND, False, more
    if mountain > 0.3 and noise3(x / 5, y / 5, 6.0, table, gradients) > 0.35:
        return _LAVA, False, more
    return _STONE, False, more


@numba.njit(cache=True)
def _put_creatures(
    ground: Any, tunnels: Any, distance: Any, draws: Any, used: int, creatures: Any
) -> int:
    """Write which creature each cell begins with; return how many draws are used by now."""
    width, height = ground.shape
    for x in range(width):
        for y in range(height):
            material, far = ground[x, y], distance[x, y]
            if material != _GRASS and material != _SAND and material != _PATH:
                continue
            if far > 3 and material == _GRASS:
                used += 1
                if draws[used - 1] > 0.985:
                    creatures[x, y] = _COW
                    continue
            if far > 10:
                used += 1
                if draws[used - 1] > 0.993:
                    creatures[x, y] = _ZOMBIE
                    continue
            if material == _PATH and tunnels[x, y]:
                used += 1
                if draws[used - 1] > 0.95:
                    creatures[x, y] = _SKELETON
    return used
