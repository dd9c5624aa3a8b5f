"""Primitive actions by name as MineDojo's action vectors."""

import numpy as np

from voxeldojo import actions
from voxeldojo.rules import craft_index
from voxeldojo.world_interface import Bools, Ints, World
from worlds.minecraft.play.conditions import item_id
from worlds.minecraft.play.readings import Readings

NOOP = np.array(actions.PRIMITIVES["noop"], np.int64)


def slot_of(readings: Readings, environment: int, item: int, verb: str) -> int | None:
    """The first slot that holds the item and that ``verb`` is possible with, or None."""
    held = readings.inventory()[0][environment] == item
    slots = np.flatnonzero(held & readings.masks()[verb][environment])
    return int(slots[0]) if len(slots) else None


class PrimitiveActions:
    """A primitive action without an item is possible always (``drop`` with something in the hand),
    one with an item as MineDojo's masks have it.

    Raises:
        ValueError: an unknown action or item.
    """

    def __init__(self, names: list[str], world: World) -> None:
        self._shape = world.size, len(names)
        self._vectors = np.tile(NOOP, (max(len(names), 1), 1))
        self._slotted: dict[int, tuple[str, int]] = {}
        self._masked: list[tuple[int, str, int]] = []
        for number, (verb, item) in enumerate([actions.split(name) for name in names]):
            if not item:
                self._vectors[number] = actions.PRIMITIVES[verb]
                if verb == "drop":
                    self._masked.append((number, verb, 0))
            elif verb == "craft":
                self._vectors[number] = actions.craft(item)
                self._masked.append((number, verb, craft_index(item)))
            else:
                self._slotted[number] = (verb, item_id(world, item))
                self._masked.append((number, verb, item_id(world, item)))

    def mask(self, readings: Readings) -> Bools:
        """(B, actions) bool."""
        mask = np.ones(self._shape, bool)
        if not self._masked:
            return mask
        masks = readings.masks()
        for number, verb, argument in self._masked:
            if verb == "drop":
                mask[:, number] = masks["action_type"][:, 2]
            elif verb == "craft":
                mask[:, number] = masks["craft_smelt"][:, argument]
            else:
                held = readings.inventory()[0] == argument
                mask[:, number] = (held & masks[verb]).any(1)
        return mask

    def fill(self, out: Ints, chosen: Ints, rows: Ints, readings: Readings) -> None:
        """Write the MineDojo actions ``chosen`` in ``rows`` into ``out`` (B, 8). What is impossible
        becomes a noop, as MineDojo would refuse it."""
        out[rows] = self._vectors[chosen]
        if not self._slotted:
            return
        for row, choice in zip(rows.tolist(), chosen.tolist(), strict=True):
            if choice in self._slotted:
                verb, item = self._slotted[choice]
                slot = slot_of(readings, row, item, verb)
                out[row] = NOOP if slot is None else actions.slot_action(verb, slot)


def item_action(readings: Readings, environment: int, verb: str, item: str) -> Ints | None:
    """The action that does this with the item where it lies now, or None where it is not."""
    number = item_id(readings.world, item)
    if verb == "equip" and _is_equipped(readings, environment, number):
        return NOOP
    slot = slot_of(readings, environment, number, verb)
    return None if slot is None else np.array(actions.slot_action(verb, slot), np.int64)


def _is_equipped(readings: Readings, environment: int, item: int) -> bool:
    """Whether equipping would change nothing. MineDojo's mask has the main hand only where its item
    belongs elsewhere, as armour does, and its inventory leaves out what is worn."""
    if readings.inventory()[0][environment, 0] == item:
        return not readings.masks()["equip"][environment, 0]
    return item in readings.status()["equipment"][environment, 1:]
