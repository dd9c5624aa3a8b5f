"""Going to structures far away, such as a village or a monument. Their places are computed from the
world's seed, as the game's /locate does."""

import math

import numpy as np

from voxeldojo.demonstrations.fighting import look_after
from voxeldojo.demonstrations.gathering import wander
from voxeldojo.demonstrations.going import go
from voxeldojo.demonstrations.obtaining import Obtaining
from voxeldojo.demonstrations.player import Cell, GaveUp, OutOfSteps, Player
from voxeldojo.engine.structures.catalogue import KIND_IDS
from voxeldojo.engine.structures.places import nearest
from voxeldojo.obtainable.derivations import Rule

NEAR = 24.0  # metres from its origin, at which the player has arrived
LEG = 40.0  # metres of way between two checks of the player's needs and of the time of the day
LEGS = 150
DETOURS = 6  # to other ground, after no way was found


def travel(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Go to the nearest ``place:KIND``. Does nothing for a place that is no structure, such as the
    dark.

    Raises:
        GaveUp: there is none near, or no way to it.
    """
    name = rule.gives.removeprefix("place:")
    kinds = [kind for kind in KIND_IDS if kind == name or kind.startswith(f"{name}_")]
    if not kinds:
        return
    player = obtaining.player
    place = nearest_of(player, kinds)
    if place is None:
        raise GaveUp(f"there is no {name} within some kilometres")
    detours = 0
    for _ in range(LEGS):
        left = _away(player.feet, place)
        if left < NEAR:
            return
        look_after(player)
        try:
            go(player, lambda cell, left=left: _away(cell, place) < max(NEAR, left - LEG), place)
        except OutOfSteps:
            raise
        except GaveUp:
            detours += 1
            if detours > DETOURS:
                raise
            wander(player)
    raise GaveUp(f"the {name} was not reached")


def nearest_of(player: Player, kinds: list[str]) -> Cell | None:
    """The origin of the nearest structure of these kinds, in the player's dimension."""
    world = player.world
    settings, body = world.state.settings[0], player.body
    x, _, z = player.feet
    dimension = player.land
    found: list[Cell] = []
    for kind in kinds:
        number = KIND_IDS[kind]
        if int(world.rules.structure[number]["dimension"]) != dimension:
            continue
        there, *place = nearest(
            world.rules, int(settings["biome"]), int(settings["generator"]),
            np.uint64(body["seed"]), number, x, z,
        )  # fmt: skip
        if there:
            found.append((int(place[0]), int(place[1]), int(place[2])))
    return min(found, key=lambda place: _away((x, 0, z), place), default=None)


def _away(cell: Cell, place: Cell) -> float:
    return math.hypot(cell[0] - place[0], cell[2] - place[2])
