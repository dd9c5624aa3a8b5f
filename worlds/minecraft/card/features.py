"""The features that a policy may see of Minecraft, by name, with their sizes and bounds.

The env server computes them, the fast agent chooses among them, prompts describe them. All are
float32 and of the order of one. A *target* is a block whose localised name, or a mob whose name, is
in the interface's ``targets``.
"""

import math

from messages.world import Condition, Interface
from worlds.card import Feature
from worlds.common.mineclip_feature import MINECLIP

BLOCK_CLASSES = ("air", "target", "plant", "solid", "liquid")
"""The classes of a voxel. A target is of no other class."""

RAY_PITCHES = (-20.0, 0.0, 20.0)
"""Degrees relative to the line of sight, + is down."""
RAY_YAWS = (-60.0, -30.0, -15.0, 0.0, 15.0, 30.0, 60.0)
"""Degrees relative to the line of sight, + is right."""
RAY_REACH = 20.0
"""Metres, the reach of the rays of the feature and of the ``approach`` reward."""
MOB_PITCHES = (-12.0, 0.0, 5.0, 12.0, 20.0)
MOB_YAWS = tuple(7.5 * step for step in range(-8, 9))
"""Degrees relative to the line of sight of the rays that find mobs. They are closer together than
those for blocks: at ten metres a cow fits between two rays of that fan."""
ARM_REACH = 4.5
"""Metres within which a block can be dug and counts as faced."""

ITEM_SLOTS = 6
"""Items whose quantities the ``inventory`` feature shows."""


HOSTILE_KINDS = ("undead", "shooter", "creeper", "spider", "other")
PASSIVE_KINDS = ("cow", "sheep", "pig", "chicken", "other")
MOBS_SHOWN = {"hostiles": 3, "passives": 2}
"""How many of the nearest mobs in view each of these features has."""
MOB_COLUMNS = 6
"""Columns of one mob, without its kind."""
HELD_KINDS = ("nothing", "sword", "axe", "pickaxe", "shovel", "hoe", "bow", "food", "other")
_OF_MOBS = (
    "each: seen, sine and cosine of its yaw offset, its pitch offset in radians, its nearness (1 "
    f"at the eye, 0 at {RAY_REACH:g} m), whether it comes nearer (1) or goes away (-1) by its own "
    "movement over the last four observations, and one-hot its kind, "
)


FEATURES: dict[str, Feature] = {
    feature.name: feature
    for feature in (
        Feature(name="compass", size=4, description="sine and cosine of yaw and of pitch"),
        Feature(name="height", size=1, description="height over sea level (y - 63) / 16"),
        Feature(name="life", size=2, description="life / 20, food / 20"),
        Feature(
            name="voxels",
            size=27 * len(BLOCK_CLASSES),
            description="the 3x3x3 blocks around the feet, turned with the player to the nearest "
            "quarter (left to right, below to above, behind to ahead), each as one of "
            + ", ".join(BLOCK_CLASSES),
        ),
        Feature(
            name="rays",
            size=3 * len(RAY_PITCHES) * len(RAY_YAWS),
            description=f"a fan of {len(RAY_PITCHES)} x {len(RAY_YAWS)} rays from the eyes "
            f"({RAY_REACH:g} m): nearness (1 at the eye, 0 out of sight), whether it hit a target, "
            "whether it hit something solid that is not a target",
        ),
        Feature(
            name="facing",
            size=3,
            description="the block or target mob under the crosshair within reach: is there one, "
            "is it a target, its nearness",
        ),
        Feature(
            name="target",
            size=5,
            description="the nearest target in sight, block or mob: seen, sine and cosine of "
            "its yaw offset, its pitch offset, its nearness",
        ),
        Feature(
            name="hostiles",
            size=MOBS_SHOWN["hostiles"] * (MOB_COLUMNS + len(HOSTILE_KINDS)),
            description=f"the {MOBS_SHOWN['hostiles']} nearest hostile mobs in view, the nearest "
            f"first; {_OF_MOBS}" + ", ".join(HOSTILE_KINDS),
        ),
        Feature(
            name="passives",
            size=MOBS_SHOWN["passives"] * (MOB_COLUMNS + len(PASSIVE_KINDS)),
            description=f"the {MOBS_SHOWN['passives']} nearest mobs in view that are not hostile; "
            f"{_OF_MOBS}" + ", ".join(PASSIVE_KINDS),
        ),
        Feature(
            name="equipment",
            size=len(HELD_KINDS) + 4,
            description="one-hot what is in the hand, "
            + ", ".join(HELD_KINDS)
            + "; its material (0 none, 0.2 wood to 1 diamond), armour points / 20, whether there "
            "is a shield, how much of an attack's strength has recovered (0 to 1)",
        ),
        Feature(name="light", size=1, description="the light level at the player / 15"),
        Feature(
            name="fluids",
            size=9,
            description="air / 300; whether the feet are in water, the head in water, the feet in "
            "lava; whether there is lava among the blocks beside the player to the left, to the "
            "right, ahead, behind, and below",
        ),
        Feature(name="food", size=2, description="food / 20, log(1 + edible items held)"),
        Feature(
            name="inventory",
            size=ITEM_SLOTS,
            description="log(1 + quantity) of the items that the task, success, rewards and "
            "actions name, in order of mention",
        ),
        Feature(
            name="previous_choice",
            size=0,
            description="the last choice, one column for each choice",
        ),
        Feature(name="time", size=1, description="share of the stage's horizon that is used up"),
        Feature(
            name="under_way",
            size=2,
            description="whether the last choice was a macro that was interrupted and can go on if "
            "it is chosen again, and the share of its max_steps that it has used",
        ),
    )
}


