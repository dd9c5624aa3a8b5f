"""The play of a game whose conditions count and whose actions are numbers."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from messages.world import Condition, Interface, RewardTerm, Task, View
from worlds.common.feature_matrix import Columns, FeatureMatrix
from worlds.common.numbered import NumberedActions
from worlds.play import Bools, Counters, Floats, Play, Readings, World, unknown_reward

_SHOWN = ("position", "life", "food", "facing")


class CounterJudge:
    """Watches the counter in a column of the game's array."""

    def __init__(self, column: int, quantity: int) -> None:
        self._column = column
        self._quantity = quantity

    def holds(self, readings: Readings, start: Counters, version: int) -> Bools:
        now, before = readings.counters()[0], start[0]
        return now[:, self._column] - before[:, self._column] >= self._quantity


class Gain:
    """Per one more of a counter than the episode ever had."""

    def __init__(self, column: int, size: int) -> None:
        self._column = column
        self._most = np.zeros(size, np.int64)

    def begin(self, readings: Readings, rows: Bools) -> None:
        self._most[rows] = readings.counters()[0][rows, self._column]

    def pay(self, readings: Readings, active: Bools) -> Floats:
        most = np.maximum(readings.counters()[0][:, self._column], self._most)
        paid = np.where(active, most - self._most, 0).astype(np.float32)
        self._most = np.where(active, most, self._most)
        return paid


class CountedPlay(Play):
    """What is left to a game: its world, its readings (whose ``counters`` are one array, (B,
    counters)), its columns, views, programs and warm-up."""

    title: str
    noop = np.zeros(1, np.int64)
    counter_names: Sequence[str]
    """In the order of the array."""
    action_names: Sequence[str]
    """In the order of their numbers; the first does nothing."""

    @abstractmethod
    def columns(self) -> Mapping[str, Columns]:
        """Features by name, but for those of all games."""

    def check(self, kind: str, task: Task, options: Mapping[str, Any]) -> None:
        """Raises ValueError for a kind of world or an option that the game does not have."""
        if kind not in self.kinds:
            raise ValueError(f"there is no world {kind!r}; there is {', '.join(self.kinds)}")
        if named := {**options, **task.world}:
            raise ValueError(f"the {kind} world has no option {', '.join(named)}")

    def unjailable(self, kind: str) -> str:
        return ""

    def changes(self, before: View, after: View) -> dict[str, str]:
        found = {
            name: f"{old} -> {new}"
            for name in _SHOWN
            if (old := getattr(before, name)) != (new := getattr(after, name))
        }
        for name in self.counter_names:
            old, new = before.inventory.get(name, 0), after.inventory.get(name, 0)
            if old != new:
                found[name] = f"{old} -> {new}"
        return found

    def judge(self, condition: Condition, world: World) -> CounterJudge:
        if condition.kind != "have" or condition.name not in self.counter_names:
            raise ValueError(f"{self.title} has no condition {condition.kind} {condition.name}")
        return CounterJudge(self.counter_names.index(condition.name), condition.quantity)

    def features(
        self, interface: Interface, task: Task, choices: int, world: World
    ) -> FeatureMatrix:
        return FeatureMatrix(interface.observations, self.columns(), choices, world.size)

    def actions(self, names: list[str], world: World) -> NumberedActions:
        return NumberedActions(names, self.action_names)

    def reward(self, term: RewardTerm, world: World) -> Gain:
        if term.kind != "gain":
            raise unknown_reward(term, ["gain"])
        if term.name not in self.counter_names:
            raise ValueError(f"there is no {term.name!r} to be counted")
        return Gain(self.counter_names.index(term.name), world.size)
