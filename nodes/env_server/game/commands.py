"""The chat commands that MineDojo's runtime calls are made of."""

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from models.names import near
from models.rules import BLOCKS, ITEMS, item_names
from models.rules.mobs import MOB_IDS
from nodes.env_server.worlds.embedded.body import effects
from nodes.env_server.worlds.embedded.body.clock import set_weather
from nodes.env_server.worlds.embedded.body.effects import clear_effects, give_effect
from nodes.env_server.worlds.embedded.state import CLEAR, HEIGHT, RAIN, THUNDER

if TYPE_CHECKING:
    from nodes.env_server.game.game import Game

OUTSIDE = "the place is outside the window that is held around the player"
COORDINATE = re.compile(r"(~?)(-?\d+(?:\.\d+)?)?")
SELF = re.compile(r"@[pas](\[.*\])?|MineDojoAgent\d+")
SLOT = re.compile(r"slot\.(weapon|armor|hotbar|inventory)(?:\.(\w+))?")
WORN = {"feet": 36, "legs": 37, "chest": 38, "head": 39}
TIMES = {"day": 1000, "night": 13000}
FARTHEST = 30_000_000  # metres, as in the game
BLOCK_IDS = {block.name: block.id for block in BLOCKS}
STACKS = {item.name: item.stack for item in ITEMS}
TRIES = 24
EFFECTS = {  # those that do something in this engine
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
FILLED = 32768  # blocks, as in the game
WEATHERS = {"clear": CLEAR, "rain": RAIN, "thunder": THUNDER}
GAMERULES = {
    "doDaylightCycle": "time_passes",
    "doMobSpawning": "mobs_spawn",
    "doWeatherCycle": "weather_changes",
}


class NotDone(Exception):
    """The reason, as a clause."""


def perform(game: "Game", text: str) -> str:
    """Do a command, with or without its slash. Returns why it was not done, "" if it was."""
    words = text.removeprefix("/").split()
    handler = COMMANDS.get(words[0]) if words else None
    if handler is None:
        return f"`{text[:80]}` is none of {', '.join(COMMANDS)}"
    try:
        handler(game, words[1:])
    except NotDone as reason:
        return f"`{text[:80]}` was not done: {reason}"
    return ""


def _summon(game: "Game", words: list[str]) -> None:
    if not words:
        raise NotDone("it wants a mob and X Y Z")
    name = words[0].removeprefix("minecraft:").lower()
    if name not in MOB_IDS:
        raise NotDone(f"there is no mob {name[:40]}{near(name, list(MOB_IDS))}")
    player = game.player
    place = [float(player[axis]) for axis in "xyz"]
    if len(words) >= 4:
        middles = (0.5, 0.0, 0.5)
        given = zip(words[1:4], place, middles, strict=True)
        place = [_coordinate(word, at, middle) for word, at, middle in given]
    if game.place_mob(MOB_IDS[name], *place) < 0:
        raise NotDone("there is no room for more mobs, or the place is too far away")


def _kill(game: "Game", words: list[str]) -> None:
    target = words[0] if words else "@p"
    if target.startswith("@e"):
        found = re.search(r"type=(!?)(?:minecraft:)?(\w+)", target)
        kinds = set(MOB_IDS.values())
        if found is not None and found[2] not in ("item", "player"):
            if found[2] not in MOB_IDS:
                raise NotDone(f"there is no mob {found[2][:40]}")
            named = {MOB_IDS[found[2]]}
            kinds = kinds - named if found[1] else named
        elif found is not None:
            kinds = kinds if found[1] else set()
        if found is None or (found[2] == "item") != bool(found[1]):
            game.world.state.drops[0]["count"] = 0
        game.kill_mobs(kinds)
        if found is None or (found[2] == "player") != bool(found[1]):
            game.kill()
        return
    if SELF.fullmatch(target) is None:
        raise NotDone(f"there is no {target}")
    game.kill()


def _time(game: "Game", words: list[str]) -> None:
    if len(words) != 2 or words[0] not in ("set", "add"):
        raise NotDone("it wants set or add, and a time")
    ticks = TIMES.get(words[1]) if words[0] == "set" else None
    if ticks is None:
        if not words[1].isdecimal() or len(words[1]) > 9:
            raise NotDone(f"{words[1]} is no time")
        ticks = int(words[1])
    game.player["time"] = ticks if words[0] == "set" else game.time + ticks


def _weather(game: "Game", words: list[str]) -> None:
    if not words or words[0] not in ("normal", *WEATHERS):
        raise NotDone("it wants clear, rain or thunder")
    if words[0] != "normal":
        set_weather(game.player, WEATHERS[words[0]])
        if len(words) > 1:
            game.player["weather_left"] = 20 * _count(words[1])


def _give(game: "Game", words: list[str]) -> None:
    if len(words) < 2 or SELF.fullmatch(words[0]) is None:
        raise NotDone("it wants @p ITEM [COUNT [VARIANT]]")
    item = _item(words[1])
    count = _count(words[2]) if len(words) > 2 else 1
    game.give(item, min(count, 64), _count(words[3]) if len(words) > 3 else 0)


def _xp(game: "Game", words: list[str]) -> None:
    if not words or re.fullmatch(r"-?\d{1,9}", words[0]) is None:
        raise NotDone("it wants a number of points")
    game.player["xp"] = max(0.0, float(game.player["xp"]) + int(words[0]))


def _spawnpoint(game: "Game", words: list[str]) -> None:
    rest = words[1:] if words and SELF.fullmatch(words[0]) else words
    if rest and len(rest) != 3:
        raise NotDone("it wants [@p [X Y Z]]")
    for axis, word in zip("xyz", rest or ("~", "~", "~"), strict=True):
        game.player[f"spawn_{axis}"] = _coordinate(word, float(game.player[axis]))


def _fill(game: "Game", words: list[str]) -> None:
    if not 7 <= len(words) <= 8:
        raise NotDone("it wants X1 Y1 Z1 X2 Y2 Z2 BLOCK [METADATA]")
    first, second = _block_place(game, words[:3]), _block_place(game, words[3:6])
    block, meta = _block(words[6], words[7] if len(words) > 7 else "0")
    spans = [range(min(a, b), max(a, b) + 1) for a, b in zip(first, second, strict=True)]
    if len(spans[0]) * len(spans[1]) * len(spans[2]) > FILLED:
        raise NotDone(f"it fills {FILLED} blocks at most")
    if not all(game.holds(x, z) for x in (first[0], second[0]) for z in (first[2], second[2])):
        raise NotDone(OUTSIDE)
    for x in spans[0]:
        for y in spans[1]:
            for z in spans[2]:
                game.put(x, y, z, block, meta)


def _effect(game: "Game", words: list[str]) -> None:
    if len(words) < 2 or SELF.fullmatch(words[0]) is None:
        raise NotDone("it wants @p EFFECT [SECONDS [STRENGTH]], or @p clear")
    state = game.world.state
    if words[1] == "clear":
        clear_effects(state, 0)
        return
    name = words[1].removeprefix("minecraft:")
    if name not in EFFECTS:
        raise NotDone(f"there is no effect {name[:40]}{near(name, list(EFFECTS))}")
    seconds = _count(words[2]) if len(words) > 2 else EFFECT_SECONDS
    strength = _count(words[3]) if len(words) > 3 else 0
    if strength > STRONGEST:
        raise NotDone(f"the strength is 0 to {STRONGEST}")
    if seconds == 0:
        game.player["effects"] &= ~(1 << EFFECTS[name])
    else:
        give_effect(state, 0, EFFECTS[name], 20 * seconds, strength)


def _difficulty(game: "Game", words: list[str]) -> None:
    if words[:1] not in (["normal"], ["n"], ["2"]):
        raise NotDone("this world is of normal difficulty")


def _gamerule(game: "Game", words: list[str]) -> None:
    if len(words) != 2 or words[0] not in GAMERULES or words[1] not in ("true", "false"):
        raise NotDone(f"it wants one of {', '.join(GAMERULES)}, and true or false")
    game.world.state.settings[0][GAMERULES[words[0]]] = words[1] == "true"


def _replaceitem(game: "Game", words: list[str]) -> None:
    if len(words) < 4 or words[0] != "entity" or SELF.fullmatch(words[1]) is None:
        raise NotDone("it wants entity @p SLOT ITEM [COUNT [VARIANT]]")
    name = _item(words[3])
    count = _count(words[4]) if len(words) > 4 else 1
    variant = _count(words[5]) if len(words) > 5 else 0
    game.set_slot(_slot(words[2]), name, min(count, max(1, STACKS[name])), variant)


def _item(word: str) -> str:
    name = word.removeprefix("minecraft:")
    if name not in STACKS:
        raise NotDone(f"there is no item {name[:40]}{near(name, list(STACKS))}")
    return name


def _count(word: str) -> int:
    if not word.isdecimal() or len(word) > 5:
        raise NotDone(f"{word} is no count")
    return int(word)


def _slot(word: str) -> int:
    found = SLOT.fullmatch(word)
    if found is None:
        raise NotDone(f"there is no {word}")
    place, name = found.groups()
    if place == "weapon" and name in (None, "mainhand", "offhand"):
        return 40 if name == "offhand" else 0
    if place == "armor" and name in WORN:
        return WORN[name]
    if place == "hotbar" and name and name.isdecimal() and int(name) < 9:
        return int(name)
    if place == "inventory" and name and name.isdecimal() and int(name) < 27:
        return 9 + int(name)
    raise NotDone(f"there is no {word}")


def _tp(game: "Game", words: list[str]) -> None:
    if len(words) in (4, 6) and SELF.fullmatch(words[0]):
        words = words[1:]
    if len(words) not in (3, 5):
        raise NotDone("it wants X Y Z [YAW PITCH]")
    player = game.player
    place = [_coordinate(w, float(player[a])) for w, a in zip(words, "xyz", strict=False)]
    if not 0.0 <= place[1] < 256.0:
        raise NotDone("y is from 0 to 255")
    game.move_to(*place)
    if len(words) == 5:
        yaw = _coordinate(words[3], float(player["yaw"]))
        game.turn_to(yaw, _coordinate(words[4], float(player["pitch"])))


def _clear(game: "Game", words: list[str]) -> None:
    name = words[1].removeprefix("minecraft:") if len(words) > 1 else None
    for slot in range(41):
        held = item_names[game.world.state.slots[0, slot]["item"]]
        if name is None or held == name:
            game.set_slot(slot, "air", 0, 0)


def _setblock(game: "Game", words: list[str]) -> None:
    if not 4 <= len(words) <= 7:
        raise NotDone("it wants X Y Z BLOCK [METADATA]")
    x, y, z = _block_place(game, words[:3])
    block, meta = _block(words[3], words[4] if len(words) > 4 else "0")
    if not game.holds(x, z):
        raise NotDone(OUTSIDE)
    game.put(x, y, z, block, meta)


def _block(name: str, metadata: str) -> tuple[int, int]:
    name = name.removeprefix("minecraft:")
    meta = _count(metadata)
    if name not in BLOCK_IDS or meta > 15:
        raise NotDone(f"there is no block {name[:40]} with the metadata {meta}")
    return BLOCK_IDS[name], meta


def _block_place(game: "Game", words: list[str]) -> tuple[int, int, int]:
    player = game.player
    x, y, z = (
        math.floor(_coordinate(word, float(player[axis])))
        for word, axis in zip(words, "xyz", strict=True)
    )
    if not 0 <= y < HEIGHT:
        raise NotDone(f"y is from 0 to {HEIGHT - 1}")
    return x, y, z


def _spreadplayers(game: "Game", words: list[str]) -> None:
    """The player stands on the top of some column of the square around the place."""
    if len(words) < 6 or SELF.fullmatch(words[5]) is None:
        raise NotDone("it wants X Z DISTANCE RANGE RESPECT_TEAMS @p")
    player = game.player
    centre = [_coordinate(words[n], float(player[axis])) for n, axis in enumerate("xz")]
    reach = abs(_coordinate(words[3], 0.0))
    before = [float(player[axis]) for axis in "xyz"]
    for _ in range(TRIES):
        dx, dz = (game.chance.random(2) * 2.0 - 1.0) * reach
        x, z = math.floor(centre[0] + dx), math.floor(centre[1] + dz)
        if game.stand_on_top(x, z):
            return
    game.move_to(*before)
    raise NotDone("there is no room to stand in")


def _coordinate(word: str, at: float, middle: float = 0.0) -> float:
    """``12.5``, or ``~-3`` from where the player is. ``middle`` is added to a whole number, as the
    game puts what it is told to put at a block into its middle."""
    found = COORDINATE.fullmatch(word)
    if found is None or not word or len(word) > 24:
        raise NotDone(f"{word[:24]} is no coordinate")
    value = (at if found[1] else 0.0) + float(found[2] or 0.0)
    if not found[1] and "." not in word:
        value += middle
    if not abs(value) <= FARTHEST:
        raise NotDone(f"{word} is outside every world")
    return value


COMMANDS: dict[str, Callable[["Game", list[str]], None]] = {
    "summon": _summon,
    "kill": _kill,
    "time": _time,
    "weather": _weather,
    "replaceitem": _replaceitem,
    "tp": _tp,
    "clear": _clear,
    "setblock": _setblock,
    "spreadplayers": _spreadplayers,
    "give": _give,
    "fill": _fill,
    "xp": _xp,
    "spawnpoint": _spawnpoint,
    "gamerule": _gamerule,
    "effect": _effect,
    "difficulty": _difficulty,
}