Bounds = tuple[float, float]
"""The lowest and the highest value of a column."""
_SHARE: Bounds = (0.0, 1.0)
_SIGNED: Bounds = (-1.0, 1.0)
_PITCH: Bounds = (-math.pi / 2, math.pi / 2)
_QUANTITY: Bounds = (0.0, math.log1p(41 * 64))  # every slot full, the worn ones too
_DIRECTION = [_SHARE, _SIGNED, _SIGNED, _PITCH, _SHARE]  # seen, sine, cosine, pitch, nearness
_BOUNDS: dict[str, list[Bounds]] = {
    "compass": [_SIGNED] * 4,
    "height": [(-8.0, 8.0)],
    "target": _DIRECTION,
    "hostiles": [*_DIRECTION, _SIGNED, *[_SHARE] * len(HOSTILE_KINDS)] * MOBS_SHOWN["hostiles"],
    "passives": [*_DIRECTION, _SIGNED, *[_SHARE] * len(PASSIVE_KINDS)] * MOBS_SHOWN["passives"],
    "food": [_SHARE, _QUANTITY],
    "inventory": [_QUANTITY] * ITEM_SLOTS,
}
"""Those of features that have columns of other bounds than 0 and 1."""


def bounds(name: str, choices: int) -> list[Bounds]:
    """The bounds of each column of the feature in an interface with ``choices`` choices.

    Raises:
        ValueError: there is no such feature.
    """
    return _BOUNDS.get(name) or [_SHARE] * size(name, choices)


def feature(name: str) -> Feature:
    """The feature called ``name``.

    Raises:
        ValueError: there is none; the sentence lists all features.
    """
    found = MINECLIP if name == MINECLIP.name else FEATURES.get(name)
    if found is None:
        raise ValueError(f"there is no observation {name!r}; there are {', '.join(FEATURES)}")
    return found


def size(name: str, choices: int) -> int:
    """Columns of the feature in an interface with ``choices`` choices.

    Raises:
        ValueError: there is no such feature.
    """
    return feature(name).size or choices


def mob_grid() -> list[tuple[float, float]]:
    """(pitch, yaw) in radians of the rays that find mobs, pitch by pitch."""
    return [(math.radians(pitch), math.radians(yaw)) for pitch in MOB_PITCHES for yaw in MOB_YAWS]


def ray_grid() -> list[tuple[float, float]]:
    """(pitch, yaw) of each ray of the fan in radians, pitch by pitch."""
    return [(math.radians(pitch), math.radians(yaw)) for pitch in RAY_PITCHES for yaw in RAY_YAWS]


def counted_items(interface: Interface, success: Condition) -> list[str]:
    """The items whose quantities the ``inventory`` feature shows, up to `ITEM_SLOTS` of them: those
    that the success of the task and of the interface, the rewards and the actions name, in that
    order."""
    names = [c.name for c in (success, interface.success) if c.kind == "have"]
    names += [term.name for term in interface.rewards if term.kind == "gain"]
    names += [item for _, _, item in (name.partition(":") for name in interface.actions) if item]
    return list(dict.fromkeys(names))[:ITEM_SLOTS]
