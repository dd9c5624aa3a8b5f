"""Ids of parametrised tests: the values in words, as pytest numbers those that are no text."""

from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any, cast

import numpy as np

LONGEST = 70


def id_of(value: object, parameter: str) -> str | None:
    """One line of ASCII for ``value``, which the test's ``parameter`` has.

    None where pytest's own id is good (short text, numbers, functions, enumerations) and for what
    cannot be put in words."""
    if isinstance(value, str | bytes) and len(value) <= LONGEST:
        return None
    words = in_words(value)
    if words is None:
        return None
    # A text of megabytes is cut before it is looked at, in each process that collects the tests.
    start = words[: 10 * LONGEST]
    line = " ".join(start.split()).encode("ascii", "backslashreplace").decode("ascii")
    return "".join(each if each.isprintable() else "?" for each in line)[:LONGEST] or (
        f"no {parameter}"
    )


def in_words(value: object) -> str | None:
    """None for a value of an unknown type."""
    if isinstance(value, Enum | type):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return repr(value)
    if isinstance(value, Path):
        return value.stem
    if isinstance(value, np.ndarray):
        array = cast("np.ndarray[Any, Any]", value)
        return f"{array.dtype} {array.shape}"
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return " ".join(f"{key}={_part(each)}" for key, each in pairs)
    if isinstance(value, list | tuple):
        return " ".join(_part(each) for each in cast("list[object]", value))
    name = getattr(value, "name", None)  # of a message, a service, a program
    return name if isinstance(name, str) else None


def _part(value: object) -> str:
    """What ``value`` is called within a list or a mapping."""
    if value is None or isinstance(value, bool | int | float):
        return str(value)
    words = in_words(value)
    if words is None:
        return str(getattr(value, "__name__", type(value).__name__))
    return words or "nothing"
