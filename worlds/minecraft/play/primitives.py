"""Primitive actions as programs yield them: a code, which is a row of ``VECTORS``.

``equip``, ``place`` and ``destroy`` need the slot that holds the item now; programs yield
``(verb, item)`` for them and the host looks the slot up.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from voxeldojo import actions
from voxeldojo.rules import CRAFTS, craft_index
from worlds.minecraft.card.language import LANGUAGE
from worlds.runtime import Code

_PLAIN = list(LANGUAGE.codes)
_CENTRE = 12  # the camera bin that leaves it alone
_LONGEST_NAME = 64
_BINS = 2 * _CENTRE + 1
_TURN = len(_PLAIN)
_LOOK = _TURN + _BINS
_CRAFT = _LOOK + _BINS

VECTORS = np.array(
    [actions.PRIMITIVES[name] for name in _PLAIN]
    + [actions.action(yaw=b - _CENTRE) for b in range(_BINS)]
    + [actions.action(pitch=b - _CENTRE) for b in range(_BINS)]
    + [actions.craft(craft.item) for craft in CRAFTS],
    dtype=np.int64,
)
"""MineDojo actions by code, (codes, 8) int64."""


def written(code: Code) -> str:
    """How the program's author wrote it: ``attack``, ``turn(30)``, ``equip("stick")``."""
    if isinstance(code, tuple):
        return f'{code[0]}("{code[1]}")'
    if code < _TURN:
        return _PLAIN[code]
    if code < _LOOK:
        return f"turn({(code - _TURN - _CENTRE) * 15})"
    if code < _CRAFT:
        return f"look({(code - _LOOK - _CENTRE) * 15})"
    return f'craft("{CRAFTS[code - _CRAFT].item}")'


def _bin(verb: str, degrees: Any) -> int:
    if type(degrees) not in (int, float, bool):
        raise TypeError(f"{verb} takes degrees, not {type(degrees).__name__}")
    if not math.isfinite(degrees) or not -360 <= degrees <= 360:
        raise ValueError(f"{verb} takes -360 to 360 degrees")
    if abs(degrees) > 180:
        degrees -= math.copysign(360, degrees)
    return _CENTRE + round(degrees / actions.CAMERA_STEP)


def _turn(degrees: Any) -> int:
    return _TURN + _bin("turn", degrees)


def _look(degrees: Any) -> int:
    return _LOOK + _bin("look", degrees)


def _item(verb: str, item: Any) -> str:
    if type(item) is not str:
        raise TypeError(f"{verb} takes the name of an item, not {type(item).__name__}")
    if len(item) > _LONGEST_NAME:
        raise ValueError(f"no item to {verb} has so long a name")
    actions.check_item(verb, item)
    return item


def _craft(item: Any) -> int:
    return _CRAFT + craft_index(_item("craft", item))


def _equip(item: Any) -> tuple[str, str]:
    return "equip", _item("equip", item)


def _place(item: Any) -> tuple[str, str]:
    return "place", _item("place", item)


def _destroy(item: Any) -> tuple[str, str]:
    return "destroy", _item("destroy", item)


ARGUMENT: dict[str, Callable[[Any], Code]] = {
    "turn": _turn,
    "look": _look,
    "craft": _craft,
    "equip": _equip,
    "place": _place,
    "destroy": _destroy,
}
"""Checks the argument of a primitive and gives its code; called in the program's own frame."""
