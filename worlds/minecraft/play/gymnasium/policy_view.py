"""How an agent of the flat forms meets a play: numbered actions, one array, and a mask of what is
possible."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from voxeldojo.environments.plays import Play, Step
from voxeldojo.tasks.argument_types import is_integer
from voxeldojo.world_interface import Bools, Ints
from worlds.minecraft.play.actions import NOOP, PrimitiveActions
from worlds.minecraft.play.gymnasium.sights import Sight
from worlds.minecraft.play.readings import Readings


class PolicyView:
    """``horizon``: the steps over which the `time` feature grows to 1.

    Raises:
        ValueError: an unknown action, or none; the message lists the actions.
    """

    def __init__(
        self,
        play: Play,
        sight: Callable[[int], Sight],
        actions: Sequence[str],
        horizon: int,
    ) -> None:
        if not is_integer(horizon):
            raise ValueError(f"a horizon is a whole number of steps, not {horizon!r}")
        if horizon < 1:
            raise ValueError(f"a horizon is at least 1 step, not {horizon}")
        world = play.world
        if not actions:
            raise ValueError("an environment needs actions to choose from")
        if twice := sorted({name for name in actions if actions.count(name) > 1}):
            raise ValueError(f"actions need names of their own; twice: {', '.join(twice)}")
        self._actions = PrimitiveActions(list(actions), world)
        self.play = play
        self.sight = sight(len(actions))
        self.action_space = spaces.Discrete(len(actions))
        self._horizon = horizon
        self._readings = Readings(world)
        self._moves = np.tile(NOOP, (world.size, 1))
        self._steps = np.zeros(world.size, np.int64)
        self._previous = np.full(world.size, -1, np.int64)

    def begin(self, rows: Ints, seeds: Ints) -> None:
        self.play.begin(rows, seeds)
        self._steps[rows] = 0
        self._previous[rows] = -1
        begun = np.zeros(self.play.world.size, bool)
        begun[rows] = True
        self._readings.begin(begun)

    def step(self, chosen: Ints, active: Bools) -> Step:
        """The numbered actions (B,) in the active environments. What is impossible does nothing."""
        rows = np.flatnonzero(active)
        self._actions.fill(self._moves, chosen[rows], rows, self._readings)
        step = self.play.step(self._moves, active)
        self._readings.forget(active)
        self._steps[rows] += 1
        self._previous[rows] = chosen[rows]
        return step

    def see(self) -> NDArray[Any]:
        time = (self._steps / self._horizon).astype(np.float32)
        return self.sight.see(self._readings, time, self._previous)

    def mask(self) -> NDArray[np.int8]:
        """(B, actions): 1 where an action can do something."""
        mask = self._actions.mask(self._readings)
        # Where nothing can be done, any choice is allowed and does nothing.
        mask[~mask.any(1)] = True
        return mask.astype(np.int8)
