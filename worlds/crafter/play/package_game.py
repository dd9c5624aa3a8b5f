"""One game of the `crafter` package, unmodified, made reproducible from outside."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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
        player = self.player
        player.distance = lambda target: _distance(player, target)
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
        materials = self._window(self._world._mat_map.astype(np.int64), -1)
        random = None
        if self.daylight < NIGHT:
            random = np.random.RandomState([self._seed, self.steps])
        return self._picture.draw(materials, dict(self._objects()), random)

    def ground(self) -> NDArray[np.uint8]:
        """Materials of the view, (9, 7) by x and y, also where creatures stand: the picture shows
        the ground around them."""
        return self._window(self._world._mat_map, _VOID)

    def things(self, ground: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """What each cell of the view shows, (9, 7): a creature, else the ground. The player itself
        is not shown."""
        shown = ground.copy()
        for cell, creature in self._objects():
            if cell != (WIDE, HIGH):
                shown[cell] = CODES[_TEXTURES[creature.texture]]
        return shown

    def _objects(self) -> Iterator[tuple[tuple[int, int], Any]]:
        """Who is in the view, the player too, each with its cell by x and y."""
        numbers = self._window(self._world._obj_map, 0)
        for x, y in np.argwhere(numbers).tolist():
            yield (x, y), self._world._objects[numbers[x, y]]

    def _window(self, grid: NDArray[Any], outside: int) -> NDArray[Any]:
        x, y = (int(at) for at in self.player.pos)
        width, height = grid.shape
        window = np.full((2 * WIDE + 1, 2 * HIGH + 1), outside, grid.dtype)
        left, right = max(x - WIDE, 0), min(x + WIDE + 1, width)
        up, down = max(y - HIGH, 0), min(y + HIGH + 1, height)
        window[left - x + WIDE : right - x + WIDE, up - y + HIGH : down - y + HIGH] = grid[
            left:right, up:down
        ]
        return window
