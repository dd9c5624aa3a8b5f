"""The picture of a game, put together of small ones that the `crafter` package drew once.

The package draws each cell of the view and each item every time, which took some forty times as
long. There are few different cells: a material with a creature or without one, an item with its
number.
"""

from collections.abc import Mapping
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

NIGHT = 0.5
"""Of less daylight noise is drawn into the picture."""
_NOISE = 32, 127  # from, to
_NIGHT_BLUE = 0, 16, 64
_NOTHING = 127
"""The shade of grey beyond the world's border, and behind each material."""


class TiledPicture:
    """What the package's ``render`` returns for the same environment, pixel by pixel. ``env``: a
    `crafter.Env`."""

    def __init__(self, env: Any) -> None:
        from crafter import engine

        self._engine: Any = engine
        self._env = env
        self._textures = env._textures
        self._items: tuple[int, int] = tuple(env._item_view._grid.tolist())
        width, height = (env._size // np.array(env._view)).tolist()
        self._cell = width, height
        # (N, width, height, 3): of the materials by the package's numbers, of what is outside, of
        # materials with a creature on them.
        materials = env._world._mat_names.values()
        bare = [self._drawn(material) for material in materials]
        self._tiles = np.stack([*bare, np.full((width, height, 3), _NOTHING, np.uint8)])
        self._with_creature: dict[tuple[int, str], int] = {}
        self._item_tiles: dict[tuple[str, int], Pixels] = {}

    def draw(
        self,
        materials: NDArray[np.uint8],
        objects: Mapping[tuple[int, int], Any],
        random: np.random.RandomState | None,
    ) -> Pixels:
        """The picture, (height, width, 3). ``materials``: the package's number of the ground in
        each cell of the view, by x and y, the next number beyond the border; ``objects``: who
        is in a cell; ``random``: gives the noise of the night, of which the daylight is less than
        `NIGHT`."""
        env = self._env
        cells = materials.astype(np.int64)
        for cell, creature in objects.items():
            cells[cell] = self._number(int(materials[cell]), creature.texture)
        seen = _joined(self._tiles[cells])
        seen = _lit(seen, self._noise(seen.shape, random), float(env._world.daylight))
        if env._player.sleeping:
            seen = env._local_view._sleep(seen)
        picture = np.zeros((*env._size.tolist(), 3), np.uint8)
        width, height, _ = seen.shape
        held = self._held(env._player.inventory)
        left, top = (env._size - (width, height + held.shape[1])) // 2
        picture[left : left + width, top : top + height] = seen
        picture[left : left + width, top + height : top + height + held.shape[1]] = held
        return picture.transpose((1, 0, 2))

    def _noise(
        self, shape: tuple[int, ...], random: np.random.RandomState | None
    ) -> NDArray[np.float64]:
        """(2, X, Y): the noise, and how much of each pixel is noise in the darkest night. None of
        either by day: (2, 0, 0)."""
        if random is None:
            return np.zeros((2, 0, 0))
        noise = random.uniform(*_NOISE, shape[:2])
        return np.stack([noise, self._env._local_view._vignette(shape, 0.5)])

    def _number(self, material: int, texture: str) -> int:
        """Where the tile of a creature on a material is; it is drawn the first time."""
        shown = material, texture
        number = self._with_creature.get(shown)
        if number is None:
            number = self._with_creature[shown] = len(self._tiles)
            tile = self._drawn(self._env._world._mat_names[material], texture)
            self._tiles = np.concatenate([self._tiles, tile[None]])
        return number

    def _drawn(self, material: str | None, texture: str | None = None) -> Pixels:
        tile = np.full((*self._cell, 3), _NOTHING, np.uint8)
        self._engine._draw(tile, (0, 0), self._textures.get(material, self._cell))
        if texture is not None:
            self._engine._draw_alpha(tile, (0, 0), self._textures.get(texture, self._cell))
        return tile

    def _held(self, inventory: Mapping[str, int]) -> Pixels:
        """The part of the picture below the view: what the player has, and vitals."""
        columns, rows = self._items
        tiles = np.zeros((columns, rows, *self._cell, 3), np.uint8)
        for place, (item, amount) in enumerate(inventory.items()):
            if amount > 0:
                tiles[place % columns, place // columns] = self._item_tile(item, amount)
        return _joined(tiles)

    def _item_tile(self, item: str, amount: int) -> Pixels:
        tile = self._item_tiles.get((item, amount))
        if tile is None:
            width, height = self._cell
            alone = self._env._item_view({item: amount}, self._cell)
            tile = self._item_tiles[item, amount] = alone[:width, :height].copy()
        return tile


def _joined(tiles: Pixels) -> Pixels:
    """Tiles (X, Y, width, height, 3) as one picture (X * width, Y * height, 3)."""
    columns, rows, width, height, channels = tiles.shape
    return tiles.transpose(0, 2, 1, 3, 4).reshape(columns * width, rows * height, channels)


@numba.njit(cache=True)
def _lit(seen: Any, noise: Any, daylight: float) -> Any:
    """The view (X, Y, 3) in this light. The package does it by arrays and two pictures of Pillow,
    which took half of the time; here the same is done pixel by pixel, as each of them rounds."""
    columns, rows, _ = seen.shape
    lit = np.empty_like(seen)
    dark = np.empty(3, np.int64)
    noisy = noise.shape[1] > 0
    for x in range(columns):
        for y in range(rows):
            if noisy:
                mixed = 2 * (NIGHT - daylight) * noise[1, x, y]
                for channel in range(3):
                    dark[channel] = int((1 - mixed) * seen[x, y, channel] + mixed * noise[0, x, y])
            else:
                for channel in range(3):
                    dark[channel] = seen[x, y, channel]
            # Pillow's luma, and its blend, which is of 32 bits.
            grey = (19595 * dark[0] + 38470 * dark[1] + 7471 * dark[2] + 32768) >> 16
            for channel in range(3):
                faded = np.float32(grey) + np.float32(0.4) * np.float32(dark[channel] - grey)
                tinted = 0.5 * int(faded) + 0.5 * _NIGHT_BLUE[channel]
                lit[x, y, channel] = int(daylight * seen[x, y, channel] + (1 - daylight) * tinted)
    return lit
