"""What a player remembers of the ground that it has seen.

It knows where it is by counting its own steps from the start, which is the middle of the world. All
of it follows from the views of the episode: the game is not asked again.
"""

from copy import copy
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from worlds.crafter.card.crafter_names import ACTIONS, DAY, HIGH, MOST, SIZE, WIDE
from worlds.crafter.play.package_game import CODES

HALF = SIZE // 2
_DIRECTIONS = {
    ACTIONS.index("move_left"): (-1, 0),
    ACTIONS.index("move_right"): (1, 0),
    ACTIONS.index("move_up"): (0, -1),
    ACTIONS.index("move_down"): (0, 1),
}
_ENTERED = frozenset(CODES[name] for name in ("grass", "sand", "path", "lava"))
_KEPT = tuple(CODES[name] for name in ("plant", "ripe plant", "cow"))
"""The creatures that are remembered: two that stay, and one that may be near where it was."""
NEVER = -100 * DAY


class Memory:
    """``ground`` (64, 64) uint8: materials and plants by x and y, 0 where none was seen.
    ``seen`` (64, 64): the step of the last look at each cell. ``cows`` (64, 64) bool: where one
    stood then."""

    def __init__(self) -> None:
        self.x = self.y = HALF
        self.ground = np.zeros((SIZE, SIZE), np.uint8)
        self.seen = np.full((SIZE, SIZE), NEVER, np.int64)
        self.cows = np.zeros((SIZE, SIZE), bool)

    def at(self, x: int, y: int) -> "Memory":
        """What is remembered, of a player that stands there."""
        found = copy(self)
        found.x, found.y = x, y
        return found

    def moved(self, action: int, things: NDArray[np.uint8], asleep: bool, energy: int) -> None:
        """An action was taken in the view ``things``: a step into a free cell changes the place. A
        sleeper acts only when it wakes, which it does when it has its strength again."""
        step = _DIRECTIONS.get(action)
        if step is None or (asleep and energy < MOST):
            return
        if things[WIDE + step[0], HIGH + step[1]] in _ENTERED:
            self.x += step[0]
            self.y += step[1]

    def look(self, ground: NDArray[np.uint8], things: NDArray[np.uint8], step: int) -> None:
        """Remember a view."""
        _remember(ground, things, self.x, self.y, step, _KEPT, self.ground, self.seen, self.cows)


@numba.njit(cache=True)
def _remember(
    shown: Any, things: Any, middle_x: int, middle_y: int, step: int, what: Any,
    ground: Any, seen: Any, cows: Any,
) -> None:  # fmt: skip
    """``shown`` and ``things`` (X, Y): the view around a player. ``what``: see `_KEPT`."""
    width, height = shown.shape
    for column in range(width):
        for row in range(height):
            x, y = middle_x + column - width // 2, middle_y + row - height // 2
            if 0 <= x < ground.shape[0] and 0 <= y < ground.shape[1]:
                thing = things[column, row]
                planted = thing == what[0] or thing == what[1]
                ground[x, y] = thing if planted else shown[column, row]
                seen[x, y] = step
                cows[x, y] = thing == what[2]
