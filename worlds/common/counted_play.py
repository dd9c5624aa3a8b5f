"""The play of a game whose conditions count and whose actions are numbers."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from messages.program import Program
from messages.world import Condition, Interface, RewardTerm, Task, View
from worlds.card import Card
from worlds.common.feature_matrix import OF_ALL_GAMES, Columns, FeatureMatrix
from worlds.common.numbered_actions import NumberedActions
from worlds.common.pictures import picture_size
from worlds.play import (
    Bools,
    Counters,
    Embedder,
    Floats,
    Play,
    Readings,
    WarmUp,
    World,
    unknown_reward,
)

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


class CountedReadings(Readings):
    """The readings of a world that has ``counts`` (B, counters) and ``alive`` (B,)."""

    def warm(self) -> None:
        """There is nothing that would be read late."""

    def alive(self) -> Bools:
        return self.world.alive

    def counters(self) -> Counters:
        return (self.world.counts,)


class CountedPlay(Play):
    """What is left to a game: its world, its columns, its programs, and what else it has. The
    ``counters`` of its readings are one array (B, counters)."""

    card: Card
    noop = np.zeros(1, np.int64)
    counter_names: Sequence[str]
    """The names of the counters, in the order of the array."""
    action_names: Sequence[str]
    """The names of the actions, in the order of their numbers; the first does nothing."""

    @abstractmethod
    def columns(self) -> Mapping[str, Columns]:
        """Features by name, but for those of all games."""

    def problem(self) -> str:
        """Features that do not fit those of the card: a policy would be sent what the card does
        not describe, or nothing."""
        columns = self.columns()
        if taken := [name for name in columns if name in OF_ALL_GAMES or picture_size(name)]:
            return f"its columns have {taken[0]!r}, which every game has: give it another name"
        sizes = {**OF_ALL_GAMES, **{name: each.size for name, each in columns.items()}}
        for name, feature in self.card.specs.features.items():
            size = picture_size(name) or sizes.get(name)
            if size is None:
                return f"its card has the feature {name!r}, which its columns have not"
            if size != feature.size:
                return f"the feature {name!r} has {size} columns, and {feature.size} in its card"
        return ""

    def check(self, kind: str, task: Task, options: Mapping[str, Any]) -> None:
        """Raises ValueError for a kind of world or an option that the game does not have."""
        if kind not in self.kinds:
            raise ValueError(f"there is no world {kind!r}; there is {', '.join(self.kinds)}")
        if named := {**options, **task.world}:
            raise ValueError(f"the {kind} world has no option {', '.join(named)}")

    def readings(self, world: Any, embedder: Embedder | None = None) -> Readings:
        return CountedReadings(world, embedder)

    def view(self, readings: Any, environment: int) -> View:
        counts = readings.counters()[0][environment].tolist()
        held = {name: n for name, n in zip(self.counter_names, counts, strict=True) if n}
        life = float(readings.alive()[environment])
        return View(inventory=held, facing=self.facing(readings, environment), life=life)

    def facing(self, readings: Any, environment: int) -> str:
        """What the player of an environment stands before."""
        return ""

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
            raise ValueError(
                f"{self.card.title} has no condition {condition.kind} {condition.name}"
            )
        if condition.quantity < 1:
            raise ValueError(f"a condition's quantity is at least 1, not {condition.quantity}")
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
            raise ValueError(f"there is no counter {term.name!r}")
        return Gain(self.counter_names.index(term.name), world.size)

    def reads_everything(self) -> str:
        """A program that reads every field and fails; a game with more overrides it."""
        act = next(iter(self.card.language.codes))
        fields = " ".join(f"{{obs.{name}}}" for name in sorted(self.card.language.fields))
        return f'def action(obs):\n    obs = {act}()\n    raise ValueError(f"{fields}")\n'

    def own_rewards(self) -> list[RewardTerm]:
        """A term of each kind that is the game's own."""
        return [RewardTerm(kind="gain", weight=1.0, name=self.counter_names[0])]

    def warm_up(self) -> WarmUp:
        never = Condition(kind="have", name=self.counter_names[0], quantity=1_000_000)
        source = self.reads_everything()
        field = min(self.card.language.fields)
        paid = f"def reward(before, after):\n    return len(str(after.{field}))\n"
        return WarmUp(
            task=Task(id="warm", prompt="", game=self.card.name, success=never),
            interface=Interface(
                observations=list(self.card.specs.features),
                actions=list(self.action_names),
                macros=[Program(name="macro", source=source, max_steps=8)],
                rewards=[RewardTerm(kind="code", weight=1.0, source=paid), *self.own_rewards()],
                success=never,
                horizon=50,
            ),
            conditions=(never,),
            program=source,
            reward=paid,
        )
