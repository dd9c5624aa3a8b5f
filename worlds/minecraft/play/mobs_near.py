"""The nearest mobs in view, as policies see them: kind, direction, distance, whether they come.

All that is known of a mob is what rays from the eyes meet, as MineDojo's lidar reports it. Rays
that meet mobs of one kind at about one place count as one mob.
"""

import math
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from voxeldojo.rules.mobs import MOBS, entity_names
from voxeldojo.world_interface import Bools, Floats, Ints
from worlds.minecraft.card import features

_EYES = 1.62  # metres over the feet
_SAME_MOB = 3.0  # metres that a mob may have moved from one look to the fourth after it
_COMING = 0.5  # metres nearer that count as 1
LOOKS = 4  # back to the one that a mob is compared with
_SHOOTERS = frozenset({"skeleton", "stray", "blaze", "ghast", "witch", "shulker", "guardian"})


def _kind_of(number: int, hostile: bool) -> int:
    mob, name = MOBS[number - 1], entity_names[number]
    if not hostile:
        known = features.PASSIVE_KINDS
        return known.index(name) if name in known else len(known) - 1
    kinds = features.HOSTILE_KINDS
    if mob.name in _SHOOTERS:
        return kinds.index("shooter")
    if name in ("spider", "cavespider"):
        return kinds.index("spider")
    if name == "creeper":
        return kinds.index("creeper")
    return kinds.index("undead" if mob.undead else "other")


_HOSTILE = np.array([False, *(mob.nature == "hostile" for mob in MOBS)])


class _Tables(NamedTuple):
    """What kernels are given as arguments: a cached kernel would keep another module's values as
    they were when it was compiled."""

    grid: NDArray[np.float64]  # (R, 2): pitch and yaw of the rays, in radians
    reach: float  # metres that the rays go
    one_mob: NDArray[np.float64]  # by kind: metres within which rays that meet it meet one mob
    kind_columns: NDArray[np.int64]  # by kind: which of a mob's columns says that it is of it


_TABLES = _Tables(
    grid=np.array(features.mob_grid(), np.float64),
    reach=features.RAY_REACH,
    one_mob=np.array([0.0, *(mob.width + 0.5 for mob in MOBS)]),
    kind_columns=features.MOB_COLUMNS
    + np.array(
        [0, *(_kind_of(number, bool(_HOSTILE[number])) for number in range(1, len(_HOSTILE)))]
    ),
)


class MobsNear:
    """The mobs near the players of all environments; ``hostile`` or the others. Call ``look`` once
    after each step in which ``moved`` (B,) environments stepped."""

    def __init__(self, size: int, hostile: bool) -> None:
        name = "hostiles" if hostile else "passives"
        count = features.MOBS_SHOWN[name]
        self._wanted = (hostile == _HOSTILE) & (np.arange(len(_HOSTILE)) > 0)
        self.columns = np.zeros((size, features.FEATURES[name].size), np.float32)
        # Which mobs each environment saw at its last looks, and where; the oldest is written over.
        self._looks = np.zeros(size, np.int64)
        self._kinds_before = np.zeros((size, LOOKS, count), np.int64)  # 0: none
        self._places_before = np.zeros((size, LOOKS, count, 3))

    def begin(self, rows: Bools) -> None:
        """Episodes or stages begin in ``rows`` (B,): what was seen there before is not compared
        with."""
        self._looks[rows] = 0

    def look(
        self,
        kinds: Ints,
        distances: Floats,
        location: tuple[Floats, Floats, Floats],
        moved: Bools,
    ) -> None:
        """``kinds``, ``distances`` (B, R): along the rays of the mob grid; ``location``: position,
        yaw and pitch in degrees."""
        position, yaw, pitch = location
        _look(
            kinds, distances, position, yaw, pitch, moved, _TABLES, self._wanted,
            self._looks, self._kinds_before, self._places_before, self.columns,
        )  # fmt: skip


