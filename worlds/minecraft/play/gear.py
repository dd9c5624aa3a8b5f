"""What a player has in the hand and wears, as policies see it."""

import numpy as np

from voxeldojo.rules import ITEMS, item_names
from voxeldojo.world_interface import Bools, Floats, Ints
from worlds.minecraft.card.features import HELD_KINDS

_MATERIALS = {"wooden": 0.2, "golden": 0.2, "stone": 0.4, "iron": 0.6, "diamond": 1.0}
_ARMOUR = {
    "leather": (1, 2, 3, 1),
    "golden": (1, 3, 5, 2),
    "chainmail": (1, 4, 5, 2),
    "iron": (2, 5, 6, 2),
    "diamond": (3, 6, 8, 3),
}
"""Points of boots, leggings, chestplate and helmet."""
_PIECES = ("boots", "leggings", "chestplate", "helmet")

EDIBLE: Bools = np.array([item.food[0] > 0 for item in ITEMS])
SHIELD = item_names.index("shield")


def _kind(number: int) -> int:
    name = item_names[number]
    if not number:
        return HELD_KINDS.index("nothing")
    _, _, last = name.rpartition("_")
    if last in HELD_KINDS or name == "bow":
        return HELD_KINDS.index(last if last in HELD_KINDS else "bow")
    return HELD_KINDS.index("food" if EDIBLE[number] else "other")


def _points(name: str) -> float:
    material, _, piece = name.partition("_")
    known = _ARMOUR.get(material)
    return known[_PIECES.index(piece)] if known is not None and piece in _PIECES else 0.0


_KINDS = np.array([_kind(number) for number in range(len(item_names))])
_TIERS = np.array([_MATERIALS.get(name.partition("_")[0], 0.0) for name in item_names], np.float32)
_TIERS[[HELD_KINDS[kind] in ("nothing", "food", "other") for kind in _KINDS]] = 0
_POINTS = np.array([_points(name) for name in item_names], np.float32)
_ONE_HOT = np.eye(len(HELD_KINDS), dtype=np.float32)


def write(equipment: Ints, recovered: Floats, out: Floats) -> None:
    """``equipment`` (B, 6): items in the hand, on feet, legs, chest and head, in the off hand.
    ``out`` (B, kinds + 4)."""
    kinds = len(HELD_KINDS)
    held = equipment[:, 0]
    out[:, :kinds] = _ONE_HOT[_KINDS[held]]
    out[:, kinds] = _TIERS[held]
    out[:, kinds + 1] = _POINTS[equipment[:, 1:5]].sum(1) / 20
    out[:, kinds + 2] = equipment[:, 5] == SHIELD
    out[:, kinds + 3] = recovered
