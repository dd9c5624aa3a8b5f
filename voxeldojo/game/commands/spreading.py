"""``spreadplayers``: moves entities to random places on the ground around a point."""

import math

from voxeldojo.game.commands.meanings import coordinate, number, yes_or_no
from voxeldojo.game.commands.selectors import select
from voxeldojo.game.commands.source import Entity, NotDone, Source
from voxeldojo.game.single_world import SingleWorld

TRIES = 24
WORK = 1000  # of one try, which may move the window with the player


def spreadplayers(game: SingleWorld, source: Source, words: list[str]) -> None:
    """Each entity is placed on top of a random column of the square, not on liquid or fire, and at
    least the distance from the others. There is one player, so teams make no difference."""
    if len(words) < 6:
        raise NotDone("it needs X Z DISTANCE RANGE RESPECT_TEAMS @p")
    x, _, z = (math.floor(value) for value in source.place)
    centre = coordinate(words[0], x, 0.5), coordinate(words[1], z, 0.5)
    apart = number(words[2], 0.0)
    reach = number(words[3], apart + 1.0)
    yes_or_no(words[4])
    taken: list[tuple[float, float]] = []
    for entity in [entity for word in words[5:] for entity in select(game, source, word)]:
        taken.append(_put(game, source, entity, centre, reach, [*taken], apart))


def _put(
    game: SingleWorld,
    source: Source,
    entity: Entity,
    centre: tuple[float, float],
    reach: float,
    taken: list[tuple[float, float]],
    apart: float,
) -> tuple[float, float]:
    before = [float(game.player[axis]) for axis in "xyz"]
    for _ in range(TRIES):
        source.spend(WORK)
        dx, dz = (game.chance.random(2) * 2.0 - 1.0) * reach
        place = centre[0] + dx, centre[1] + dz
        if any(math.dist(place, other) < apart for other in taken):
            continue
        x, z = math.floor(place[0]), math.floor(place[1])
        if entity.kind == "player":
            if game.stand_on_top(x, z):
                return place
        elif game.holds(x, z) and (top := game.top_of(x, z)) is not None:
            game.move_entity(entity.kind, entity.number, x + 0.5, top, z + 0.5)
            return place
    if entity.kind == "player":
        game.move_to(*before)
    raise NotDone(f"there is no place for {entity.name} around {centre[0]:g} {centre[1]:g}")
