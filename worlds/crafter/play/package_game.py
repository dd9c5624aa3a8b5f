"""One game of the `crafter` package, unmodified, made reproducible from outside."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from worlds.crafter.card.crafter_names import HIGH, LENGTH, THINGS, WIDE
from worlds.crafter.play.new_world import make_world
from worlds.crafter.play.tiled_picture import NIGHT, TiledPicture

CODES = {name: code for code, name in enumerate(THINGS)}
_VOID = CODES["void"]
_TEXTURES = {
    "cow": "cow", "zombie": "zombie", "skeleton": "skeleton", "plant": "plant",
    "plant-ripe": "ripe plant", "arrow-left": "arrow left", "arrow-right": "arrow right",
    "arrow-up": "arrow up", "arrow-down": "arrow down",
}  # fmt: skip
"""What the package draws, by our names."""


class _Ordered(dict[Any, None]):
    """A set that is iterated in the order of insertion: the package's own are iterated by memory
    address, and its random draws follow that order."""

    def add(self, each: Any) -> None:
        self[each] = None

    def remove(self, each: Any) -> None:
        del self[each]


@contextmanager
def _compiled_world_making() -> Iterator[None]:
    """The package calls our function for a new world, which makes the same one."""
    from crafter import worldgen

    theirs = worldgen.generate_world
    worldgen.generate_world = make_world
    try:
        yield
    finally:
        worldgen.generate_world = theirs


def _distance(player: Any, target: Any) -> int:
    """As the package counts it, along the axes. It asks for some fifty in every step, and by arrays
    of two numbers that was a third of the step."""
    x, y = player.pos.tolist()
    to_x, to_y = getattr(target, "pos", target).tolist()
    return abs(to_x - x) + abs(to_y - y)


class Game:
    """One environment. A seed gives the same episode always, in every process.

    The package draws its picture in every step and takes the noise of the night from the random
    stream of the world. Here a picture is drawn only where it is asked for, with noise that the
    episode's seed and step decide: looking changes nothing, not even what others see.
    """

    def __init__(self) -> None:
        import crafter

        # The package has no types that hold: it sets attributes to None first.
        self._env: Any = crafter.Env(seed=0, length=LENGTH)
        self._world: Any = self._env._world
        world, fresh = self._world, type(self._world).reset

        def reset(seed: int | None = None) -> None:
            fresh(world, seed)
            world._chunks = defaultdict(_Ordered)

        world.reset = reset
        self._env._obs = self._env._sem_view = lambda: None
        # The package takes the larger of the two for every creature in every step: of a tuple
        # this is ten times as fast.
        self._env._view = tuple(self._env._view.tolist())
        self._picture = TiledPicture(self._env)
        self._seed = 0

    def reset(self, seed: int) -> None:
        # The package's own seed of an episode is a hash of these two.
        self._env._seed, self._env._episode = seed, 0
        with _compiled_world_making():
            self._env.reset()
        self.player.distance = partial(_distance, self.player)
        self._seed = seed % 2**32

    def step(self, action: int) -> None:
        self._env.step(action)

    @property
    def player(self) -> Any:
        return self._env._player

    @property
    def steps(self) -> int:
        """The steps of this episode."""
        return self._env._step

    @property
    def daylight(self) -> float:
        """0 to 1; the picture is tinted by it."""
        return float(self._world.daylight)

    def picture(self) -> NDArray[np.uint8]:
        """(64, 64, 3); of one step it is the same each time."""
        ground, objects = self._in_view()
        random = None
        if self.daylight < NIGHT:
            random = np.random.RandomState([self._seed, self.steps])
        return self._picture.draw(ground, objects, random)

    def view(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Materials of the view, (9, 7) by x and y, also where creatures stand: the picture shows
        the ground around them. And what each cell shows, (9, 7): a creature, else the ground. The
        player itself is not shown."""
        ground, objects = self._in_view()
        shown = ground.copy()
        for cell, creature in objects.items():
            if cell != (WIDE, HIGH):
                shown[cell] = CODES[_TEXTURES[creature.texture]]
        return ground, shown

    def _in_view(self) -> tuple[NDArray[np.uint8], dict[tuple[int, int], Any]]:
        """Materials, (9, 7) by x and y, and who is in the view, the player too, by its cell."""
        world = self._world
        ground = np.empty((2 * WIDE + 1, 2 * HIGH + 1), np.uint8)
        cells = np.empty((ground.size, 3), np.int64)
        x, y = self.player.pos.tolist()
        count = _cut_out(world._mat_map, world._obj_map, x, y, _VOID, ground, cells)
        return ground, {(x, y): world._objects[number] for x, y, number in cells[:count].tolist()}


@numba.njit(cache=True)
def _cut_out(
    materials: Any, numbers: Any, middle_x: int, middle_y: int, void: int, ground: Any, cells: Any
) -> int:
    """Write the materials around the player into ``ground`` (X, Y), ``void`` beyond the border, and
    the x, y and number of each object there into ``cells``; returns how many there are."""
    width, height = ground.shape
    count = 0
    for column in range(width):
        for row in range(height):
            x, y = middle_x + column - width // 2, middle_y + row - height // 2
            if 0 <= x < materials.shape[0] and 0 <= y < materials.shape[1]:
                ground[column, row] = materials[x, y]
                if numbers[x, y] > 0:
                    cells[count, 0], cells[count, 1], cells[count, 2] = column, row, numbers[x, y]
                    count += 1
            else:
                ground[column, row] = void
    return count
