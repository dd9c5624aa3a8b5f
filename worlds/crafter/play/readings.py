"""What Crafter's world shows after a step."""

from typing import Any

import numpy as np

from worlds.crafter.card.card_parts import ALL, COUNTERS
from worlds.play import Bools, Counters, Embedder, Floats
from worlds.play import Readings as GameReadings

_COLUMN = {name: column for column, name in enumerate(COUNTERS)}


class Readings(GameReadings):
    def __init__(self, world: Any, embedder: Embedder | None = None) -> None:
        super().__init__(world, embedder)
        self._counts = np.zeros((world.size, len(COUNTERS)), np.int64)
        self._stale = np.ones(world.size, bool)

    def forget(self, moved: Bools | None = None) -> None:
        super().forget(moved)
        self._stale |= True if moved is None else moved

    def warm(self) -> None:
        self.alive()
        self.counters()

    def alive(self) -> Bools:
        return self.health() > 0

    def health(self) -> Floats:
        """(B,), 0 to 9."""
        rows = range(self.world.size)
        return np.array([self.world.sight(row).health for row in rows], np.float32)

    def counters(self) -> Counters:
        """(B, counters), by `COUNTERS`; overwritten after the next step."""
        for row in np.flatnonzero(self._stale).tolist():
            sight, counts = self.world.sight(row), self._counts[row]
            counts[:] = 0
            for held in (sight.inventory, sight.achievements):
                for name, count in held.items():
                    counts[_COLUMN[name]] = count
            counts[_COLUMN[ALL]] = len(sight.achievements)
        self._stale[:] = False
        return (self._counts,)
