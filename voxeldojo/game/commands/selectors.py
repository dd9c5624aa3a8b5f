"""Finds the entities that a command names: a player's name, or @p, @a, @r, @e with arguments."""

import math
import re

from voxeldojo.game.commands.meanings import coordinate, number
from voxeldojo.game.commands.source import Entity, NotDone, Place, Source
from voxeldojo.game.single_world import SingleWorld
from voxeldojo.names import near
from voxeldojo.rules.mobs import MOB_IDS

SELECTOR = re.compile(r"@([pare])(?:\[([^\[\]]*)\])?")
NAME = re.compile(r"MineDojoAgent\d+")
MOB_NAMES = {kind: name for name, kind in MOB_IDS.items()}
TYPES = ("player", "item", *MOB_IDS)
ARGUMENTS = ("type", "name", "c", "r", "rm", "x", "y", "z", "dx", "dy", "dz")


def select(game: SingleWorld, source: Source, word: str) -> list[Entity]:
    """The entities that a selector matches, at least one.

    Raises:
        NotDone: it is no selector, or it matches none.
    """
    if NAME.fullmatch(word):
        return [player_of(game)]
    if word == "@s":  # from later versions of the game, but widely used
        return [source.entity]
    found = SELECTOR.fullmatch(word)
    if found is None:
        raise NotDone(f"there is no {word[:40]}")
    matched = _matched(game, source, found[1], _arguments(found[2] or ""))
    if not matched:
        raise NotDone(f"the selector {word[:60]} found nothing")
    return matched


def select_player(game: SingleWorld, source: Source, word: str | None) -> None:
    """Raises NotDone: the player is not among the entities that a selector matches. Without a word
    the command is for the entity that gives it."""
    if word is None:
        if source.entity.kind != "player":
            raise NotDone("it must name the player, as a mob gives the command")
    elif all(entity.kind != "player" for entity in select(game, source, word)):
        raise NotDone(f"{word[:60]} is no player")


def means_player(word: str) -> bool:
    """Whether a word is a selector or a player's name."""
    return word.startswith("@") or NAME.fullmatch(word) is not None


def player_of(game: SingleWorld) -> Entity:
    player = game.player
    return Entity("player", 0, (float(player["x"]), float(player["y"]), float(player["z"])))


def _arguments(text: str) -> dict[str, str]:
    given = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if name not in ARGUMENTS or not equals:
            raise NotDone(f"a selector takes {', '.join(ARGUMENTS)}, not {part[:40]}")
        given[name] = value
    return given


def _matched(game: SingleWorld, source: Source, letter: str, given: dict[str, str]) -> list[Entity]:
    players_only = letter in "pa" or (letter == "r" and "type" not in given)
    found = [player_of(game)] if game.player["life"] > 0.0 else []
    if not players_only:
        found += _mobs(game) + _items(game)
    source.spend(len(found))
    if "type" in given:
        found = _of_type(found, given["type"])
    if "name" in given:
        unlike = given["name"].startswith("!")
        name = given["name"].removeprefix("!")
        found = [entity for entity in found if (entity.name == name) != unlike]
    x, y, z = (
        coordinate(given[axis], 0.0) if axis in given else at
        for axis, at in zip("xyz", source.place, strict=True)
    )
    origin = math.floor(x), math.floor(y), math.floor(z)
    if any(axis in given for axis in ("dx", "dy", "dz")):
        sizes = [coordinate(given.get(axis, "0"), 0.0) for axis in ("dx", "dy", "dz")]
        found = [entity for entity in found if _inside(entity.place, origin, sizes)]
    middle = tuple(value + 0.5 for value in origin)
    least = number(given["rm"], 0.0) if "rm" in given else 0.0
    most = number(given["r"], 0.0) if "r" in given else math.inf
    found = [e for e in found if least <= math.dist(e.place, middle) <= most]
    return _limited(game, found, letter, given, source.place)


def _of_type(found: list[Entity], asked: str) -> list[Entity]:
    unlike = asked.startswith("!")
    kind = asked.removeprefix("!").removeprefix("minecraft:").lower()
    if kind not in TYPES:
        raise NotDone(f"there is no mob {kind[:40]}{near(kind, list(TYPES))}")
    return [entity for entity in found if (entity.kind == kind) != unlike]


def _limited(
    game: SingleWorld, found: list[Entity], letter: str, given: dict[str, str], place: Place
) -> list[Entity]:
    """The first ``c`` of them: the nearest, for ``@r`` random ones, with a negative ``c`` the
    farthest."""
    wanted = given.get("c", "1" if letter in "pr" else "")
    if not wanted:
        return found
    if re.fullmatch(r"-?[1-9]\d{0,3}", wanted) is None:
        raise NotDone(f"c is a number of entities, not {wanted[:20]}")
    if letter == "r":
        order = game.chance.permutation(len(found))
        return [found[n] for n in order[: abs(int(wanted))]]
    found = sorted(found, key=lambda entity: math.dist(entity.place, place))
    return (found[::-1] if wanted.startswith("-") else found)[: abs(int(wanted))]


def _inside(place: Place, origin: tuple[int, ...], sizes: list[float]) -> bool:
    """Whether a place is in a box, which includes the whole of its last block."""
    return all(
        low + min(0.0, size) <= at < low + max(0.0, size) + 1.0
        for at, low, size in zip(place, origin, sizes, strict=True)
    )


def _mobs(game: SingleWorld) -> list[Entity]:
    rows = game.world.state.mobs[0][: int(game.player["mobs"])]
    return [
        Entity(MOB_NAMES[int(row["kind"])], n, (float(row["x"]), float(row["y"]), float(row["z"])))
        for n, row in enumerate(rows)
        if row["kind"]
    ]


def _items(game: SingleWorld) -> list[Entity]:
    return [
        Entity("item", n, (float(row["x"]), float(row["y"]), float(row["z"])))
        for n, row in enumerate(game.world.state.drops[0])
        if row["count"]
    ]
