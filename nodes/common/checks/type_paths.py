"""Types inside a message's or a parameter struct's type, by the path of a value as msgspec writes
it in its errors."""

import re
from typing import Any

from msgspec import inspect


def type_at(kind: Any, path: str) -> Any:
    """The type at a path, ``nodes[...].restart``, as `msgspec.inspect` has it; None: there is
    none."""
    info: Any = inspect.type_info(kind)
    for step in re.findall(r"\w+|\[[^]]*\]", path):
        info = plain_type(info)
        if step.startswith("["):
            info = getattr(info, "item_type", None) or getattr(info, "value_type", None)
        else:
            fields = [f for s in structs_of(info) for f in s.fields if f.encode_name == step]
            info = fields[0].type if fields else None
        if info is None:
            return None
    return info


def structs_of(info: Any) -> list[inspect.StructType]:
    """The one struct that a type is, or is beside ``None``; msgspec distinguishes several."""
    info = plain_type(info)
    return [info] if isinstance(info, inspect.StructType) else []


def plain_type(info: Any) -> Any:
    """Without metadata, and without a ``None`` that is allowed as well."""
    while isinstance(info, inspect.Metadata):
        info = info.type
    if isinstance(info, inspect.UnionType):
        types = [each for each in info.types if not isinstance(each, inspect.NoneType)]
        return plain_type(types[0]) if len(types) == 1 else info
    return info


def options(info: Any) -> list[str]:
    """All values of a type that has only a few, as one writes them in YAML; else none."""
    info = plain_type(info)
    if isinstance(info, inspect.UnionType):
        return [value for each in info.types for value in options(each)]
    if isinstance(info, inspect.BoolType):
        return ["true", "false"]
    return [str(value) for value in info.values] if isinstance(info, inspect.LiteralType) else []
