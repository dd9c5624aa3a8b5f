"""Whether a condition holds, for a whole batch at once, from the World interface alone."""

from collections.abc import Callable

import numpy as np

from messages.world import JUDGED, Condition
from voxeldojo.names import near
from voxeldojo.rules import biome_named
from voxeldojo.rules.mobs import entity_names, mob_names
from voxeldojo.world_interface import Bools, Ints, World
from worlds.minecraft.card.conditions import DIMENSIONS, KINDS, TICKS
from worlds.minecraft.play.readings import (
    KILLED,
    SLOT_ITEMS,
    SLOT_QUANTITIES,
    USED,
    Readings,
    count,
)
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
    if name == "air":  # has a number, but is what a place without any shows
        raise ValueError(f"air is no {kind}: name one")
    if name in names:
        return names.index(name)
    raise ValueError(f"there is no {kind} {name!r}{near(name, names)}")


Watch = Callable[[Readings, Counters, int], Bools]
"""What `Judge.holds` is for a condition."""


class Judge:
    """Watches one condition. What counts something counts from where an episode, or a subtask in
    it, began.

    Raises:
        ValueError: the condition names what the world does not have, or a quantity below 1.
    """

    def __init__(self, condition: Condition, world: World) -> None:
        if condition.kind not in _MAKERS:
            kinds = ", ".join(_MAKERS)
            raise ValueError(f"there is no condition {condition.kind!r}; there are {kinds}")
        if condition.quantity < 1:
            raise ValueError(f"a condition's quantity is at least 1, not {condition.quantity}")
        if problem := KINDS[condition.kind].name_problem(condition.name):
            raise ValueError(problem)
        self.condition = condition
        self._watch = _MAKERS[condition.kind](condition, world)

    def holds(self, readings: Readings, start: Counters, version: int) -> Bools:
        """(B,) bool. ``start``: `Readings.counters` as they were when episodes began; ``version``
        differs whenever they do."""
        return self._watch(readings, start, version)


class _Counted:
    """So many more of what ``now`` counts than there were by ``begun``."""

    def __init__(
        self, now: Callable[[Readings], Ints], begun: Callable[[Counters], Ints], quantity: int
    ) -> None:
        self._now, self._begun, self._quantity = now, begun, quantity
        self._version = -1
        self._enough: Ints = np.zeros(0, np.int64)

    def __call__(self, readings: Readings, start: Counters, version: int) -> Bools:
        if version != self._version:
            self._version = version
            self._enough = self._begun(start) + self._quantity
        return self._now(readings) >= self._enough


def _gathered(condition: Condition, world: World) -> _Counted:
    item = item_id(world, condition.name)

    def begun(start: Counters) -> Ints:
        return count(start[SLOT_ITEMS], start[SLOT_QUANTITIES], item)

    return _Counted(lambda readings: readings.count(item), begun, condition.quantity)


def _killed(condition: Condition, world: World) -> _Counted:
    _must_count(world.killed, "which mobs are killed")
    mob = mob_names.index(condition.name)
    return _Counted(
        lambda readings: readings.killed()[:, mob],
        lambda start: start[KILLED][:, mob],
        condition.quantity,
    )


def _used(condition: Condition, world: World) -> _Counted:
    _must_count(world.used, "which items are used")
    item = item_id(world, condition.name)
    return _Counted(
        lambda readings: readings.used()[:, item],
        lambda start: start[USED][:, item],
        condition.quantity,
    )


def _must_count(read: Callable[[], Ints], what: str) -> None:
    try:
        read()
    except NotImplementedError:
        raise ValueError(f"this world does not count {what}") from None


def _seen_near(condition: Condition, world: World) -> Watch:
    block = block_id(world, condition.name)

    def holds(readings: Readings, start: Counters, version: int) -> Bools:
        return in_sight(readings, block) | (readings.voxels() == block).any((1, 2, 3))

    return holds


def _faced(condition: Condition, world: World) -> Watch:
    target, mob = target_id(world, condition.name)
    if mob:
        return _now(lambda readings: readings.met()[0] == target)
    return _now(lambda readings: in_sight(readings, target))


def in_sight(readings: Readings, block: int) -> Bools:
    """Where a block is under the crosshair, and no mob before it."""
    faced = readings.facing()[0] == block
    return faced & (readings.met()[0] == 0) if faced.any() else faced


def _at_station(condition: Condition, world: World) -> Watch:
    return _now(lambda readings: readings.nearby(condition.name))


def _worn(condition: Condition, world: World) -> Watch:
    item = item_id(world, condition.name)
    return _now(lambda readings: (readings.worn()[0] == item).any(1))


def _lived(condition: Condition, world: World) -> Watch:
    _must_count(world.age, "how long a player has lived")
    ticks = condition.quantity * TICKS[condition.name]
    return _now(lambda readings: readings.age() >= ticks)


def _in_biome(condition: Condition, world: World) -> Watch:
    biome = biome_named(condition.name).id
    return _now(lambda readings: readings.whereabouts()[0] == biome)


def _in_dimension(condition: Condition, world: World) -> Watch:
    dimension = DIMENSIONS.index(condition.name)
    return _now(lambda readings: readings.whereabouts()[1] == dimension)


def _at_height(condition: Condition, world: World) -> Watch:
    y = condition.quantity
    if condition.name == "above":
        return _now(lambda readings: readings.location()[0][:, 1] >= y)
    return _now(lambda readings: readings.location()[0][:, 1] <= y)


def _kept_up(condition: Condition, world: World) -> Watch:
    least = condition.quantity
    if condition.name == "oxygen":
        return _now(lambda readings: readings.status()["oxygen"] >= least)
    vital = ("life", "food").index(condition.name)
    return _now(lambda readings: readings.life()[vital] >= least)


def _never(condition: Condition, world: World) -> Watch:
    """The critic judges it afterwards; the episode goes on to its horizon."""
    return _now(lambda readings: np.zeros(readings.world.size, np.bool_))


def _now(holds: Callable[[Readings], Bools]) -> Watch:
    """What is seen of the moment, wherever the episode began."""
    return lambda readings, start, version: holds(readings)


_MAKERS: dict[str, Callable[[Condition, World], Watch]] = {
    "have": _gathered,
    "near": _seen_near,
    "facing": _faced,
    "nearby": _at_station,
    "killed": _killed,
    "used": _used,
    "placed": _used,  # each use of a block's item puts one block down
    "worn": _worn,
    "lived": _lived,
    "in_biome": _in_biome,
    "in_dimension": _in_dimension,
    "height": _at_height,
    "health": _kept_up,
    JUDGED: _never,
}
