"""The action space of an interface: primitive actions by name, then macros."""

import numpy as np

from messages.world import Interface
from models import actions
from models.rules import craft_index
from nodes.env_server.interface.conditions import item_id
from nodes.env_server.programs import CompiledProgram, ProgramRefused, compile_program
from nodes.env_server.readings import Readings
from nodes.env_server.worlds.world import Bools, Ints, World

NOOP = np.array(actions.PRIMITIVES["noop"], np.int64)


def slot_of(readings: Readings, environment: int, item: int, verb: str) -> int | None:
    """The first slot that holds the item and that ``verb`` is possible with, or None."""
    held = readings.inventory()[0][environment] == item
    slots = np.flatnonzero(held & readings.masks()[verb][environment])
    return int(slots[0]) if len(slots) else None


class Choices:
    """What a policy may choose: ``names``, primitive actions first.

    A primitive action without an item is possible always (``drop`` with something in the hand),
    one with an item as MineDojo's masks say, a macro always.

    Raises:
        ValueError: an unknown action, a name used twice, nothing to choose, or a macro that does
            not compile; the sentence has all its problems.
    """

    def __init__(self, interface: Interface, world: World) -> None:
        self._split = [actions.split(name) for name in interface.actions]
        self.names = [*interface.actions, *(macro.name for macro in interface.macros)]
        if not self.names:
            raise ValueError("an interface needs actions or macros to choose from")
        twice = {name for name in self.names if self.names.count(name) > 1}
        if twice:
            raise ValueError(f"choices need names of their own; twice: {', '.join(sorted(twice))}")
        self.primitives = len(self._split)
        self.macros: list[tuple[CompiledProgram, int]] = []
        for macro in interface.macros:
            if macro.max_steps < 1:
                raise ValueError(f"macro {macro.name}: max_steps is at least 1")
            try:
                self.macros.append((compile_program(macro.source), macro.max_steps))
            except ProgramRefused as refused:
                raise ValueError(f"macro {macro.name} does not compile: {refused}") from None
        self._size = world.size
        self._vectors = np.tile(NOOP, (max(self.primitives, 1), 1))
        self._slotted: dict[int, tuple[str, int]] = {}
        self._masked: list[tuple[int, str, int]] = []
        for number, (verb, item) in enumerate(self._split):
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
        """(B, choices) bool, never all False in a row."""
        mask = np.ones((self._size, len(self.names)), bool)
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
        # Whoever can do nothing may choose anything, which then does nothing.
        mask[~mask.any(1)] = True
        return mask

    def fill(self, out: Ints, choices: Ints, rows: Ints, readings: Readings) -> None:
        """Write the MineDojo actions of the primitive ``choices`` of ``rows`` into ``out`` (B, 8).
        What is impossible becomes a noop, as MineDojo would refuse it."""
        out[rows] = self._vectors[choices]
        if not self._slotted:
            return
        for row, choice in zip(rows.tolist(), choices.tolist(), strict=True):
            if choice in self._slotted:
                verb, item = self._slotted[choice]
                slot = slot_of(readings, row, item, verb)
                out[row] = NOOP if slot is None else actions.slot_action(verb, slot)
