"""The types of arguments that arguments.yaml names: each is a check that returns the value in its
stored form, or raises one sentence.

Names in the world (items, mobs, biomes) are checked too: MineDojo itself accepts many wrong ones,
and fails or never pays a reward much later.
"""

import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import msgspec
import yaml

from voxeldojo.names import near, quoted
from voxeldojo.rules import BIOMES, item_names
from voxeldojo.tasks.inventory import LAST_SLOT, SLOTS, InventoryItem, inventory_items
from voxeldojo.tasks.staging import FARTHEST

HERE = Path(__file__).parent
BOX = ("xmin", "ymin", "zmin", "xmax", "ymax", "zmax")
POSITION = ("x", "y", "z", "yaw", "pitch")
LARGEST_AMOUNT = 99_999  # of a quantity or a variant, as in the commands


class WrongArgument(TypeError):
    """An unknown or missing argument, or one of a wrong type. MineDojo raises TypeError."""


class WrongValue(AssertionError, ValueError):
    """An invalid value of the right type. MineDojo raises AssertionError."""


class Spawned(msgspec.Struct, frozen=True):
    mobs: list[str]
    blocks: list[str]


class Mobs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    summonable: list[str]
    stat_names: dict[str, str]
    spawned: Spawned
    spawned_for: dict[str, str]
    spawn_conditions: dict[str, dict[str, int]]


MOBS: Mobs = msgspec.convert(yaml.safe_load((HERE / "mobs.yaml").read_text(encoding="utf-8")), Mobs)
BIOME_IDS = {biome.name: biome.id for biome in BIOMES}


