"""Whether a condition holds, for a whole batch at once, from the World interface alone."""

import numpy as np

from messages.world import Condition
from voxeldojo.names import near
from voxeldojo.rules.mobs import entity_names, mob_names
from voxeldojo.world import Bools, Ints, World
from worlds.minecraft.play.readings import STATIONS, Readings, count
from worlds.play import Counters


def block_id(world: World, name: str) -> int:
    """The id of a block by its localised name.

    Raises:
        ValueError: the world has no block of that name.
    """
    return _id("block", name, world.block_names)


def item_id(world: World, name: str) -> int:
    """The id of an item by its registry name.

    Raises:
        ValueError: the world has no item of that name.
    """
    return _id("item", name, world.item_names)


def _mob_number(name: str) -> int:
    """The number of a mob by its name as it is summoned or seen; 0: there is none of that name."""
    for names in (entity_names, mob_names):
        if name and name in names[1:]:
            return names.index(name)
    return 0


def target_id(world: World, name: str) -> tuple[int, bool]:
    """The id of what can be looked for, and whether it is a mob: a block by its localised name,
    or a mob.

    Raises:
        ValueError: there is neither of that name.
    """
    if name not in world.block_names and (mob := _mob_number(name)):
        return mob, True
    return _id("block or mob", name, world.block_names), False


def _id(kind: str, name: str, names: list[str]) -> int:
    if name in names:
        return names.index(name)
    raise ValueError(f"there is no {kind} {name!r}{near(name, names)}")


class Judge:
    """Watches one condition. ``have`` counts from where an episode, or a subtask in it, began.

    Raises:
        ValueError: the condition names what the world does not have, or a quantity below 1.
    """

    def __init__(self, condition: Condition, world: World) -> None:
        if condition.quantity < 1:
            raise ValueError(f"a condition's quantity is at least 1, not {condition.quantity}")
        self.condition = condition
        self._mob = False
        if condition.kind == "nearby":
            if condition.name not in STATIONS:
                raise ValueError(
                    f"what can be nearby to work at is {' or '.join(STATIONS)}, "
                    f"not {condition.name!r}"
                )
            self._id = 0
        elif condition.kind == "facing":
            self._id, self._mob = target_id(world, condition.name)
        else:
            lookup = item_id if condition.kind == "have" else block_id
            self._id = lookup(world, condition.name)
        self._version = -1
        self._enough: Ints = np.zeros(world.size, np.int64)

    def holds(self, readings: Readings, start: Counters, version: int) -> Bools:
        """(B,) bool. ``start``: ids and quantities (B, 36) of the slots when episodes began;
        ``version`` differs whenever they do."""
        kind = self.condition.kind
        if kind == "have":
            if version != self._version:
                self._version = version
                ids, quantities = start
                self._enough = count(ids, quantities, self._id) + self.condition.quantity
            return readings.count(self._id) >= self._enough
        if kind == "nearby":
            return readings.nearby(self.condition.name)
        if self._mob:
            return readings.met()[0] == self._id
        facing = readings.facing()[0] == self._id
        if kind == "facing":
            return facing
        return facing | (readings.voxels() == self._id).any((1, 2, 3))
