"""The kinds of reward that are Minecraft's own: `gain`, `approach` and `facing`."""

import numpy as np
from numpy.typing import NDArray

from messages.world import RewardTerm
from voxeldojo.world_interface import Bools, World
from worlds.minecraft.play.conditions import in_sight, item_id, target_id
from worlds.minecraft.play.readings import Readings
from worlds.play import Term, unknown_reward


class Gain:
    """Pays for more of an item than was ever held in the episode, so that dropping and taking up
    again earns nothing."""

    def __init__(self, name: str, world: World) -> None:
        self._item = item_id(world, name)
        self._most = np.zeros(world.size)

    def begin(self, readings: Readings, rows: Bools) -> None:
        self._most[rows] = readings.count(self._item)[rows]

    def pay(self, readings: Readings, active: Bools) -> NDArray[np.float64]:
        now = readings.count(self._item)
        paid = np.maximum(now - self._most, 0)
        np.maximum(self._most, now, out=self._most, where=active)
        return paid


class Approach:
    """Pays for coming nearer than ever in the episode, so that neither looking away and back nor
    going from one block to the next earns anything twice."""

    def __init__(self, name: str, world: World) -> None:
        self._target, self._mob = target_id(world, name)
        self._least = np.zeros(world.size)  # infinite: it was never seen

    def begin(self, readings: Readings, rows: Bools) -> None:
        self._least[rows] = self._distance(readings)[rows]

    def pay(self, readings: Readings, active: Bools) -> NDArray[np.float64]:
        now = self._distance(readings)
        known = active & np.isfinite(self._least) & np.isfinite(now)
        closer = np.zeros(len(active))
        np.subtract(self._least, now, out=closer, where=known)
        np.minimum(self._least, now, out=self._least, where=active)
        return np.maximum(closer, 0)

    def _distance(self, readings: Readings) -> NDArray[np.floating]:
        """Metres to the nearest one that the fan of rays or the crosshair sees."""
        ids, distances = readings.mob_fan() if self._mob else readings.fan()
        return np.where(ids == self._target, distances, np.inf).min(1)


class Facing:
    """Pays while the crosshair is on it."""

    def __init__(self, name: str, world: World) -> None:
        self._target, self._mob = target_id(world, name)

    def begin(self, readings: Readings, rows: Bools) -> None:
        """Do nothing: the term compares with nothing."""

    def pay(self, readings: Readings, active: Bools) -> Bools:
        if self._mob:
            return readings.met()[0] == self._target
        return in_sight(readings, self._target)


KINDS: dict[str, type[Gain] | type[Approach] | type[Facing]] = {
    "gain": Gain,
    "approach": Approach,
    "facing": Facing,
}


def reward(term: RewardTerm, world: World) -> Term:
    """Raises ValueError: no such kind, or an unknown item, block or mob."""
    if term.kind not in KINDS:
        raise unknown_reward(term, KINDS)
    return KINDS[term.kind](term.name, world)