def is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    """Whether a number is finite as a float; whole numbers can be too large for one."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def integer(name: str, value: Any) -> int:
    if not is_integer(value):
        raise WrongArgument(f"{name} is a whole number, not {quoted(value)}")
    return int(value)


def number(name: str, value: Any) -> float | int:
    if not is_number(value):
        raise WrongArgument(f"{name} is a number, not {quoted(value)}")
    if not is_finite(value):
        raise WrongValue(f"{name} is a finite number, not {quoted(value)}")
    return int(value) if is_integer(value) else float(value)


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise WrongArgument(f"{name} is True or False, not {quoted(value)}")
    return value


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise WrongArgument(f"{name} is a string, not {quoted(value)}")
    return value


def names(name: str, value: Any) -> list[str]:
    """One name or a list of names."""
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not all(isinstance(entry, str) for entry in found):
        raise WrongArgument(f"{name} is a name or a list of names, not {quoted(value)}")
    if not found or len(set(found)) < len(found):
        raise WrongValue(f"{name} names at least one, and none twice, not {quoted(value)}")
    return list(found)


def mobs(name: str, value: Any) -> list[str]:
    """Names for /summon; one may come several times."""
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list | tuple):
        raise WrongArgument(f"{name} is a mob or a list of mobs, not {quoted(value)}")
    return [mob(name, entry) for entry in found]


def mob(name: str, value: Any) -> str:
    if value not in MOBS.summonable:
        raise WrongValue(f"{name}: there is no mob {quoted(value)}{near(value, MOBS.summonable)}")
    return value


def item(name: str, value: Any) -> str:
    if value == "air":
        raise WrongValue(f"{name}: air is an empty slot, and no item")
    if value not in item_names:
        raise WrongValue(f"{name}: there is no item {quoted(value)}{near(value, item_names)}")
    return value


def quantities(name: str, value: Any) -> Any:
    if is_integer(value):
        return int(value)
    if isinstance(value, list) and all(is_integer(entry) for entry in value):
        return [int(entry) for entry in value]
    if isinstance(value, Mapping) and all(is_integer(entry) for entry in value.values()):
        return {key: int(entry) for key, entry in value.items()}
    raise WrongArgument(f"{name} is a whole number, a list or a dict of them, not {quoted(value)}")


def weights(name: str, value: Any) -> Any:
    given = list(value.values()) if isinstance(value, Mapping) else [value]
    if not all(is_number(entry) for entry in given):
        raise WrongArgument(f"{name} is a number or a dict of name -> number, not {quoted(value)}")
    if not all(is_finite(entry) for entry in given):
        raise WrongValue(f"{name} is made of finite numbers, not {quoted(value)}")
    return dict(value) if isinstance(value, Mapping) else value


def rates(name: str, value: Any) -> Any:
    """Probabilities: one, a list of one per target, or a dict by what is spawned."""
    if is_number(value):
        found = [value]
    elif isinstance(value, list | tuple):
        found = list(value)
    elif isinstance(value, Mapping):
        found = list(value.values())
    else:
        raise WrongArgument(f"{name} is a number, a list or a dict of numbers, not {quoted(value)}")
    if not all(is_number(entry) for entry in found):
        raise WrongArgument(f"{name} is made of numbers, not {quoted(value)}")
    if not all(0.0 <= entry <= 1.0 for entry in found):
        raise WrongValue(f"{name} is a probability, 0 to 1, not {quoted(value)}")
    return value


def triple(name: str, value: Any) -> tuple[Any, ...]:
    found = _sequence(value)
    if found is None or not all(is_number(entry) for entry in found):
        raise WrongArgument(f"{name} is three numbers (x, y, z), not {quoted(value)}")
    if len(found) != 3 or not all(is_finite(entry) for entry in found):
        raise WrongValue(f"{name} is three finite numbers (x, y, z), not {quoted(value)}")
    if not all(abs(entry) <= FARTHEST for entry in found):
        raise WrongValue(f"{name} is at most {FARTHEST} blocks off, not {quoted(value)}")
    return tuple(found)


def position(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping) or set(value) != set(POSITION):
        raise WrongArgument(f"{name} is a dict of {', '.join(POSITION)}, not {quoted(value)}")
    return {key: number(f"{name}[{key!r}]", value[key]) for key in POSITION}


def box(name: str, value: Any) -> dict[str, int]:
    if not isinstance(value, Mapping) or set(value) != set(BOX):
        raise WrongArgument(f"{name} is a dict of {', '.join(BOX)}, not {quoted(value)}")
    found = {key: integer(f"{name}[{key!r}]", value[key]) for key in BOX}
    for axis in "xyz":
        if found[f"{axis}min"] > found[f"{axis}max"]:
            raise WrongValue(f"{name}: {axis}min is above {axis}max in {quoted(value)}")
    return found


def size(name: str, value: Any) -> tuple[int, int]:
    """Height and width; one number is both."""
    found = [value, value] if is_integer(value) else _sequence(value)
    if found is None or len(found) != 2 or not all(is_integer(entry) for entry in found):
        raise WrongArgument(f"{name} is a whole number or (height, width), not {quoted(value)}")
    if min(found) < 1:
        raise WrongValue(f"{name} is at least 1 pixel each way, not {quoted(value)}")
    return int(found[0]), int(found[1])


def rays(name: str, value: Any) -> list[tuple[float, float, float]]:
    found = _sequence(value)
    if found is None:
        raise WrongArgument(f"{name} is a list of (pitch, yaw, distance), not {quoted(value)}")
    for ray in found:
        parts = _sequence(ray)
        if parts is None or len(parts) != 3 or not all(is_number(entry) for entry in parts):
            raise WrongArgument(f"{name}: {quoted(ray)} is not (pitch rad, yaw rad, distance m)")
        # Observations are 32-bit floats, and cannot hold larger numbers.
        if not all(is_finite(entry) and abs(entry) <= FARTHEST for entry in parts):
            raise WrongValue(f"{name} is made of numbers up to {FARTHEST}, not {quoted(ray)}")
    return [(float(pitch), float(yaw), float(reach)) for pitch, yaw, reach in found]


def biome(name: str, value: Any) -> str | int:
    if is_integer(value):
        if value not in BIOME_IDS.values():
            raise WrongValue(f"{name}: no biome has the id {quoted(value)}")
        return int(value)
    if not isinstance(value, str):
        # MineDojo raises ValueError here, and not TypeError.
        raise WrongValue(f"{name} is a biome's name or id, not {quoted(value)}")
    if value not in BIOME_IDS:
        raise WrongValue(f"{name}: there is no biome {quoted(value)}{near(value, list(BIOME_IDS))}")
    return value


def seed(name: str, value: Any) -> str | int:
    if not isinstance(value, str) and not is_integer(value):
        raise WrongArgument(f"{name} is a string or a whole number, not {quoted(value)}")
    return value


def inventory(name: str, value: Any) -> list[InventoryItem]:
    try:
        found = inventory_items(value)
    except TypeError as error:
        raise WrongArgument(f"{name}: {error}") from None
    taken: set[int] = set()
    for entry in found:
        if isinstance(entry.slot, str):
            if entry.slot not in SLOTS:
                raise WrongValue(
                    f"{name}: there is no slot {quoted(entry.slot)}; {', '.join(SLOTS)}"
                )
            slot = SLOTS[entry.slot]
        else:
            slot = integer(f"{name}: a slot", entry.slot)
        if not 0 <= slot <= LAST_SLOT:
            raise WrongValue(f"{name}: slots are 0 to {LAST_SLOT}, not {quoted(slot)}")
        if slot in taken:
            raise WrongValue(f"{name}: slot {slot} is filled twice")
        taken.add(slot)
        item(name, entry.name)
        for what, amount in (("variant", entry.variant), ("quantity", entry.quantity)):
            if amount is None:
                continue
            if not 0 <= integer(f"{name}: a {what}", amount) <= LARGEST_AMOUNT:
                raise WrongValue(f"{name}: a {what} is 0 to {LARGEST_AMOUNT}, not {quoted(amount)}")
    return found


def _sequence(value: Any) -> list[Any] | None:
    """Lists, tuples and arrays as a list; None for anything else."""
    if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__iter__"):
        return None
    return list(value)


CHECKS: dict[str, Callable[[str, Any], Any]] = {
    check.__name__: check
    for check in (
        integer, number, flag, text, names, mobs, quantities, weights, rates, triple, position,
        box, size, rays, biome, seed, inventory,
    )
}  # fmt: skip
