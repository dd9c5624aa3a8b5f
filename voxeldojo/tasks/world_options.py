"""Checks the types of the embedded world's options, which its engine takes for granted: what is no
number there fails in a comparison, which says nothing of the option."""

from collections.abc import Mapping
from typing import Any

from voxeldojo.tasks.argument_types import is_finite, is_integer, is_number

NUMBERS = ("break_speed_multiplier", "start_health", "start_food")


def check_world_options(given: Mapping[str, Any]) -> None:
    """Options of `EmbeddedWorld`, which checks their ranges itself.

    Raises:
        ValueError: one of them is of a wrong type.
    """
    for name in NUMBERS:
        value = given.get(name, 1.0)
        if not is_number(value) or not is_finite(value):
            raise ValueError(f"{name} is a finite number, not {value!r}")
    if not is_integer(given.get("area", 128)):
        raise ValueError(f"area is a whole number of columns, not {given['area']!r}")
    checked_flag("strict", given.get("strict", True))


def checked_flag(name: str, value: Any) -> bool:
    """Raises ValueError: it is neither True nor False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} is true or false, not {value!r}")
    return value
