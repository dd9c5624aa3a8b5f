"""Parses a StepClient message: Malmo commands, one on each line."""

import math
import re

from voxeldojo.game import Keys
from voxeldojo.malmo.framing import BadMessage
from voxeldojo.rules import CRAFTS, craft_index, item_names

LINES = 128
PRESSED = ("forward", "back", "left", "right", "jump", "sneak", "sprint", "use", "attack", "drop")
# The keys that replace equip and place (event_level_control=False).
ARRANGED = ("pickItem", "swapHands")
HOTBAR = {f"hotbar.{n + 1}": n for n in range(9)}
SLOTS = 41
SLOT = re.compile(r"-?\d{1,9}")
# The stations of the three crafting commands: 2 x 2, at a table, in a furnace.
STATIONS = {"craft": ("hand",), "craftNearby": ("table", "hand"), "smeltNearby": ("furnace",)}
ITEMS = frozenset(item_names)
CRAFTED = {craft.item: craft.station for craft in CRAFTS}


def parse_lines(text: bytes) -> tuple[Keys, str, list[str]]:
    """The keys, the chat command ("" for none), and the unknown lines.

    Raises:
        BadMessage: not UTF-8, too many lines, or an invalid value.
    """
    try:
        lines = text.decode().split("\n")
    except UnicodeDecodeError:
        raise BadMessage("the action is not UTF-8") from None
    if len(lines) > LINES:
        raise BadMessage(f"an action of {len(lines)} lines, {LINES} is the most")
    pressed = dict.fromkeys((*PRESSED, *ARRANGED), False)
    named = {"equip": "", "place": ""}
    pitch = yaw = 0.0
    chat = ""
    hotbar = -1
    crafts, at_table, swaps, unknown = [], [], [], []
    for line in lines:
        verb, _, value = line.strip().partition(" ")
        value = value.strip()
        if not verb or (value == "none" and verb != "chat"):
            continue
        if verb == "chat":
            chat = value
        elif verb == "camera":
            pitch, yaw = _camera(value)
        elif verb in pressed:
            pressed[verb] = _flag(verb, value)
        elif verb in HOTBAR:
            hotbar = max(hotbar, HOTBAR[verb]) if _flag(verb, value) else hotbar
        elif verb == "swapInventoryItems" and (slots := _slots(value)) is not None:
            swaps.append(slots)
        elif verb in named:
            named[verb] = _item(verb, value)
        elif verb in STATIONS and CRAFTED.get(value) in STATIONS[verb]:
            asked = crafts if CRAFTED[value] == STATIONS[verb][0] else at_table
            asked.append(craft_index(value))
        else:
            unknown.append(line.strip()[:80])
    gait = 1 if pressed["jump"] else 2 if pressed["sneak"] else 3 if pressed["sprint"] else 0
    keys = Keys(
        pitch=pitch,
        yaw=yaw,
        forward=pressed["forward"] - pressed["back"],
        left=pressed["left"] - pressed["right"],
        gait=gait,
        attack=pressed["attack"],
        use=pressed["use"],
        drop=pressed["drop"],
        crafts=tuple(crafts),
        at_table=tuple(at_table),
        equip=named["equip"],
        place=named["place"],
        hotbar=hotbar,
        swaps=tuple(swaps),
        pick=pressed["pickItem"],
        swap_hands=pressed["swapHands"],
    )
    return keys, chat, unknown


def _camera(value: str) -> tuple[float, float]:
    words = value.split()
    try:
        pitch, yaw = (float(word[:32]) for word in words)
    except ValueError:
        pitch = yaw = math.nan
    if not (abs(pitch) <= 360.0 and abs(yaw) <= 360.0):
        raise BadMessage(f"the camera turns by two numbers of degrees, not by {value[:40]!r}")
    return pitch, yaw


def _flag(verb: str, value: str) -> bool:
    if value not in ("0", "1"):
        raise BadMessage(f"{verb} is 0 or 1, not {value[:40]!r}")
    return value == "1"


def _slots(value: str) -> tuple[int, int] | None:
    """Two slots of the player; None: one that it does not have, so that nothing happens."""
    words = value.split()
    if len(words) != 2 or not all(SLOT.fullmatch(word) for word in words):
        raise BadMessage(f"swapInventoryItems needs two slots, not {value[:40]!r}")
    one, other = (int(word) for word in words)
    return (one, other) if 0 <= one < SLOTS and 0 <= other < SLOTS else None


def _item(verb: str, value: str) -> str:
    name = value.removeprefix("minecraft:").partition("#")[0]
    if name not in ITEMS:
        raise BadMessage(f"{verb} needs an item, not {value[:40]!r}")
    return name if name != "air" else ""
