"""Commands about the player and the mobs: they create, remove, move and affect them."""

import math
import re

from voxeldojo.engine.body import effects
from voxeldojo.engine.body.effects import clear_effects, give_effect
from voxeldojo.engine.state import HEIGHT
from voxeldojo.game.commands.blocks import OUTSIDE
from voxeldojo.game.commands.meanings import coordinate, count
from voxeldojo.game.commands.selectors import means_player, select, select_player
from voxeldojo.game.commands.source import Entity, NotDone, Source
from voxeldojo.game.single_world import SingleWorld
from voxeldojo.names import near
from voxeldojo.rules.mobs import MOB_IDS

MIDDLES = (0.5, 0.0, 0.5)
LOWEST, HIGHEST = 0.0, 256.0
EFFECTS = {  # those that this engine has
    "regeneration": effects.REGENERATION,
    "poison": effects.POISON,
    "wither": effects.WITHER,
    "hunger": effects.HUNGER,
    "absorption": effects.ABSORPTION,
    "resistance": effects.RESISTANCE,
    "fire_resistance": effects.FIRE_RESISTANCE,
    "water_breathing": effects.WATER_BREATHING,
    "night_vision": effects.NIGHT_VISION,
}
EFFECT_SECONDS, STRONGEST = 30, 7


def summon(game: SingleWorld, source: Source, words: list[str]) -> None:
    if not words:
        raise NotDone("it needs a mob and X Y Z")
    name = words[0].removeprefix("minecraft:").lower()
    if name not in MOB_IDS:
        raise NotDone(f"there is no mob {name[:40]}{near(name, list(MOB_IDS))}")
    place = list(source.place)
    if len(words) >= 4:
        given = zip(words[1:4], place, MIDDLES, strict=True)
        place = [coordinate(word, at, middle) for word, at, middle in given]
    if game.place_mob(MOB_IDS[name], *place) < 0:
        raise NotDone("there is no room for more mobs, or the place is too far away")


def kill(game: SingleWorld, source: Source, words: list[str]) -> None:
    """Mobs that it kills do not count as killed by the player."""
    if not words:
        select_player(game, source, None)
        game.kill()
        return
    for entity in select(game, source, words[0]):
        if entity.kind == "player":
            game.kill()
        else:
            game.remove_entity(entity.kind, entity.number)


def tp(game: SingleWorld, source: Source, words: list[str]) -> None:
    """Coordinates are relative to the entity that moves, not to the one that gives the command."""
    named = bool(words) and means_player(words[0])
    rest = words[1:] if named else words
    if len(rest) not in (3, 5):
        raise NotDone("it needs [@p] X Y Z [YAW PITCH]")
    if not named:
        select_player(game, source, None)
    for entity in select(game, source, words[0]) if named else [source.entity]:
        _move(game, entity, rest)


def _move(game: SingleWorld, entity: Entity, words: list[str]) -> None:
    given = zip(words[:3], entity.place, MIDDLES, strict=True)
    x, y, z = (coordinate(word, at, middle) for word, at, middle in given)
    _check_height(y)
    now = float(game.player["yaw"]), float(game.player["pitch"])
    turned = [coordinate(word, at) for word, at in zip(words[3:], now, strict=False)]
    if entity.kind == "player":
        game.move_to(x, y, z)
        if turned:
            game.turn_to(*turned)
    elif not game.holds(math.floor(x), math.floor(z)) or y >= HEIGHT:
        raise NotDone(OUTSIDE)
    else:
        game.move_entity(entity.kind, entity.number, x, y, z)


def _check_height(y: float) -> None:
    if not LOWEST <= y < HIGHEST:
        raise NotDone(f"y is from 0 to {int(HIGHEST) - 1}")


def xp(game: SingleWorld, source: Source, words: list[str]) -> None:
    if not words or re.fullmatch(r"-?\d{1,9}", words[0]) is None:
        raise NotDone("it needs a number of points")
    select_player(game, source, words[1] if len(words) > 1 else None)
    game.player["xp"] = max(0.0, float(game.player["xp"]) + int(words[0]))


def spawnpoint(game: SingleWorld, source: Source, words: list[str]) -> None:
    named = bool(words) and means_player(words[0])
    rest = words[1:] if named else words
    if rest and len(rest) != 3:
        raise NotDone("it needs [@p [X Y Z]]")
    select_player(game, source, words[0] if named else None)
    given = zip(rest or ("~", "~", "~"), source.place, strict=True)
    place = [coordinate(word, at) for word, at in given]
    _check_height(place[1])
    for axis, value in zip("xyz", place, strict=True):
        game.player[f"spawn_{axis}"] = value


def effect(game: SingleWorld, source: Source, words: list[str]) -> None:
    if len(words) < 2:
        raise NotDone("it needs @p EFFECT [SECONDS [STRENGTH]], or @p clear")
    select_player(game, source, words[0])
    state = game.world.state
    if words[1] == "clear":
        clear_effects(state, 0)
        return
    name = words[1].removeprefix("minecraft:")
    if name not in EFFECTS:
        raise NotDone(f"there is no effect {name[:40]}{near(name, list(EFFECTS))}")
    seconds = count(words[2]) if len(words) > 2 else EFFECT_SECONDS
    strength = count(words[3]) if len(words) > 3 else 0
    if strength > STRONGEST:
        raise NotDone(f"the strength is 0 to {STRONGEST}")
    if seconds == 0:
        game.player["effects"] &= ~(1 << EFFECTS[name])
        if name == "absorption":
            game.player["absorption"] = 0.0
    else:
        give_effect(state, 0, EFFECTS[name], 20 * seconds, strength)
