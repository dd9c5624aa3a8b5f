"""MineDojo's two forms of an action: eight numbers, and a dictionary of keys, which
``env.unwrapped.step`` and the runtime commands take."""

import math
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from voxeldojo.actions import ATTACK, CRAFT, DROP, EQUIP, PLACE, USE
from voxeldojo.game import Keys
from voxeldojo.names import near, quoted
from voxeldojo.rules import CRAFTS, craft_index, item_names
from voxeldojo.tasks import WrongValue

PRESSED = (
    "forward", "back", "left", "right", "jump", "sneak", "sprint", "use", "attack", "drop",
)  # fmt: skip
BY_HAND = [craft.item for craft in CRAFTS if craft.station == "hand"]
# A table can also make what needs none.
AT_TABLE = [*BY_HAND, *(craft.item for craft in CRAFTS if craft.station == "table")]
IN_FURNACE = [craft.item for craft in CRAFTS if craft.station == "furnace"]
NONE = "none"
NAMES: dict[str, list[str]] = {
    "craft": BY_HAND,
    "craft_with_table": AT_TABLE,
    "smelt": IN_FURNACE,
    "equip": item_names,
    "place": item_names,
}

KeyAction = Mapping[str, Any]


class ActionSpace(spaces.MultiDiscrete):
    """MineDojo's eight numbers."""

    def __init__(self, camera_bins: int) -> None:
        super().__init__([3, 3, 4, camera_bins, camera_bins, 8, 244, 36])
        self._middle = (camera_bins - 1) // 2

    def no_op(self) -> NDArray[np.int64]:
        return np.array([0, 0, 0, self._middle, self._middle, 0, 0, 0])


class Choice(gymnasium.Space[str]):
    """One of some names, "none" among them; MineDojo calls it an Enum."""

    def __init__(self, names: list[str]) -> None:
        self.names = [NONE, *names]
        super().__init__((), None)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return str(self.np_random.choice(self.names))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and x in self.names

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choice) and self.names == other.names

    def __repr__(self) -> str:
        return f"Choice({len(self.names)} names)"


class KeyboardSpace(spaces.Dict):
    def __init__(self) -> None:
        entries: dict[str, spaces.Space[Any]] = {
            "camera": spaces.Box(-180.0, 180.0, (2,), np.float32),
            **{name: spaces.Discrete(2) for name in PRESSED},
            **{name: Choice(names) for name, names in NAMES.items()},
        }
        super().__init__(entries)

    def no_op(self) -> dict[str, Any]:
        return {
            "camera": np.zeros(2, np.float32),
            **dict.fromkeys(PRESSED, 0),
            **dict.fromkeys(NAMES, NONE),
        }


def keys_of(action: KeyAction) -> Keys:
    """The keys of a dictionary; keys that it does not name are not pressed.

    Raises:
        WrongValue: an unknown key, or a value that a key cannot have.
    """
    if not isinstance(action, Mapping):
        raise WrongValue(
            f"an action is a dict of keys here, as action_space.no_op() makes it, "
            f"not {quoted(action)}"
        )
    known = ["camera", *PRESSED, *NAMES]
    for name in action:
        if name not in known and name != "chat":
            raise WrongValue(f"there is no key {quoted(name)}{near(name, known)}")
    down = {name: _pressed(name, action.get(name, 0)) for name in PRESSED}
    named = {name: _named(name, action.get(name, NONE)) for name in NAMES}
    crafts = [craft_index(named[name]) for name in ("craft", "smelt") if named[name]]
    at_table = named["craft_with_table"]
    if at_table and at_table not in BY_HAND:
        crafts.append(craft_index(at_table))
    pitch, yaw = _camera(action.get("camera", (0.0, 0.0)))
    return Keys(
        pitch=pitch,
        yaw=yaw,
        forward=down["forward"] - down["back"],
        left=down["left"] - down["right"],
        gait=1 if down["jump"] else 2 if down["sneak"] else 3 if down["sprint"] else 0,
        attack=bool(down["attack"]),
        use=bool(down["use"]),
        drop=bool(down["drop"]),
        crafts=tuple(crafts),
        at_table=(craft_index(at_table),) if at_table in BY_HAND else (),
        equip=named["equip"] if named["equip"] != "air" else "",
        place=named["place"] if named["place"] != "air" else "",
    )


def _pressed(name: str, value: Any) -> int:
    try:
        known = np.ndim(value) == 0 and value in (0, 1)
    except ValueError:  # a ragged list
        known = False
    if not known:
        raise WrongValue(f"the key {quoted(name)} is 0 or 1, not {quoted(value)}")
    return int(value)


def _named(name: str, value: Any) -> str:
    """ "" for none."""
    if isinstance(value, str) and value == NONE:
        return ""
    if not isinstance(value, str) or value not in NAMES[name]:
        raise WrongValue(f"{name} is none or an item's name, not {quoted(value)}"
                         f"{near(value, NAMES[name])}")  # fmt: skip
    return str(value)


def _camera(value: Any) -> tuple[float, float]:
    try:
        turn = np.asarray(value, np.float64)
    except (TypeError, ValueError, OverflowError):
        turn = np.zeros(0)
    if turn.shape != (2,) or not (np.abs(turn) <= 360.0).all():
        raise WrongValue(f"the camera turns by two numbers of degrees, not by {quoted(value)}")
    return float(turn[0]), float(turn[1])


def reversed_action(
    keys: Keys, space: ActionSpace, cam_interval: float, held: list[str]
) -> NDArray[np.int64]:
    """The eight numbers for some keys. ``held``: the names in the 36 slots.

    Raises:
        ValueError: equip or place what is not held.
    """
    action = space.no_op()
    action[0] = (0, 1, 2)[keys.forward]
    action[1] = (0, 1, 2)[keys.left]
    action[2] = keys.gait
    for column, degrees in ((3, keys.pitch), (4, keys.yaw)):
        turn = (degrees + 180.0) % 360.0
        # Half a turn is the last bin, not the first. MineDojo rounds up, rounding errors included.
        turn = 360.0 if turn == 0.0 and degrees > 0.0 else turn
        action[column] = math.ceil(round(turn / cam_interval, 6))
    if keys.attack:
        action[5] = ATTACK
    elif keys.use:
        action[5] = USE
    elif crafts := (*keys.crafts, *keys.at_table):
        action[5], action[6] = CRAFT, crafts[0]
    elif name := keys.equip or keys.place:
        if name not in held:
            verb = "equip" if keys.equip else "place"
            raise ValueError(f"cannot {verb} {name}, there is none in the inventory")
        action[5], action[7] = EQUIP if keys.equip else PLACE, held.index(name)
    elif keys.drop:
        action[5] = DROP
    return action
