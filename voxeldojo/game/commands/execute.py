"""``execute``: a command as another entity, at its place."""

import math
from collections.abc import Callable

from voxeldojo.game.commands.meanings import BLOCK_IDS, block, coordinate, metadata
from voxeldojo.game.commands.selectors import select
from voxeldojo.game.commands.source import Entity, NotDone, Place, Source
from voxeldojo.game.single_world import SingleWorld

Obey = Callable[[SingleWorld, Source, list[str]], None]
USAGE = "it needs @p X Y Z [detect X Y Z BLOCK METADATA] COMMAND"
ANY = ("-1", "*")
BLOCK_NAMES = {number: name for name, number in BLOCK_IDS.items()}


def execute(obey: Obey, game: SingleWorld, source: Source, words: list[str]) -> None:
    """The command `/execute`. It succeeds if the command succeeds for one of the entities. ``obey``
    runs the command."""
    if len(words) < 5:
        raise NotDone(USAGE)
    detects = words[4] == "detect" and len(words) > 10
    command = words[10:] if detects else words[4:]
    failed: list[NotDone] = []
    entities = select(game, source, words[0])
    for entity in entities:
        x, y, z = (coordinate(word, at) for word, at in zip(words[1:4], entity.place, strict=True))
        try:
            if detects:
                _detect(game, entity, (x, y, z), words[5:10])
            obey(game, source.acting_as(entity, (x, y, z)), command)
        except NotDone as reason:
            failed.append(reason)
    if len(failed) == len(entities):
        raise failed[0]


def _detect(game: SingleWorld, entity: Entity, place: Place, words: list[str]) -> None:
    """Raises NotDone: the block is another one, or outside the window."""
    x, y, z = (math.floor(coordinate(word, at)) for word, at in zip(words[:3], place, strict=True))
    wanted = block(words[3])
    variant = None if words[4] in ANY else metadata(words[4])
    there = game.block_at(x, y, z)
    if there is None:
        raise NotDone(f"failed to detect as {entity.name}: {x} {y} {z} is not loaded")
    if there[0] != wanted or variant not in (None, there[1]):
        raise NotDone(
            f"failed to detect as {entity.name}: at {x} {y} {z} is {BLOCK_NAMES[there[0]]}"
            f" {there[1]}"
        )