@numba.njit(cache=True)
def _look(
    kinds: Any, distances: Any, position: Any, yaw: Any, pitch: Any, moved: Any, tables: Any,
    wanted: Any, looks: Any, kinds_before: Any, places_before: Any, columns: Any,
) -> None:  # fmt: skip
    """Write the columns of the environments that ``moved``. A kernel: written with arrays, a row of
    the batch took 40 microseconds, more than all other features together."""
    count = kinds_before.shape[2]
    width = columns.shape[1] // count
    places = np.empty((kinds.shape[1], 3))
    left = np.empty(kinds.shape[1], np.bool_)
    eyes = np.empty(3)
    for row in np.flatnonzero(moved):
        columns[row] = 0.0
        for axis in range(3):
            eyes[axis] = position[row, axis]
        eyes[1] += _EYES
        for ray in range(kinds.shape[1]):
            left[ray] = wanted[kinds[row, ray]]
            if left[ray]:
                _place(
                    tables.grid[ray], distances[row, ray], yaw[row], pitch[row], eyes, places[ray]
                )
        oldest = looks[row] % LOOKS
        known = looks[row] >= LOOKS
        now_kinds = np.zeros(count, np.int64)
        now_places = np.zeros((count, 3))
        for place in range(count):
            ray = _take_nearest(kinds[row], distances[row], places, tables.one_mob, left)
            if ray < 0:
                break
            kind = kinds[row, ray]
            now_kinds[place], now_places[place] = kind, places[ray]
            out = columns[row, place * width : (place + 1) * width]
            out[0] = 1.0
            pitch_offset, yaw_offset = tables.grid[ray]
            out[1], out[2] = math.sin(yaw_offset), math.cos(yaw_offset)
            out[3] = pitch_offset
            out[4] = 1.0 - distances[row, ray] / tables.reach
            if known:
                out[5] = _coming(
                    kind, places[ray], eyes, kinds_before[row, oldest], places_before[row, oldest]
                )
            out[tables.kind_columns[kind]] = 1.0
        kinds_before[row, oldest], places_before[row, oldest] = now_kinds, now_places
        looks[row] += 1


@numba.njit(cache=True)
def _place(ray: Any, distance: float, yaw: float, pitch: float, eyes: Any, out: Any) -> None:
    """Where a ray of the grid ends, of a player who looks so; degrees."""
    down = math.radians(pitch) + ray[0]
    right = math.radians(yaw) + ray[1]
    flat = math.cos(down)
    out[0] = eyes[0] - distance * math.sin(right) * flat
    out[1] = eyes[1] - distance * math.sin(down)
    out[2] = eyes[2] + distance * math.cos(right) * flat


@numba.njit(cache=True)
def _take_nearest(kinds: Any, distances: Any, places: Any, one_mob: Any, left: Any) -> int:
    """The ray that meets the nearest of the mobs that are ``left``, -1 for none. All rays that meet
    this mob are left no longer."""
    nearest = -1
    for ray in range(len(left)):
        if left[ray] and (nearest < 0 or distances[ray] < distances[nearest]):
            nearest = ray
    if nearest < 0:
        return -1
    for ray in range(len(left)):
        if left[ray] and kinds[ray] == kinds[nearest]:
            apart = math.hypot(  # seen from above
                places[ray, 0] - places[nearest, 0], places[ray, 2] - places[nearest, 2]
            )
            left[ray] = apart >= one_mob[kinds[nearest]]
    return nearest


@numba.njit(cache=True)
def _coming(kind: int, place: Any, eyes: Any, kinds: Any, places: Any) -> float:
    """How far it has come nearer by its own movement, as -1 to 1; 0 if it was not seen then."""
    nearest, where = _SAME_MOB, -1
    for which in range(len(kinds)):
        if kinds[which] == kind:
            moved = _apart(places[which], place)
            if moved < nearest or (moved == nearest and where < 0):
                nearest, where = moved, which
    if where < 0:
        return 0.0
    nearer = _apart(places[where], eyes) - _apart(place, eyes)
    return min(1.0, max(-1.0, nearer / _COMING))


@numba.njit(cache=True)
def _apart(a: Any, b: Any) -> float:
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)
