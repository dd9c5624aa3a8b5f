"""The episodes of a batch: which seed each plays, how far it has come, how it ended."""

import numpy as np

from messages.world import Episode, SeedRange, View
from nodes.env_server.readings import Readings
from nodes.env_server.views import view
from nodes.env_server.worlds.world import Bools, Ints

RUNNING, SUCCESS, HORIZON, DEATH = range(4)
ENDED = ("running", "success", "horizon", "death")


class Episodes:
    """One episode per environment at a time. Counters are arrays over the batch."""

    def __init__(self, size: int, seeds: SeedRange) -> None:
        self.size = size
        self._seeds = seeds
        self._round = np.full(size, -1)
        self.seed = np.zeros(size, np.int64)
        self.steps = np.zeros(size, np.int64)
        self.reward = np.zeros(size, np.float32)
        self.ended = np.zeros(size, np.int64)
        self.died_early = np.zeros(size, bool)  # in a prefix: over at the first step
        self.start_items = np.zeros((size, 36), np.int64)
        self.start_quantities = np.zeros((size, 36), np.int64)
        self.subtask_items = np.zeros((size, 36), np.int64)  # when the subtask began
        self.subtask_quantities = np.zeros((size, 36), np.int64)
        self.version = 0  # grows whenever an episode or a subtask begins
        self.why = [""] * size  # what a player died of, or how the last stage of it ended
        self._before: list[View | None] = [None] * size
        self._after: list[View | None] = [None] * size

    @property
    def over(self) -> Bools:
        return self.ended != RUNNING

    def next_seeds(self, rows: Ints) -> Ints:
        """Environment i of B plays first + i, i + B, i + 2B, ... modulo the count."""
        self._round[rows] += 1
        place = rows + self._round[rows] * self.size
        self.seed[rows] = self._seeds.first + place % self._seeds.count
        return self.seed[rows]

    def begin(self, rows: Ints, readings: Readings) -> None:
        """The world was reset in ``rows``; nothing has happened in them yet."""
        self.steps[rows] = 0
        self.reward[rows] = 0
        self.ended[rows] = RUNNING
        self.died_early[rows] = False
        for row in rows.tolist():
            self.why[row] = ""
        self.version += 1
        items, quantities = readings.inventory()
        self.start_items[rows] = items[rows]
        self.start_quantities[rows] = quantities[rows]
        self.begin_subtask(rows, readings)
        for row in rows.tolist():
            self._before[row] = view(readings, row)
            self._after[row] = None

    def begin_subtask(self, rows: Ints, readings: Readings) -> None:
        """From here on the stages of ``rows`` count what they gain."""
        items, quantities = readings.inventory()
        self.subtask_items[rows] = items[rows]
        self.subtask_quantities[rows] = quantities[rows]
        self.version += 1

    def end(self, rows: Bools, how: int, readings: Readings) -> None:
        """Episodes of ``rows`` (B,) are over."""
        self.ended[rows] = how
        for row in np.flatnonzero(rows).tolist():
            self._after[row] = view(readings, row)
            self.why[row] = readings.world.cause_of_death(row) if how == DEATH else ""

    def said(self, readings: Readings) -> list[Episode]:
        """All of them as they stand."""
        return [self._said(row, readings) for row in range(self.size)]

    def _said(self, row: int, readings: Readings) -> Episode:
        after = self._after[row] or view(readings, row)
        ended = int(self.ended[row])
        return Episode(
            environment=row,
            seed=int(self.seed[row]),
            success=ended == SUCCESS,
            steps=int(self.steps[row]),
            reward=float(self.reward[row]),
            ended=ENDED[ended],  # type: ignore[arg-type]
            before=self._before[row] or after,
            after=after,
        )
