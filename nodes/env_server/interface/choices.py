"""The action space of an interface: primitive actions by name, then macros."""

from collections import Counter
from typing import NamedTuple

import numpy as np

from messages.world import Interface
from nodes.env_server.programs import CompiledProgram, ProgramRefused, compile_program
from worlds.play import Bools, Ints, Play, Readings, World


class Coded(NamedTuple):
    """A coded action, the most steps of one run, and after how many of them it is interrupted."""

    program: CompiledProgram
    max_steps: int
    interrupt: int | None = None


class Possible(NamedTuple):
    """Action vectors of the primitive choices (choices, B, A), and where they are possible
    (B, choices), at one moment."""

    vectors: Ints
    mask: Bools

    def matching(self, done: Ints) -> Ints:
        """(B,): the first choice that is possible and does what ``done`` (B, A) did, -1: none."""
        same = (self.vectors == done).all(2).T & self.mask
        return np.where(same.any(1), same.argmax(1), -1)


class Choices:
    """What a policy may choose: ``names``, primitive actions first. The game decides whether a
    primitive action is possible; a macro always is.

    Raises:
        ValueError: an unknown action, a name used twice, nothing to choose, or a macro that does
            not compile; the sentence has all its problems.
    """

    def __init__(self, interface: Interface, play: Play, world: World) -> None:
        self._actions = play.actions(interface.actions, world)
        self.names = [*interface.actions, *(macro.name for macro in interface.macros)]
        if not self.names:
            raise ValueError("an interface needs actions or macros to choose from")
        twice = sorted(name for name, times in Counter(self.names).items() if times > 1)
        if twice:
            raise ValueError(f"choices need names of their own; twice: {', '.join(twice)}")
        self.primitives = len(interface.actions)
        self.macros: list[Coded] = []
        for macro in interface.macros:
            if macro.max_steps < 1:
                raise ValueError(f"macro {macro.name}: max_steps is at least 1")
            if macro.interrupt is not None and macro.interrupt < 1:
                raise ValueError(f"macro {macro.name}: it is interrupted after at least 1 step")
            try:
                program = compile_program(macro.source, play.programs)
                self.macros.append(Coded(program, macro.max_steps, macro.interrupt))
            except ProgramRefused as refused:
                raise ValueError(f"macro {macro.name} does not compile: {refused}") from None
        self._size = world.size
        self._noop = play.noop

    def mask(self, readings: Readings) -> Bools:
        """(B, choices) bool, never all False in a row."""
        mask = np.ones((self._size, len(self.names)), bool)
        mask[:, : self.primitives] = self._actions.mask(readings)
        # Where nothing is possible, anything may be chosen and does nothing.
        mask[~mask.any(1)] = True
        return mask

    def fill(self, out: Ints, choices: Ints, rows: Ints, readings: Readings) -> None:
        """Write the action vectors of the primitive ``choices`` of ``rows`` into ``out`` (B, A).
        What is impossible becomes one that does nothing."""
        self._actions.fill(out, choices, rows, readings)

    def possible(self, readings: Readings) -> "Possible":
        """What the primitive actions would do now."""
        vectors = np.tile(self._noop, (self.primitives, self._size, 1))
        rows = np.arange(self._size)
        for choice, out in enumerate(vectors):
            self._actions.fill(out, np.full(self._size, choice), rows, readings)
        return Possible(vectors, self.mask(readings)[:, : self.primitives])
