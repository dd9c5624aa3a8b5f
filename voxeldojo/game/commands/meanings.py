"""Parses the words of a command: coordinates, numbers, items, blocks and slots."""

import math
import re

from voxeldojo.engine.state import HEIGHT
from voxeldojo.game.commands.source import NotDone, Place
from voxeldojo.names import near
from voxeldojo.rules import BLOCKS, ITEMS

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
COORDINATE = re.compile(rf"(~?)({NUMBER})?")
LONGEST = 32  # letters of a number
FARTHEST = 30_000_000  # metres, as in the game
SLOT = re.compile(r"slot\.(weapon|armor|hotbar|inventory)(?:\.(\w+))?")
WORN = {"feet": 36, "legs": 37, "chest": 38, "head": 39}
BLOCK_IDS = {block.name: block.id for block in BLOCKS}
BLOCK_NUMBERS = frozenset(BLOCK_IDS.values())
STACKS = {item.name: item.stack for item in ITEMS}
YES_OR_NO = {"true": True, "1": True, "false": False, "0": False}


def coordinate(word: str, at: float, middle: float = 0.0) -> float:
    """``12.5``, or ``~-3`` from ``at``. ``middle`` is added to a whole number, as the game places
    entities in the middle of a block."""
    found = COORDINATE.fullmatch(word)
    if found is None or not word or len(word) > LONGEST:
        raise NotDone(f"{word[:LONGEST]} is no coordinate")
    value = (at if found[1] else 0.0) + float(found[2] or 0.0)
    if not found[1] and "." not in word:
        value += middle
    if not abs(value) <= FARTHEST:
        raise NotDone(f"{word} is outside every world")
    return value


def block_place(words: list[str], at: Place) -> tuple[int, int, int]:
    """Raises NotDone: it is above or below the world."""
    x, y, z = (math.floor(coordinate(word, value)) for word, value in zip(words, at, strict=True))
    if not 0 <= y < HEIGHT:
        raise NotDone(f"y is from 0 to {HEIGHT - 1}")
    return x, y, z


def number(word: str, least: float) -> float:
    if re.fullmatch(NUMBER, word) is None or len(word) > LONGEST:
        raise NotDone(f"{word[:LONGEST]} is no number")
    value = float(word)
    if value < least:
        raise NotDone(f"the number {word} is too small, it must be at least {least:g}")
    if not value <= FARTHEST:
        raise NotDone(f"the number {word} is too big, it must be at most {FARTHEST}")
    return value


def count(word: str) -> int:
    if not word.isdecimal() or len(word) > 5:
        raise NotDone(f"{word[:LONGEST]} is no count")
    return int(word)


def quantity(word: str) -> int:
    """How many items to give, at least one."""
    if (found := count(word)) < 1:
        raise NotDone(f"the number {word} is too small, it must be at least 1")
    return found


def yes_or_no(word: str) -> bool:
    if word not in YES_OR_NO:
        raise NotDone(f"{word[:LONGEST]} is not true or false")
    return YES_OR_NO[word]


def item(word: str) -> str:
    name = word.removeprefix("minecraft:")
    if name not in STACKS:
        raise NotDone(f"there is no item {name[:40]}{near(name, list(STACKS))}")
    return name


def block(word: str) -> int:
    """A block's number, from its name or its number."""
    name = word.removeprefix("minecraft:")
    if name in BLOCK_IDS:
        return BLOCK_IDS[name]
    if name.isdecimal() and len(name) < 4 and int(name) in BLOCK_NUMBERS:
        return int(name)
    raise NotDone(f"there is no block {name[:40]}{near(name, list(BLOCK_IDS))}")


def metadata(word: str) -> int:
    meta = count(word)
    if meta > 15:
        raise NotDone(f"a block's metadata is 0 to 15, not {meta}")
    return meta


def slot(word: str, selected: int) -> int:
    """The number of a slot; ``selected`` is the one in the hand."""
    found = SLOT.fullmatch(word)
    if found is None:
        raise NotDone(f"there is no {word}")
    place, name = found.groups()
    if place == "weapon" and name in (None, "mainhand", "offhand"):
        return 40 if name == "offhand" else selected
    if place == "armor" and name in WORN:
        return WORN[name]
    if place == "hotbar" and name and name.isdecimal() and int(name) < 9:
        return int(name)
    if place == "inventory" and name and name.isdecimal() and int(name) < 27:
        return 9 + int(name)
    raise NotDone(f"there is no {word}")
