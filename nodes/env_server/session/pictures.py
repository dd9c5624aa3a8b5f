"""Pictures of a stage: what players saw when it began, along the way and when it was over.

Nobody knows beforehand how long a stage will be. So pictures along the way are kept at every n-th
step, and when there are too many of them every second one is dropped and n doubles. Which steps are
pictured follows from how long the stage was, and from nothing else.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from messages.world import Picture, Pictures
from models.pictures import pictures_problem
from nodes.env_server.seeing.png import png
from nodes.env_server.worlds.world import Bools, World

Rgb = NDArray[np.uint8]


@dataclass
class _Roll:
    """The pictures of one environment."""

    first: Rgb
    room: int  # for pictures along the way
    step: int = 0
    stride: int = 1
    along: list[tuple[int, Rgb]] = field(default_factory=list)  # (step, what was seen)
    last: Rgb | None = None  # once the episode is over


class Photographer:
    """Takes the pictures that a session was asked for.

    Raises:
        ValueError: the pictures asked for cannot be taken.
    """

    def __init__(self, wanted: Pictures, world: World) -> None:
        if problem := pictures_problem(wanted, world.size):
            raise ValueError(problem)
        self._wanted = wanted
        self._world = world
        self._count = min(wanted.environments, world.size)
        self._rolls: dict[int, _Roll] = {}

    def begin(self, rows: Bools) -> None:
        """A stage begins in ``rows`` (B,). The others keep the pictures that they have."""
        for row in np.flatnonzero(rows[: self._count]).tolist():
            self._rolls[row] = _Roll(first=self._rgb(row), room=4 * (self._wanted.each - 2))

    def step(self, running: Bools, over: Bools) -> None:
        """``running`` (B,) took a step, with which the episodes of ``over`` (B,) ended."""
        for row in np.flatnonzero(running[: self._count]).tolist():
            roll = self._rolls.get(row)
            if roll is None:
                continue
            roll.step += 1
            if over[row]:
                roll.last = self._rgb(row)
            elif roll.room and roll.step % roll.stride == 0:
                roll.along.append((roll.step, self._rgb(row)))
                if len(roll.along) == roll.room:
                    roll.along = roll.along[1::2]
                    roll.stride *= 2

    def said(self) -> list[Picture]:
        """All of them, where the session stands now."""
        return [
            Picture(environment=row, step=step, png=png(rgb))
            for row, roll in sorted(self._rolls.items())
            for step, rgb in self._chosen(row, roll)
        ]

    def _chosen(self, row: int, roll: _Roll) -> list[tuple[int, Rgb]]:
        between = {step: rgb for step, rgb in roll.along if step < roll.step}
        parts = self._wanted.each - 1
        wanted = [roll.step * part / parts for part in range(1, parts)]
        steps = {min(between, key=lambda step: abs(step - at)) for at in wanted} if between else {}
        last = roll.last if roll.last is not None else self._rgb(row)
        chosen = [(0, roll.first), *((step, between[step]) for step in sorted(steps))]
        return [*chosen, (roll.step, last)] if roll.step else chosen

    def _rgb(self, row: int) -> Rgb:
        # Worlds draw into a picture that they use again.
        return self._world.rgb(row, self._wanted.height, self._wanted.width).copy()
