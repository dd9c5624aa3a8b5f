"""What Crafter's world shows after a step."""

from typing import Any

import numpy as np

from worlds.crafter.card.game import ALL, COUNTERS
from worlds.play import Bools, Counters, Embedder
from worlds.play import Readings as GameReadings


class Readings(GameReadings):
    def __init__(self, world: Any, embedder: Embedder | None = None) -> None:
        super().__init__(world, embedder)
        self._counts = np.zeros((world.size, len(COUNTERS)), np.int64)

    def warm(self) -> None:
        self.alive()
        self.counters()

    def alive(self) -> Bools:
        return np.array([self.world.sight(row).health > 0 for row in range(self.world.size)])

    def counters(self) -> Counters:
        """(B, counters), by `COUNTERS`; overwritten by the next call."""
        for row, counts in enumerate(self._counts):
            sight = self.world.sight(row)
            found = {**sight.inventory, **sight.achievements, ALL: len(sight.achievements)}
            counts[:] = [found.get(name, 0) for name in COUNTERS]
        return (self._counts,)
