"""Crafting that is done for a policy: what leads to its goal is made as soon as it can be.

After each decision, whatever the way to the goal by the rules still makes and what can be made with
what is there, is crafted; a station that is needed is put down where the crosshair is on something.
Each takes a step like any other, and belongs to the decision before it.
"""

from functools import lru_cache

import msgspec
import numpy as np

from messages.world import Condition
from voxeldojo import actions
from voxeldojo.rules import CRAFTS, craft_index
from voxeldojo.world_interface import Bools, Ints, World
from worlds.card import Unreachable
from worlds.minecraft.card.planning import needs
from worlds.minecraft.card.ways import MADE
from worlds.minecraft.play.actions import slot_of
from worlds.minecraft.play.conditions import item_id
from worlds.minecraft.play.readings import (
    SLOT_ITEMS,
    SLOT_QUANTITIES,
    STATIONS,
    Readings,
    count,
    inventory_of,
)
from worlds.play import Counters

_LAST = len(CRAFTS)  # the rank of what is not to be crafted
_KNOWN = 4096  # inventories whose plans are remembered: players have the same again and again


class Wanted(msgspec.Struct, frozen=True):
    """What one environment's inventory leaves to be done by crafting alone."""

    crafts: tuple[str, ...] = ()  # in the order of the plan
    places: tuple[str, ...] = ()  # stations that are held


_NOTHING = Wanted()


class Autocraft:
    """Crafts for one condition, in all environments of a world.

    Raises:
        ValueError: the condition names an item that the world has not.
    """

    steps = actions.AUTOCRAFT_STEPS

    def __init__(self, success: Condition, world: World) -> None:
        self._success = success
        self._world = world
        self._item = item_id(world, success.name) if success.kind == "have" else 0
        self._wanted = [_NOTHING] * world.size
        # The place of each craft argument in the order of its environment's plan.
        self._ranks = np.full((world.size, len(CRAFTS)), _LAST)
        self._known: tuple[Ints, Ints] | None = None
        self._planned = lru_cache(_KNOWN)(self._plan)

    def due(self, readings: Readings, rows: Bools, start: Counters) -> dict[int, Ints]:
        """The MineDojo action that is due in each of ``rows`` (B,) where one is. ``start``: the
        counters when the subtask began."""
        self._notice(readings, start)
        found: dict[int, Ints] = {}
        asked = [row for row in np.flatnonzero(rows).tolist() if self._wanted[row] != _NOTHING]
        if not asked:
            return found
        ranks = np.where(readings.masks()["craft_smelt"][asked], self._ranks[asked], _LAST)
        first = ranks.argmin(1).tolist()
        for row, craft, rank in zip(asked, first, ranks.min(1).tolist(), strict=True):
            if rank < _LAST:
                found[row] = np.array(actions.craft(CRAFTS[craft].item), np.int64)
            elif (action := self._station(readings, row)) is not None:
                found[row] = np.array(action, np.int64)
        return found

    def _station(self, readings: Readings, row: int) -> tuple[int, ...] | None:
        """Put down a station that is needed, where that is possible."""
        for station in self._wanted[row].places:
            if readings.nearby(station)[row] or not readings.facing()[0][row]:
                continue
            slot = slot_of(readings, row, item_id(self._world, station), "place")
            if slot is not None:
                return actions.slot_action("place", slot)
        return None

    def _notice(self, readings: Readings, start: Counters) -> None:
        """Plan again where the inventory has changed."""
        ids, quantities = readings.slots()
        if self._known is None:
            changed = np.ones(len(ids), bool)
        else:
            changed = ((ids != self._known[0]) | (quantities != self._known[1])).any(1)
        if not changed.any():
            return
        self._known = ids.copy(), quantities.copy()
        begun = np.zeros(len(ids), np.int64)
        if self._item:
            begun = count(start[SLOT_ITEMS], start[SLOT_QUANTITIES], self._item)
        for row in np.flatnonzero(changed).tolist():
            held = inventory_of(self._world.item_names, ids[row], quantities[row])
            for station in readings.stations(row):
                if item_id(self._world, station) != self._item:  # it can be used, not had
                    held.setdefault(station, 1)
            wanted = self._planned(frozenset(held.items()), int(begun[row]))
            self._wanted[row] = wanted
            self._ranks[row] = _LAST
            for rank, item in enumerate(wanted.crafts):
                self._ranks[row, craft_index(item)] = rank

    def _plan(self, inventory: frozenset[tuple[str, int]], begun: int) -> Wanted:
        held = dict(inventory)
        goal = self._success
        places: list[str] = []
        if goal.kind == "nearby":
            total = 1
            places.append(goal.name)
        elif goal.kind == "have":
            total = begun + goal.quantity
        else:
            return _NOTHING
        try:
            steps = needs(goal.name, total, held)
        except Unreachable:
            return _NOTHING
        made = [step for step in steps if step.way.how in MADE]
        places += [step.way.station for step in made if step.way.station in STATIONS]
        return Wanted(
            crafts=tuple(step.item for step in made),
            places=tuple(dict.fromkeys(each for each in places if held.get(each, 0))),
        )
