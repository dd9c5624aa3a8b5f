"""What a player sees of its game at one step: the picture's content, and what it remembers."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from worlds.crafter.card.crafter_names import HIGH, MATERIALS, THINGS, VITALS, WIDE
from worlds.crafter.play.package_game import Game
from worlds.crafter.play.remembered_ground import HALF, Memory

_CREATURES = len(MATERIALS)


class Creature(NamedTuple):
    """What lives, or flies, in view; offsets in cells from the player."""

    name: str
    dx: int
    dy: int


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """One step. ``things`` (9, 7) uint8: codes of what each cell of the view shows, by x and y.
    ``memory`` goes on to grow with the episode."""

    things: NDArray[np.uint8]
    position: tuple[int, int]
    facing: tuple[int, int]
    health: int
    food: int
    drink: int
    energy: int
    inventory: Mapping[str, int]
    achievements: Mapping[str, int]
    sleeping: bool
    daylight: float
    time: int
    creatures: tuple[Creature, ...]
    memory: Memory


def sight_of(game: Game, memory: Memory) -> Sight:
    """What ``game`` shows now, which ``memory`` then holds, too."""
    ground, things = game.view()
    memory.look(ground, things, game.steps)
    player = game.player
    held = player.inventory
    found = [
        Creature(THINGS[things[x, y]], int(x) - WIDE, int(y) - HIGH)
        for x, y in zip(*np.nonzero(things >= _CREATURES), strict=True)
    ]
    return Sight(
        things=things,
        position=(memory.x - HALF, memory.y - HALF),
        facing=(int(player.facing[0]), int(player.facing[1])),
        **{name: int(held[name]) for name in VITALS},
        inventory=MappingProxyType({n: q for n, q in held.items() if q and n not in VITALS}),
        achievements=MappingProxyType({n: q for n, q in player.achievements.items() if q}),
        sleeping=bool(player.sleeping),
        daylight=game.daylight,
        time=game.steps,
        creatures=tuple(sorted(found, key=lambda each: abs(each.dx) + abs(each.dy))),
        memory=memory,
    )
