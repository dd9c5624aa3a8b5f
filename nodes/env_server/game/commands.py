"""The chat commands that MineDojo's runtime calls are made of."""

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from models.rules import BLOCKS, ITEMS, item_names
from nodes.env_server.worlds.embedded.state import HEIGHT
from nodes.env_server.worlds.embedded.updates import set_block

if TYPE_CHECKING:
    from nodes.env_server.game.game import Game

COORDINATE = re.compile(r"(~?)(-?\d+(?:\.\d+)?)?")
SELF = re.compile(r"@[pas](\[.*\])?|MineDojoAgent\d+")
SLOT = re.compile(r"slot\.(weapon|armor|hotbar|inventory)(?:\.(\w+))?")
WORN = {"feet": 36, "legs": 37, "chest": 38, "head": 39}
TIMES = {"day": 1000, "night": 13000}
FARTHEST = 30_000_000  # metres, as in the game
BLOCK_IDS = {block.name: block.id for block in BLOCKS}
STACKS = {item.name: item.stack for item in ITEMS}
TRIES = 64


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
    raise NotDone("there are no mobs in this world yet")


def _kill(game: "Game", words: list[str]) -> None:
    target = words[0] if words else "@p"
    if target.startswith("@e"):
        if "type=" in target and "type=item" not in target:
            raise NotDone("there are no mobs in this world yet")
        game.world.state.drops[0]["count"] = 0
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
    game.time = ticks if words[0] == "set" else game.time + ticks


def _weather(game: "Game", words: list[str]) -> None:
    if not words or words[0] not in ("normal", "clear", "rain", "thunder"):
        raise NotDone("it wants clear, rain or thunder")
    if words[0] in ("rain", "thunder"):
        raise NotDone("there is no weather in this world yet")


def _replaceitem(game: "Game", words: list[str]) -> None:
    if len(words) < 4 or words[0] != "entity" or SELF.fullmatch(words[1]) is None:
        raise NotDone("it wants entity @p SLOT ITEM [COUNT [VARIANT]]")
    name = words[3].removeprefix("minecraft:")
    if name not in STACKS:
        raise NotDone(f"there is no item {name}")
    count = _count(words[4]) if len(words) > 4 else 1
    variant = _count(words[5]) if len(words) > 5 else 0
    game.set_slot(_slot(words[2]), name, min(count, max(1, STACKS[name])), variant)


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
    area = game.world.state.blocks.shape[1]
    if not (0.0 <= place[0] < area and 0.0 <= place[2] < area and 0.0 <= place[1] < 256.0):
        raise NotDone(f"x and z go from 0 to {area}, y from 0 to 255")
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
    player = game.player
    x, y, z = (
        math.floor(_coordinate(word, float(player[axis])))
        for word, axis in zip(words, "xyz", strict=False)
    )
    name = words[3].removeprefix("minecraft:")
    meta = _count(words[4]) if len(words) > 4 else 0
    if name not in BLOCK_IDS or meta > 15:
        raise NotDone(f"there is no block {name} with the metadata {meta}")
    area = game.world.state.blocks.shape[1]
    if not (0 <= x < area and 0 <= z < area and 0 <= y < HEIGHT):
        raise NotDone(f"x and z go from 0 to {area}, y from 0 to {HEIGHT - 1}")
    set_block(game.world.state, game.world.rules, 0, x, y, z, BLOCK_IDS[name], meta)


def _spreadplayers(game: "Game", words: list[str]) -> None:
    """The player stands on the top of some column of the square around the place."""
    if len(words) < 6 or SELF.fullmatch(words[5]) is None:
        raise NotDone("it wants X Z DISTANCE RANGE RESPECT_TEAMS @p")
    player, state = game.player, game.world.state
    centre = _coordinate(words[0], float(player["x"])), _coordinate(words[1], float(player["z"]))
    reach, area = _coordinate(words[3], 0.0), state.blocks.shape[1]
    # The world has an end: a square that reaches beyond it is cut off there.
    low = [min(area - 1, max(0, math.floor(c - reach))) for c in centre]
    high = [min(area - 1, max(0, math.floor(c + reach))) for c in centre]
    heights = game.world.rules.block["height"]
    for _ in range(TRIES):
        x, z = (int(game.chance.integers(a, b + 1)) for a, b in zip(low, high, strict=True))
        solid = np.flatnonzero(heights[state.blocks[0, x, z]] > 0.0)
        if len(solid) and solid[-1] < HEIGHT - 2:
            top = int(solid[-1])
            game.move_to(x + 0.5, top + float(heights[state.blocks[0, x, z, top]]), z + 0.5)
            return
    raise NotDone("there is no room to stand in")


def _coordinate(word: str, at: float) -> float:
    """``12.5``, or ``~-3`` from where the player is."""
    found = COORDINATE.fullmatch(word)
    if found is None or not word or len(word) > 24:
        raise NotDone(f"{word[:24]} is no coordinate")
    value = (at if found[1] else 0.0) + float(found[2] or 0.0)
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
}
