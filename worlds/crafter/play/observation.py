"""What a program sees: the sight of one environment at one step, read-only."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from worlds.common.numbered_actions import Shown
from worlds.crafter.card.crafter_names import HIGH, SIZE, THINGS, WIDE
from worlds.crafter.play import routes
from worlds.crafter.play.package_game import CODES
from worlds.crafter.play.remembered_ground import HALF, Memory
from worlds.crafter.play.sight import Creature, Sight

_FAR = 2 * SIZE  # offsets that a program may ask for
_MOST = 64  # cells or names that one call takes


class Way(NamedTuple):
    """The direction of its first step, its cost in steps, and where it leads, counted from the
    start."""

    dx: int
    dy: int
    cost: int
    x: int
    y: int


class Observation:
    """One environment at one step."""

    __slots__ = ("_sight", "steps")

    def __init__(self, seen: Shown, environment: int, steps: int) -> None:
        self._sight: Sight = seen.readings.world.sight(environment)
        self.steps = steps

    @property
    def position(self) -> tuple[int, int]:
        return self._sight.position

    @property
    def facing(self) -> tuple[int, int]:
        return self._sight.facing

    @property
    def health(self) -> int:
        return self._sight.health

    @property
    def food(self) -> int:
        return self._sight.food

    @property
    def drink(self) -> int:
        return self._sight.drink

    @property
    def energy(self) -> int:
        return self._sight.energy

    @property
    def inventory(self) -> Mapping[str, int]:
        return self._sight.inventory

    @property
    def achievements(self) -> Mapping[str, int]:
        return self._sight.achievements

    @property
    def sleeping(self) -> bool:
        return self._sight.sleeping

    @property
    def daylight(self) -> float:
        return self._sight.daylight

    @property
    def time(self) -> int:
        return self._sight.time

    @property
    def creatures(self) -> tuple[Creature, ...]:
        return self._sight.creatures

    def cell(self, dx: Any, dy: Any) -> str:
        """What is there, or was when it was in view."""
        if type(dx) is not int or type(dy) is not int or abs(dx) > _FAR or abs(dy) > _FAR:
            raise ValueError(f"cell takes two whole numbers of -{_FAR} to {_FAR}")
        if abs(dx) <= WIDE and abs(dy) <= HIGH:
            return THINGS[self._sight.things[dx + WIDE, dy + HIGH]]
        x, y = self._sight.position[0] + dx + HALF, self._sight.position[1] + dy + HALF
        if 0 <= x < SIZE and 0 <= y < SIZE:
            return THINGS[self._sight.memory.ground[x, y]]
        return "void"

    def __repr__(self) -> str:
        return f"<observation at step {self.steps}>"


def way_to(obs: Any, things: Any) -> Way | None:
    """The way to stand beside the nearest of these things."""
    sight, codes = _sight(obs, "way_to"), _codes("way_to", things)
    memory = _memory(sight)
    goal = _shows(memory.ground, codes)
    for creature in sight.creatures:
        if creature.name in things:
            goal[memory.x + creature.dx, memory.y + creature.dy] = True
    if "cow" in things:
        goal |= memory.cows
    return _way(sight, goal, routes.STAND_BESIDE)


def way_onto(obs: Any, cells: Any) -> Way | None:
    """The way to stand on one of these cells, which count from the start."""
    sight = _sight(obs, "way_onto")
    goal = np.zeros((SIZE, SIZE), bool)
    for cell in _few("way_onto", cells):
        if type(cell) is not tuple or [type(at) for at in cell] != [int, int]:
            raise TypeError("way_onto takes a list of cells: way_onto(obs, [(3, -1)])")
        x, y = cell[0] + HALF, cell[1] + HALF
        if 0 <= x < SIZE and 0 <= y < SIZE:
            goal[x, y] = True
    return _way(sight, goal, routes.STAND_ON)


def way_to_unknown(obs: Any, near: Any = (), stale: Any = 0, least: Any = 3) -> Way | None:
    """The way to where something new comes into view."""
    sight, codes = _sight(obs, "way_to_unknown"), _codes("way_to_unknown", near)
    if type(stale) is not int or type(least) is not int or not 1 <= least <= 63:
        raise ValueError("way_to_unknown takes whole numbers, and least is 1 to 63")
    memory = sight.memory
    goal = memory.ground == CODES["unknown"]
    if codes:
        ground = _shows(memory.ground, codes)
        goal &= routes.near(ground)
        if stale > 0:
            goal |= ground & (memory.seen < sight.time - stale)
    way = _way(sight, goal, routes.LOOK_AT, least)
    return way if way is not None and way.cost else None


def _way(sight: Sight, goal: Any, how: int, least: int = 1) -> Way | None:
    memory = _memory(sight)
    cost = routes.costs(memory, sight.inventory, sight.creatures, sight.time)
    found = routes.find(cost, goal, memory, how, least)
    return None if found is None else Way(*found)


def _shows(ground: NDArray[np.uint8], codes: list[int]) -> NDArray[np.bool_]:
    """Where one of the things is. By a table, as `np.isin` takes several times as long."""
    wanted = np.zeros(len(THINGS), bool)
    wanted[codes] = True
    return wanted[ground]


def _memory(sight: Sight) -> Memory:
    """With the place of the sight itself, to which its creatures are relative: the memory that it
    holds goes on with the player, and a program may ask for ways from an earlier observation."""
    x, y = sight.position
    return sight.memory.at(x + HALF, y + HALF)


def _sight(obs: Any, name: str) -> Sight:
    if type(obs) is not Observation:
        raise TypeError(f"{name} takes an observation first")
    return obs._sight


def _few(name: str, values: Any) -> Sequence[Any]:
    if type(values) not in (list, tuple):
        raise TypeError(f"{name} takes a list or a tuple, not {type(values).__name__}")
    if len(values) > _MOST:
        raise ValueError(f"{name} takes at most {_MOST} at once")
    return values


def _codes(name: str, things: Any) -> list[int]:
    for thing in _few(name, things):
        if type(thing) is not str or thing not in CODES:
            raise ValueError(f"there is nothing called {thing!s:.40}; see obs.cell")
    return [CODES[thing] for thing in things]
