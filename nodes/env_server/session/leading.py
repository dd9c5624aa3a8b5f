"""What a training's resets play after their prefix: the stages before the one that is trained, of
which at least the first is a policy's.

The session plays them, but whoever steps it chooses for the policies. An episode begins when all of
them are over for it; environments that got there stand still until the others have.
"""

import numpy as np

from nodes.env_server.interface.stage import Stage
from nodes.env_server.programs import CompiledProgram
from nodes.env_server.worlds.world import Bools

Part = tuple[CompiledProgram, int] | Stage


class Leading:
    """Which of the stages each of ``size`` environments has come to."""

    def __init__(self, parts: list[Part], size: int) -> None:
        self._parts = parts
        self._at = np.full(size, len(parts))
        self.begun = np.zeros(size, bool)  # episodes that begin when all this is over

    @property
    def number(self) -> int:
        """Of the stage that is played next; -1: there is none left."""
        number = int(self._at.min())
        return number if number < len(self._parts) else -1

    @property
    def part(self) -> Part | None:
        return None if self.number < 0 else self._parts[self.number]

    @property
    def stage(self) -> Stage | None:
        """The policy's stage that is played next, if it is one."""
        part = self.part
        return part if isinstance(part, Stage) else None

    def rows(self) -> Bools:
        """Who stands at the stage that is played next."""
        return self._at == self._at.min() if self.number >= 0 else np.zeros(len(self._at), bool)

    def begin(self, rows: Bools) -> None:
        """Episodes of ``rows`` were reset."""
        self.begun |= rows
        self._enter(rows, 0)

    def pass_on(self, rows: Bools) -> None:
        """The stage is over in ``rows``, which stand at it."""
        if rows.any():
            self._enter(rows, int(self._at[rows][0]) + 1)

    def leave(self, rows: Bools) -> None:
        """Nothing is left to be played in ``rows``."""
        self._at[rows] = len(self._parts)

    def _enter(self, rows: Bools, number: int) -> None:
        self._at[rows] = number
        if number < len(self._parts) and isinstance(part := self._parts[number], Stage):
            part.begin(rows)
