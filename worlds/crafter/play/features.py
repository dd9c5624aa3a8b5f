"""Computes Crafter's features for a batch."""

import numpy as np

from worlds.common.feature_matrix import Columns
from worlds.crafter.card.card_parts import FEATURES
from worlds.crafter.card.crafter_names import ACHIEVEMENTS, ITEMS, MOST, THINGS, VITALS
from worlds.crafter.play.readings import Readings
from worlds.play import Floats

_FACINGS = ((-1, 0), (1, 0), (0, -1), (0, 1))
_EACH = np.eye(len(THINGS), dtype=np.float32)


def _view(readings: Readings, out: Floats) -> None:
    for row, columns in enumerate(out):
        columns[:] = _EACH[readings.world.sight(row).things].ravel()


def _vitals(readings: Readings, out: Floats) -> None:
    for row, columns in enumerate(out):
        sight = readings.world.sight(row)
        columns[:] = [getattr(sight, name) / MOST for name in VITALS]


def _inventory(readings: Readings, out: Floats) -> None:
    for row, columns in enumerate(out):
        held = readings.world.sight(row).inventory
        columns[:] = [held.get(name, 0) / MOST for name in ITEMS]


def _facing(readings: Readings, out: Floats) -> None:
    for row, columns in enumerate(out):
        columns[:] = [readings.world.sight(row).facing == each for each in _FACINGS]


def _sleeping(readings: Readings, out: Floats) -> None:
    out[:, 0] = [readings.world.sight(row).sleeping for row in range(len(out))]


def _daylight(readings: Readings, out: Floats) -> None:
    out[:, 0] = [readings.world.sight(row).daylight for row in range(len(out))]


def _unlocked(readings: Readings, out: Floats) -> None:
    for row, columns in enumerate(out):
        done = readings.world.sight(row).achievements
        columns[:] = [name in done for name in ACHIEVEMENTS]


_WRITERS = {
    "view": _view, "vitals": _vitals, "inventory": _inventory, "facing": _facing,
    "sleeping": _sleeping, "daylight": _daylight, "unlocked": _unlocked,
}  # fmt: skip
COLUMNS = {name: Columns(FEATURES[name].size, write) for name, write in _WRITERS.items()}
