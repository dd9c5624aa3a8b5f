"""Crafting that is done for a policy: what leads to its goal is made as soon as it can be.

After each decision, whatever the way to the goal by the rules still makes and what can be made with
what is there, is crafted; a station that is needed is put down where the crosshair is on something.
Each takes a step like any other, and belongs to the decision before it.
"""

from collections.abc import Mapping

import msgspec
import numpy as np

from messages.world import Condition
from voxeldojo import actions
from voxeldojo.rules import craft_index
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


class Wanted(msgspec.Struct, frozen=True):
    """What one environment's inventory leaves to be done by crafting alone."""

    crafts: tuple[str, ...] = ()  # in the order of the plan
    places: tuple[str, ...] = ()  # stations that are held


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
        self._wanted = [Wanted()] * world.size
        self._known: tuple[Ints, Ints] | None = None

    def due(self, readings: Readings, rows: Bools, start: Counters) -> dict[int, Ints]:
        """The MineDojo action that is due in each of ``rows`` (B,) where one is. ``start``: the
        counters when the subtask began."""
        self._notice(readings, start)
        found: dict[int, Ints] = {}
        for row in np.flatnonzero(rows).tolist():
            wanted = self._wanted[row]
            if wanted.crafts or wanted.places:
                action = self._possible(readings, row, wanted)
                if action is not None:
                    found[row] = np.array(action, np.int64)
        return found

    def _possible(self, readings: Readings, row: int, wanted: Wanted) -> tuple[int, ...] | None:
        can = readings.masks()["craft_smelt"][row]
        for item in wanted.crafts:
            if can[craft_index(item)]:
                return actions.craft(item)
        for station in wanted.places:
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
                held.setdefault(station, 1)
            self._wanted[row] = self._plan(held, int(begun[row]))

    def _plan(self, held: Mapping[str, int], begun: int) -> Wanted:
        goal = self._success
        places: list[str] = []
        if goal.kind == "nearby":
            total = 1
            places.append(goal.name)
        elif goal.kind == "have":
            total = begun + goal.quantity
        else:
            return Wanted()
        try:
            steps = needs(goal.name, total, held)
        except Unreachable:
            return Wanted()
        made = [step for step in steps if step.way.how in MADE]
        places += [step.way.station for step in made if step.way.station in STATIONS]
        return Wanted(
            crafts=tuple(step.item for step in made),
            places=tuple(dict.fromkeys(each for each in places if held.get(each, 0))),
        )
