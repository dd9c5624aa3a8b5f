"""The nearest mobs in view, as policies see them: kind, direction, distance, whether they come.

All that is known of a mob is what rays from the eyes meet, as MineDojo's lidar reports it. Rays
that meet mobs of one kind at about one place count as one mob.
"""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from voxeldojo.rules.mobs import MOBS, entity_names
from voxeldojo.world_interface import Bools, Floats, Ints
from worlds.minecraft.card import features

_GRID = np.array(features.mob_grid(), np.float64)  # (R, 2): pitch, yaw
_EYES = 1.62  # metres over the feet
_SAME_MOB = 3.0  # metres that a mob may have moved from one look to the fourth after it
_COMING = 0.5  # metres nearer that count as 1
LOOKS = 4
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


_ONE_MOB = np.array([0.0, *(mob.width + 0.5 for mob in MOBS)])
"""Metres: rays that meet a kind within this of each other meet one mob."""
_HOSTILE = np.array([False, *(mob.nature == "hostile" for mob in MOBS)])
_KINDS = np.array(
    [0, *(_kind_of(number, bool(_HOSTILE[number])) for number in range(1, len(entity_names)))]
)


class MobsNear:
    """The mobs near the players of all environments; ``hostile`` or the others. Call ``look`` once
    after each step in which ``moved`` (B,) environments stepped."""

    def __init__(self, size: int, hostile: bool) -> None:
        name = "hostiles" if hostile else "passives"
        self._hostile = hostile
        self._count = features.MOBS_SHOWN[name]
        self._kinds = len(features.HOSTILE_KINDS if hostile else features.PASSIVE_KINDS)
        self.columns = np.zeros((size, features.FEATURES[name].size), np.float32)
        # Of each environment: what was met at its last looks, (kinds (K,), places (K, 3)).
        self._before: list[deque[tuple[Ints, Floats]]] = [deque(maxlen=LOOKS) for _ in range(size)]

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
        wanted = (kinds > 0) & (_HOSTILE[kinds] == self._hostile)
        for row in np.flatnonzero(moved).tolist():
            self.columns[row] = 0
            rays = np.flatnonzero(wanted[row])
            eyes = position[row].astype(np.float64)
            eyes[1] += _EYES
            places = eyes + distances[row, rays, None] * _directions(
                rays, float(yaw[row]), float(pitch[row])
            )
            met, before = kinds[row, rays], self._before[row]
            chosen = _nearest(met, places, distances[row, rays], self._count)
            earlier = before[0] if len(before) == LOOKS else None
            width = features.MOB_COLUMNS + self._kinds
            for place, which in enumerate(chosen):
                ray, far = rays[which], float(distances[row, rays[which]])
                out = self.columns[row, place * width : (place + 1) * width]
                out[0] = 1
                out[1], out[2] = np.sin(_GRID[ray, 1]), np.cos(_GRID[ray, 1])
                out[3] = _GRID[ray, 0]
                out[4] = 1 - far / features.RAY_REACH
                out[5] = _coming(int(met[which]), places[which], eyes, earlier)
                out[features.MOB_COLUMNS + _KINDS[met[which]]] = 1
            before.append((met[chosen], places[chosen]))


def _directions(rays: NDArray[np.int64], yaw: float, pitch: float) -> NDArray[np.float64]:
    """Unit vectors (n, 3) of rays of the grid, of a player who looks so; degrees."""
    down = np.radians(pitch) + _GRID[rays, 0]
    right = np.radians(yaw) + _GRID[rays, 1]
    flat = np.cos(down)
    return np.stack([-np.sin(right) * flat, -np.sin(down), np.cos(right) * flat], axis=1)


def _nearest(
    kinds: Ints, places: NDArray[np.float64], distances: Floats, count: int
) -> NDArray[np.int64]:
    """Which of these hits stand for the ``count`` nearest mobs."""
    chosen: list[int] = []
    left = np.ones(len(kinds), bool)
    for _ in range(count):
        if not left.any():
            break
        which = int(np.where(left, distances, np.inf).argmin())
        chosen.append(which)
        apart = np.hypot(*(places - places[which])[:, ::2].T)  # seen from above
        near = apart < _ONE_MOB[kinds[which]]
        left &= ~(near & (kinds == kinds[which]))
    return np.array(chosen, np.int64)


def _coming(
    kind: int,
    place: NDArray[np.float64],
    eyes: NDArray[np.float64],
    earlier: tuple[Ints, Floats] | None,
) -> float:
    """How far it has come nearer by its own movement, as -1 to 1; 0 if it was not seen then."""
    if earlier is None:
        return 0.0
    kinds, places = earlier
    same = places[kinds == kind]
    if not len(same):
        return 0.0
    moved = np.linalg.norm(same - place, axis=1)
    which = int(moved.argmin())
    if moved[which] > _SAME_MOB:
        return 0.0
    nearer = np.linalg.norm(same[which] - eyes) - np.linalg.norm(place - eyes)
    return float(np.clip(nearer / _COMING, -1, 1))
