"""Primitive actions by name, from which a policy or a coded action chooses, as MineDojo actions.

A MineDojo action has eight integers: move (0 none, 1 forward, 2 back), strafe (0 none, 1 left,
2 right), gait (0 none, 1 jump, 2 sneak, 3 sprint), pitch and yaw change in bins of 15 degrees (12
is none, more looks down and turns right), function, craft argument, inventory slot.
"""

from voxeldojo.names import near, quoted
from voxeldojo.rules import CRAFTS, ITEMS, craft_index

ACTION_SIZES: tuple[int, ...] = (3, 3, 4, 25, 25, 8, 244, 36)
FUNCTIONS: tuple[str, ...] = (
    "no_op",
    "use",
    "drop",
    "attack",
    "craft",
    "equip",
    "place",
    "destroy",
)
NO_OP, USE, DROP, ATTACK, CRAFT, EQUIP, PLACE, DESTROY = range(len(FUNCTIONS))
"""Values of a MineDojo action's function."""
AUTOCRAFT_STEPS = 8  # at most, after one decision, when crafting is done for a policy
CAMERA_STEP = 15.0  # degrees in one camera bin


def action(
    *,
    move: int = 0,
    strafe: int = 0,
    gait: int = 0,
    pitch: int = 0,
    yaw: int = 0,
    function: str = "no_op",
    argument: int = 0,
    slot: int = 0,
) -> tuple[int, ...]:
    """A MineDojo action. ``pitch`` and ``yaw`` are in bins of 15 degrees, + is down and right.

    Raises:
        ValueError: there is no such function.
    """
    if function not in FUNCTIONS:
        raise ValueError(
            f"there is no function {quoted(function)}; there are {', '.join(FUNCTIONS)}"
        )
    return (move, strafe, gait, 12 + pitch, 12 + yaw, FUNCTIONS.index(function), argument, slot)


def craft(name: str) -> tuple[int, ...]:
    """The action that crafts or smelts ``name``. Raises ValueError if nothing makes it."""
    return action(function="craft", argument=craft_index(name))


PRIMITIVES: dict[str, tuple[int, ...]] = {
    "noop": action(),
    "forward": action(move=1),
    "back": action(move=2),
    "left": action(strafe=1),
    "right": action(strafe=2),
    "jump": action(move=1, gait=1),
    "jump_up": action(gait=1),
    "sneak": action(gait=2),
    "sprint": action(move=1, gait=3),
    "look_up": action(pitch=-2),
    "look_down": action(pitch=2),
    "turn_left": action(yaw=-2),
    "turn_right": action(yaw=2),
    "look_up_15": action(pitch=-1),
    "look_down_15": action(pitch=1),
    "turn_left_15": action(yaw=-1),
    "turn_right_15": action(yaw=1),
    "turn_around": action(yaw=12),
    "use": action(function="use"),
    "drop": action(function="drop"),
    "attack": action(function="attack"),
    "forward_attack": action(move=1, function="attack"),
    "jump_attack": action(move=1, gait=1, function="attack"),
    "sprint_attack": action(move=1, gait=3, function="attack"),
    "look_up_attack": action(pitch=-1, function="attack"),
    "look_down_attack": action(pitch=1, function="attack"),
    "turn_left_attack": action(yaw=-1, function="attack"),
    "turn_right_attack": action(yaw=1, function="attack"),
    "forward_use": action(move=1, function="use"),
}

WITH_ITEM: dict[str, int] = {"craft": CRAFT, "equip": EQUIP, "place": PLACE, "destroy": DESTROY}
"""Actions on an item, named ``craft:planks``. ``craft`` has a fixed MineDojo action; the others
need the slot that holds the item at the time."""

_KNOWN: dict[str, set[str]] = {
    "craft": {recipe.item for recipe in CRAFTS},
    "place": {item.name for item in ITEMS if item.block},
    "equip": {item.name for item in ITEMS[1:]},
    "destroy": {item.name for item in ITEMS[1:]},
}


def slot_action(verb: str, slot: int) -> tuple[int, ...]:
    """The action that equips, places or destroys what is in ``slot`` (0..35)."""
    return action(function=verb, slot=slot)


def split(name: str) -> tuple[str, str]:
    """``"craft:planks"`` -> ``("craft", "planks")``; a name of PRIMITIVES -> ``(name, "")``.

    Raises:
        ValueError: there is no such action; the sentence lists all actions.
    """
    if name in PRIMITIVES:
        return name, ""
    verb, _, item = name.partition(":")
    if verb not in WITH_ITEM or not item:
        raise ValueError(
            f"there is no action {quoted(name)}; there are {', '.join(PRIMITIVES)}, and "
            "craft:, equip:, place: and destroy: followed by an item's name"
        )
    check_item(verb, item)
    return verb, item


def check_item(verb: str, item: str) -> None:
    """Reject an item that ``verb`` cannot be applied to.

    Raises:
        ValueError: there is no such item, or it cannot be crafted or placed.
    """
    known = _KNOWN[verb]
    if item not in known:
        raise ValueError(f"there is no {quoted(item)} to {verb}{near(item, sorted(known))}")
