"""Plain values as messages or as a launch: what is wrong with them, in one sentence that names the
field and valid values."""

import datetime
import math
import re
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import inspect

from nodes.common.checks.type_paths import options, plain_type, structs_of, type_at
from rlgpt.refused import did_you_mean, instead

Kind = TypeVar("Kind")

_YAML = {"object": "a mapping of names to values", "array": "a list", "null": "nothing"}
"""What msgspec names as JSON does, in the words of those who write YAML."""
_KEYS = {
    datetime.date: "a date",
    datetime.datetime: "a time",
    bytes: "bytes",
    bool: "true or false",
    type(None): "nothing",
    tuple: "a list",
}
"""What YAML reads some keys as, numbers apart."""


def convert(value: Any, kind: type[Kind]) -> Kind:
    """``value`` (dicts, lists, numbers, arrays) as a message of type ``kind``.

    Messages ignore unknown fields, so that old and new nodes understand each other; in a user's
    value an unknown field is a typing error.

    Raises:
        ValueError: it is none; the text is what is wrong.
    """
    if not isinstance(value, dict | list | tuple | str | int | float | bool | None | np.ndarray):
        raise ValueError(f"expected a mapping of names to values, got {type(value).__name__}")
    if isinstance(value, np.ndarray) and structs_of(inspect.type_info(kind)):
        raise ValueError("expected a mapping of names to values, got an array")
    if unknown := _unknown_field(value, inspect.type_info(kind), ""):
        raise ValueError(unknown)
    try:
        return msgspec.convert(value, kind, dec_hook=_array)
    except msgspec.ValidationError as error:
        raise ValueError(complaint(str(error), kind, value)) from None


def complaint(error: str, kind: Any, value: Any) -> str:
    """msgspec's error about a ``value`` that is no ``kind``, as a sentence about its fields, with
    the nearest known name."""
    message, _, where = error.partition(" - at ")
    if where.startswith("`key` in ") and (found := _key_of_no_name(value, "")) is not None:
        return found
    path = _path(where)
    shown = _with_keys(path, kind, value)
    unknown = re.search(r"unknown field `(\w+)`", message)
    if unknown:
        return _no_field(unknown[1], shown, _fields(type_at(kind, path)))
    missing = re.search(r"missing required field `(\w+)`", message)
    if missing:
        return f"`{'.'.join(p for p in (shown, missing[1]) if p)}` is missing"
    sentence = f"{message[:1].lower()}{message[1:]}"
    if _is_nan(_value_at(value, shown)):  # no bound says what is wrong with it
        sentence = f"{sentence.partition(', got ')[0]}, got nan, which is no number"
    for name, word in _YAML.items():
        sentence = sentence.replace(f"`{name}`", word)
    choice = re.search(r"Invalid enum value '(.*)'", message)
    valid = options(type_at(kind, path))
    if choice and valid:
        sentence = f"it cannot be {choice[1]!r}{instead(choice[1], valid)}"
    return f"`{shown}`: {sentence}" if shown else sentence


def _path(where: str) -> str:
    """Of the place that msgspec names, ``$.nodes[...].restart``, what follows the first dot."""
    return where.strip("`").removeprefix("$").lstrip(".")


def _key_of_no_name(value: Any, path: str) -> str | None:
    """The first key that YAML has read as something else than a text, as a sentence; msgspec names
    only the mapping that it is in. None: each key is a text."""
    inner = enumerate(value) if isinstance(value, list) else _items(value)
    for key, each in inner:
        if isinstance(value, dict) and not isinstance(key, str):
            place = f" in `{path}`" if path else ""
            kind = _KEYS.get(type(key), "a number")
            return f"the key `{key}`{place} is {kind}, where a name has to be: put it in quotes"
        below = f"{path}[{key}]" if isinstance(value, list) else f"{path}.{key}".lstrip(".")
        if (found := _key_of_no_name(each, below)) is not None:
            return found
    return None


def _value_at(value: Any, path: str) -> Any:
    """What is at a path, ``nodes.critic.patience`` or ``rewards[0].weight``; None: nothing is."""
    for step in re.findall(r"[^.[\]]+", path):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _array(kind: Any, value: Any) -> Any:
    if isinstance(value, np.ndarray | list | tuple):
        return np.asarray(value)
    raise ValueError(f"expected an array, got {type(value).__name__}")


def _no_field(name: str, path: str, known: list[str]) -> str:
    place = f" in `{path}`" if path else ""
    if not path:
        return f"there is no `{name}`{instead(name, known)}"
    return f"there is no `{name}`{place}{did_you_mean(name, known)}"


def _unknown_field(value: Any, info: Any, path: str) -> str:
    """The first field that a struct in ``value`` has and its type has not, as a sentence."""
    for struct in structs_of(info):
        if not isinstance(value, dict):
            break
        fields = {field.encode_name: field for field in struct.fields}
        for name, inner in value.items():
            if name not in fields:
                if name == struct.tag_field:
                    continue
                return _no_field(str(name), path, list(fields))
            below = _unknown_field(inner, fields[name].type, f"{path}.{name}".lstrip("."))
            if below:
                return below
        return ""
    info = plain_type(info)
    if isinstance(info, inspect.ListType | inspect.VarTupleType) and isinstance(value, list):
        found = (_unknown_field(v, info.item_type, f"{path}[{i}]") for i, v in enumerate(value))
        return next(filter(None, found), "")
    if isinstance(info, inspect.DictType) and isinstance(value, dict):
        found = (_unknown_field(v, info.value_type, f"{path}.{k}") for k, v in value.items())
        return next(filter(None, found), "")
    return ""


def _with_keys(path: str, kind: Any, value: Any) -> str:
    """A path as msgspec writes it, with the key of the mapping that it leaves open: of
    ``nodes[...].restart``, ``nodes.critic.restart``."""
    before, open_key, after = path.partition("[...]")
    if not open_key:
        return path
    steps = before.split(".") if before else []
    mapping = value
    for step in steps:
        mapping = mapping.get(step) if isinstance(mapping, dict) else None
    keys = (
        key for key, _ in _items(mapping) if _fails_at(path, _with_only(value, steps, key), kind)
    )
    return f"{before}.{next(keys, '*')}{after}".replace("[...]", ".*").lstrip(".")


def _with_only(value: Any, steps: list[str], key: Any) -> Any:
    """``value``, of whose mapping at ``steps`` only this key is left."""
    if not steps:
        return {key: value[key]}
    return {**value, steps[0]: _with_only(value[steps[0]], steps[1:], key)}


def _fails_at(path: str, value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind, dec_hook=_array)
    except msgspec.ValidationError as error:
        return _path(str(error).partition(" - at ")[2]) == path
    return False


def _items(value: Any) -> Iterable[tuple[Any, Any]]:
    return value.items() if isinstance(value, dict) else ()


def _fields(info: Any) -> list[str]:
    return [field.encode_name for struct in structs_of(info) for field in struct.fields]
