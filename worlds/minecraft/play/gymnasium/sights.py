"""What an agent of the flat forms sees: a vector of features, or a picture. Both of a batch."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from voxeldojo.world_interface import Floats, Ints, World
from worlds.minecraft.card.features import FEATURES, ITEM_SLOTS, Bounds, bounds
from worlds.minecraft.play.features import feature_matrix
from worlds.minecraft.play.readings import Readings


class Sight(ABC):
    """``space`` is what one environment shows; `see` shows all of them."""

    space: spaces.Box

    @abstractmethod
    def see(self, readings: Readings, time: Floats, previous: Ints) -> NDArray[np.generic]:
        """An array (B, ...) of the caller's own. ``time``: share of the horizon spent.
        ``previous``: the last choice, -1 for none."""


class Features(Sight):
    """The features of the card that are named, one after the other, as float32.
    ``layout`` has the columns of each.

    Raises:
        ValueError: an unknown feature, target or item, or more items than the feature shows.
    """

    def __init__(
        self,
        world: World,
        observations: Sequence[str],
        targets: Sequence[str],
        items: Sequence[str],
        choices: int,
    ) -> None:
        for name in observations:
            if name not in FEATURES:
                raise ValueError(
                    f"there is no observation {name!r}; there are {', '.join(FEATURES)}"
                )
        if len(items) > ITEM_SLOTS:
            raise ValueError(f"at most {ITEM_SLOTS} items are counted, not {len(items)}")
        self._matrix = feature_matrix(
            list(observations), list(targets), list(items), choices, world
        )
        self.layout: dict[str, slice] = {}
        columns: list[Bounds] = []
        for field in self._matrix.fields:
            self.layout[field.name] = slice(len(columns), len(columns) + field.size)
            columns += bounds(field.name, choices)
        low, high = np.array(columns, np.float32).T
        self.space = spaces.Box(low, high, dtype=np.float32)

    def see(self, readings: Readings, time: Floats, previous: Ints) -> NDArray[np.float32]:
        seen = self._matrix.compute(readings, np.minimum(time, 1), previous)
        return np.clip(seen, self.space.low, self.space.high, dtype=np.float32)


class Pixels(Sight):
    """The picture that the player sees, uint8 (height, width, 3)."""

    def __init__(self, world: World, size: tuple[int, int]) -> None:
        self._world = world
        self._drawn = np.zeros((world.size, 3, *size), np.uint8)
        self.space = spaces.Box(0, 255, (*size, 3), np.uint8)

    def see(self, readings: Readings, time: Floats, previous: Ints) -> NDArray[np.uint8]:
        self._world.draw(np.arange(self._world.size), self._drawn)
        return self._drawn.transpose(0, 2, 3, 1).copy()
