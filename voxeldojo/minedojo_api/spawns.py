"""The mobs and ores that MineDojo's tasks place near the player by commands: mobs at a reset, mobs
and ores at a rate.

The places are drawn from the same random numbers as in the real package, so that a task with a seed
places the same mobs in both.
"""

from typing import Any

import numpy as np

from voxeldojo.engine.scene.box import Box
from voxeldojo.game import Game
from voxeldojo.tasks import MOBS, WorldSettings


class Spawns:
    """Commands for the initial mobs, and for the spawns of a ``spawn_rate`` in a step."""

    def __init__(self, settings: WorldSettings) -> None:
        mobs, extra = settings.initial_mobs, settings.extra
        self._mobs = list(mobs.mobs) if mobs is not None else []
        if mobs is not None:
            self._box = Box(mobs.low, mobs.high, len(self._mobs), settings.seed)
        self._rates = dict(extra.rates) if extra is not None else {}
        if extra is not None:
            self._extra_box = Box(extra.low, extra.high, len(self._rates), settings.seed)
            self._chance = np.random.default_rng(settings.seed)
        self._height, self._light = 0.0, 0.0

    def initial(self) -> bool:
        return bool(self._mobs)

    def initial_commands(self) -> list[str]:
        places = self._box.sample().tolist()
        return [_summon(mob, place) for mob, place in zip(self._mobs, places, strict=True)]

    def note(self, game: Game) -> None:
        """Record the player's height and light after a tick, which decide what can spawn next."""
        if self._rates:
            self._height, self._light = float(game.player["y"]), game.light()

    def commands(self) -> list[str]:
        """The spawn commands before a tick of the task: each rate is drawn once, and each spawn
        takes a tick."""
        if not self._rates:
            return []
        found = []
        places = self._extra_box.sample().tolist()
        for (name, rate), place in zip(self._rates.items(), places, strict=True):
            if self._chance.random() <= rate and allowed(name, self._height, self._light):
                mob = name in MOBS.spawned.mobs
                found.append(_summon(name, place) if mob else _set(name, place))
        return found


def allowed(name: str, height: float, light: float) -> bool:
    """Whether something can be spawned at the player's height (y in metres) and light (0..15)."""
    conditions = MOBS.spawn_conditions
    return (
        height <= conditions["height_at_most"].get(name, np.inf)
        and height >= conditions["height_at_least"].get(name, -np.inf)
        and light <= conditions["light_at_most"].get(name, np.inf)
        and light >= conditions["light_at_least"].get(name, -np.inf)
    )


def _summon(mob: str, place: Any) -> str:
    x, y, z = (int(value) for value in place)
    return f"/summon {mob} ~{x} ~{y} ~{z}"


def _set(block: str, place: Any) -> str:
    x, y, z = (int(value) for value in place)
    return f"/setblock ~{x} ~{y} ~{z} {block}"
