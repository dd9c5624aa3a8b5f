"""Checks the arguments of the embedded world. Its engine does not: a wrong type would fail there in
a comparison or an index, with a message that does not name the argument."""

from collections.abc import Mapping
from typing import Any, cast

from voxeldojo.names import LONGEST_QUOTE, quoted
from voxeldojo.tasks.argument_types import is_finite, is_integer, is_number

NUMBERS = ("break_speed_multiplier", "start_health", "start_food")
AREAS = (32, 64, 128, 256)
MOST_WORLDS = 2**31 - 1  # no memory holds so many; NumPy itself reports that up to here


def check_world(size: Any, biome: Any, inventory: Any) -> None:
    """Arguments of `EmbeddedWorld` that are no options.

    Raises:
        ValueError: one of them is of a wrong type, or there are too few or too many environments.
    """
    if not is_integer(size):
        raise ValueError(f"the number of environments is a whole number, not {quoted(size)}")
    if size < 1:
        raise ValueError(f"a world needs at least one environment, not {quoted(size)}")
    if size > MOST_WORLDS:
        raise ValueError(f"a world has at most {MOST_WORLDS:,} environments, not {quoted(size)}")
    if not isinstance(biome, str):
        raise ValueError(f"a biome is a name, not {quoted(biome)}")
    checked_length("biome", biome)
    checked_inventory(inventory)


def check_world_options(given: Mapping[str, Any]) -> None:
    """Options of `EmbeddedWorld`.

    Raises:
        ValueError: one of them is of a wrong type or out of range.
    """
    for name in NUMBERS:
        value = given[name]
        if not is_number(value) or not is_finite(value):
            raise ValueError(f"{name} is a finite number, not {quoted(value)}")
    area, speed, health, food = (given[name] for name in ("area", *NUMBERS))
    if not is_integer(area):
        raise ValueError(f"area is a whole number of columns, not {quoted(area)}")
    if area not in AREAS:
        raise ValueError(f"area is 32, 64, 128 or 256 columns, not {quoted(area)}")
    if not speed > 0.0:
        raise ValueError(f"break_speed_multiplier is above 0, not {speed}")
    if not (0.0 < health <= 20.0 and 0.0 <= food <= 20.0):
        raise ValueError("start_health is above 0 and up to 20, start_food from 0 to 20")
    checked_flag("strict", given["strict"])


def checked_inventory(given: Any) -> dict[str, int]:
    """Items to begin with, by name; None for none.

    Raises:
        ValueError: it is no dict of names and whole numbers.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ValueError(f"inventory is a dict of item -> how many, not {quoted(given)}")
    for name, count in cast("Mapping[Any, Any]", given).items():
        if not isinstance(name, str) or not is_integer(count):
            raise ValueError(
                f"inventory has names and whole numbers, not {quoted(name)}: {quoted(count)}"
            )
        checked_length("item", name)
    return dict(cast("Mapping[str, int]", given))


def checked_length(what: str, name: str) -> str:
    """A name that may be one of the rules'. They quote an unknown one in full.

    Raises:
        ValueError: it is longer than any.
    """
    if len(name) > LONGEST_QUOTE:
        raise ValueError(f"there is no {what} {quoted(name)}")
    return name


def checked_flag(name: str, value: Any) -> bool:
    """Raises ValueError: it is neither True nor False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} is true or false, not {quoted(value)}")
    return value
