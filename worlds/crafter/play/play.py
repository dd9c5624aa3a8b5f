"""Crafter, for the env server."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from messages.world import RewardTerm, Task, View
from worlds.common.counted_play import CountedPlay
from worlds.common.feature_matrix import Columns
from worlds.crafter.card import CARD
from worlds.crafter.card.card_parts import COUNTERS
from worlds.crafter.card.crafter_names import ACTIONS
from worlds.crafter.play.crafter_world import CrafterWorld
from worlds.crafter.play.features import COLUMNS
from worlds.crafter.play.readings import Readings
from worlds.crafter.play.runtime import RUNTIME
from worlds.play import Bools, Embedder, Floats, Term

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


class Health:
    """Per point of health that is won, less per one that is lost."""

    def __init__(self, size: int) -> None:
        self._before = np.zeros(size, np.float32)

    def begin(self, readings: Readings, rows: Bools) -> None:
        self._before[rows] = readings.health()[rows]

    def pay(self, readings: Readings, active: Bools) -> Floats:
        now = readings.health()
        paid = np.where(active, now - self._before, 0).astype(np.float32)
        self._before = np.where(active, now, self._before)
        return paid


class Crafter(CountedPlay):
    card = CARD
    programs = RUNTIME
    kinds = ("crafter",)
    counter_names = COUNTERS
    action_names = ACTIONS

    def make_world(self, kind: str, size: int, task: Task, **options: Any) -> CrafterWorld:
        self.check(kind, task, options)
        if task.inventory:
            raise ValueError("an episode of Crafter begins with an empty inventory")
        return CrafterWorld(size)

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
            life=float(sight.health),
            food=float(sight.food),
            inventory={name: n for name, n in zip(COUNTERS, counts, strict=True) if n},
            facing=things.cell(*sight.facing),
            around=around,
            stations=[name for name in ("table", "furnace") if name in around],
        )

    def columns(self) -> Mapping[str, Columns]:
        return COLUMNS

    def reward(self, term: RewardTerm, world: CrafterWorld) -> Term:
        return Health(world.size) if term.kind == "health" else super().reward(term, world)

    def reads_everything(self) -> str:
        return _READS_EVERYTHING

    def own_rewards(self) -> list[RewardTerm]:
        return [*super().own_rewards(), RewardTerm(kind="health", weight=0.1)]


PLAY = Crafter()
