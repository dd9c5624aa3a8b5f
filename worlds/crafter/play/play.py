"""Crafter, for the env server."""

from typing import Any

import numpy as np

from messages.program import Program
from messages.world import Condition, Interface, RewardTerm, Task, View
from worlds.common.feature_matrix import FeatureMatrix
from worlds.crafter.card.game import ALL, COUNTERS, FEATURES
from worlds.crafter.card.names import ACHIEVEMENTS, ACTIONS
from worlds.crafter.play.features import feature_matrix
from worlds.crafter.play.readings import Readings
from worlds.crafter.play.runtime import RUNTIME
from worlds.crafter.play.world import CrafterWorld
from worlds.play import Bools, Counters, Embedder, Floats, Ints, Play, WarmUp, unknown_reward

_READS_EVERYTHING = """
def action(obs):
    seen = (obs.position, obs.facing, obs.health, obs.food, obs.drink, obs.energy, obs.inventory,
            obs.achievements, obs.sleeping, obs.daylight, obs.time, obs.creatures,
            obs.cell(0, 1), obs.cell(9, 9))
    ways = (way_to(obs, ("tree",)), way_onto(obs, [(1, 1)]), way_to_unknown(obs, ("grass",), 9))
    obs = explore(obs)
    obs = gather(obs, ("tree",), "wood", 1, (), 2)
    obs = shelter(obs)
    raise ValueError(f"{obs.position} {seen} {ways}")
"""
_REWARD = "def reward(before, after):\n    return after.health - before.health\n"


class CrafterJudge:
    """Watches a counter."""

    def __init__(self, condition: Condition) -> None:
        if condition.kind != "have" or condition.name not in COUNTERS:
            raise ValueError(f"Crafter has no condition {condition.kind} {condition.name}")
        self._column = COUNTERS.index(condition.name)
        self._quantity = condition.quantity

    def holds(self, readings: Readings, start: Counters, version: int) -> Bools:
        now, before = readings.counters()[0], start[0]
        return now[:, self._column] - before[:, self._column] >= self._quantity


class CrafterActions:
    """The game's own, by their numbers. All are possible always: what cannot be done does
    nothing."""

    def __init__(self, names: list[str]) -> None:
        for name in names:
            if name not in ACTIONS:
                raise ValueError(f"there is no action {name!r}; there are {', '.join(ACTIONS)}")
        self._numbers = np.array([ACTIONS.index(name) for name in names], np.int64)

    def mask(self, readings: Readings) -> Bools:
        return np.ones((readings.world.size, len(self._numbers)), bool)

    def fill(self, out: Ints, chosen: Ints, rows: Ints, readings: Readings) -> None:
        out[rows, 0] = self._numbers[chosen]


class Gain:
    """Per one more of a counter than the episode ever had."""

    def __init__(self, name: str, size: int) -> None:
        if name not in COUNTERS:
            raise ValueError(f"there is no {name!r} to be counted")
        self._column = COUNTERS.index(name)
        self._most = np.zeros(size, np.int64)

    def begin(self, readings: Readings, rows: Bools) -> None:
        self._most[rows] = readings.counters()[0][rows, self._column]

    def pay(self, readings: Readings, active: Bools) -> Floats:
        most = np.maximum(readings.counters()[0][:, self._column], self._most)
        paid = np.where(active, most - self._most, 0).astype(np.float32)
        self._most = np.where(active, most, self._most)
        return paid


class Crafter(Play):
    noop = np.zeros(1, np.int64)
    programs = RUNTIME
    kinds = ("crafter",)

    def make_world(self, kind: str, size: int, task: Task, **options: Any) -> CrafterWorld:
        if kind not in self.kinds:
            raise ValueError(f"there is no world {kind!r}; there is crafter")
        if options or task.world:
            raise ValueError(
                f"the crafter world has no option {', '.join({**options, **task.world})}"
            )
        if task.inventory:
            raise ValueError("an episode of Crafter begins with an empty inventory")
        return CrafterWorld(size)

    def unjailable(self, kind: str) -> str:
        return ""

    def readings(self, world: CrafterWorld, embedder: Embedder | None = None) -> Readings:
        return Readings(world, embedder)

    def view(self, readings: Readings, environment: int) -> View:
        sight = readings.world.sight(environment)
        counts = readings.counters()[0][environment].tolist()
        around: dict[str, int] = {}
        things = RUNTIME.observation(RUNTIME.observe(readings, frozenset()), environment, 0)
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if dx or dy:
                    thing = things.cell(dx, dy)
                    around[thing] = around.get(thing, 0) + 1
        return View(
            position=(float(sight.position[0]), 0.0, float(sight.position[1])),
            yaw=0.0,
            pitch=0.0,
            life=float(sight.health),
            food=float(sight.food),
            inventory={name: n for name, n in zip(COUNTERS, counts, strict=True) if n},
            facing=things.cell(*sight.facing),
            around=around,
            stations=[name for name in ("table", "furnace") if name in around],
        )

    def changes(self, before: View, after: View) -> dict[str, str]:
        found = {
            name: f"{old} -> {new}"
            for name in ("position", "life", "food", "facing")
            if (old := getattr(before, name)) != (new := getattr(after, name))
        }
        for name in COUNTERS:
            old, new = before.inventory.get(name, 0), after.inventory.get(name, 0)
            if old != new:
                found[name] = f"{old} -> {new}"
        return found

    def judge(self, condition: Condition, world: CrafterWorld) -> CrafterJudge:
        return CrafterJudge(condition)

    def features(
        self, interface: Interface, task: Task, choices: int, world: CrafterWorld
    ) -> FeatureMatrix:
        return feature_matrix(interface.observations, choices, world.size)

    def actions(self, names: list[str], world: CrafterWorld) -> CrafterActions:
        return CrafterActions(names)

    def reward(self, term: RewardTerm, world: CrafterWorld) -> Gain:
        if term.kind != "gain":
            raise unknown_reward(term, ["gain"])
        return Gain(term.name, world.size)

    def warm_up(self) -> WarmUp:
        success = Condition(kind="have", name=ALL, quantity=len(ACHIEVEMENTS))
        return WarmUp(
            task=Task(id="warm", prompt="", game="crafter", success=success),
            interface=Interface(
                observations=list(FEATURES),
                actions=list(ACTIONS),
                macros=[Program(name="macro", source=_READS_EVERYTHING, max_steps=8)],
                rewards=[
                    RewardTerm(kind="code", weight=1.0, source=_REWARD),
                    RewardTerm(kind="gain", weight=1.0, name="wood"),
                ],
                success=success,
                horizon=50,
            ),
            conditions=(Condition(kind="have", name="wood"),),
            program=_READS_EVERYTHING,
            reward=_REWARD,
        )


PLAY = Crafter()
