"""The types of messages: their fields, and a value to fill in."""

import inspect
import re
from typing import Any

import msgspec
from msgspec import inspect as types

from messages.array import Array
from rlgpt.inspecting.output import json_line, print_facts, print_rows
from rlgpt.interfaces import message_types
from rlgpt.refused import Refused, did_you_mean

_MODULE = re.compile(r"messages\.[a-z_]+\.|typing\.")
_COLUMNS = {"type": "type", "module": "module", "used by": "used_by"}


def list_types(as_json: bool = False) -> int:
    """Print the types of all messages that messages/ declares endpoints for."""
    rows = [
        {"type": name, "module": kind.__module__, "used_by": sorted(used)}
        for name, (kind, used) in sorted(message_types().items())
    ]
    if not as_json:
        rows = [row | {"used_by": ", ".join(row["used_by"])} for row in rows]
    print_rows(rows, _COLUMNS, as_json)
    return 0


def show_type(name: str, as_json: bool = False, template: bool = False) -> int:
    """Print a message's fields with their types and defaults; with ``template`` a JSON value of it
    to fill in, with ``as_json`` its JSON schema."""
    known = message_types()
    if name not in known:
        raise Refused(
            f"messages/ has no type `{name}`{did_you_mean(name, known)} "
            "(`rlgpt interface list` has them)"
        )
    kind, used = known[name]
    if template:
        print(json_line(_example(types.type_info(kind))))
        return 0
    if as_json:
        schema = msgspec.json.schema(kind, schema_hook=lambda _: {"type": "object"})
        print(json_line(schema))
        return 0
    facts: dict[str, Any] = {"type": name}
    if kind.__doc__:
        facts["what"] = inspect.cleandoc(kind.__doc__).split("\n")
    facts["fields"] = [_line(field) for field in msgspec.structs.fields(kind)]
    facts["used_by"] = sorted(used)
    print_facts(facts, as_json=False)
    return 0


def _line(field: msgspec.structs.FieldInfo) -> str:
    kind = _type_name(field.type)
    if field.required:
        return f"{field.encode_name}: {kind}"
    default = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    return f"{field.encode_name}: {kind} = {json_line(default)}"


def _type_name(kind: Any) -> str:
    if kind is Array:
        return "array"
    return (
        getattr(kind, "__name__", str(kind))
        if isinstance(kind, type)
        else _MODULE.sub("", str(kind))
    )


def _example(info: Any) -> Any:
    """A value of a type, every required field in it."""
    while isinstance(info, types.Metadata):
        info = info.type
    if isinstance(info, types.StructType):
        return {
            field.encode_name: _example(field.type) if field.required else _default(field)
            for field in info.fields
        }
    if isinstance(info, types.UnionType):
        return _example(info.types[0])
    if isinstance(info, types.LiteralType | types.EnumType):
        return info.values[0] if isinstance(info, types.LiteralType) else next(iter(info.cls)).value
    if isinstance(info, types.VarTupleType | types.ListType | types.SetType):
        return []
    if isinstance(info, types.TupleType):
        return [_example(each) for each in info.item_types]
    plain = {types.IntType: 0, types.FloatType: 0.0, types.StrType: "", types.BoolType: False}
    return next((value for kind, value in plain.items() if isinstance(info, kind)), {})


def _default(field: types.Field) -> Any:
    if field.default is not msgspec.NODEFAULT:
        return field.default
    return field.default_factory() if field.default_factory is not msgspec.NODEFAULT else None
