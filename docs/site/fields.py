"""The fields of a struct with their types, defaults and the comments beside them in its source."""

import inspect
import io
import re
import tokenize
from typing import Annotated, Any, NamedTuple, get_args, get_origin

import msgspec

from messages.array import Array

_ANY = 2**62  # a bound beyond this is that of the wire, not of the subject
_MODULES = re.compile(r"\b(?:messages|nodes|rlgpt|worlds|typing|collections\.abc)(?:\.[a-z_]+)*\.")


class Field(NamedTuple):
    name: str
    kind: str
    default: str  # "" where there is none
    note: str


def fields(kind: type[msgspec.Struct]) -> list[Field]:
    """The fields of a message in their order. A field that a base declares has its comment from
    there."""
    notes: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if issubclass(base, msgspec.Struct) and base is not msgspec.Struct:
            notes |= _notes(base)
    return [
        Field(each.name, type_name(each.type), _default(each), notes.get(each.name, ""))
        for each in msgspec.structs.fields(kind)
    ]


def table(kind: type[msgspec.Struct]) -> str:
    """Markdown."""
    rows = [
        f"| `{name}` | `{cell(its)}` | {f'`{cell(default)}`' if default else ''} | {prose(note)} |"
        for name, its, default, note in fields(kind)
    ]
    if not rows:
        return "No fields.\n"
    return "\n".join(["| field | type | default | |", "|---|---|---|---|", *rows, ""])


def type_name(kind: Any) -> str:
    """A type as one would write it."""
    if kind is Array:
        return "array"
    if get_origin(kind) is Annotated:
        inner, *bounds = get_args(kind)
        return ", ".join([type_name(inner), *(each for meta in bounds for each in _bounds(meta))])
    if isinstance(kind, type) and not getattr(kind, "__args__", None):
        return kind.__name__
    return _MODULES.sub("", str(kind)).replace("NoneType", "None")


def _bounds(meta: Any) -> list[str]:
    """What a type is bounded by, in words."""
    words = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    bounds = {name: getattr(meta, name, None) for name in words}
    found = [
        f"{words[name]} {bound}"
        for name, bound in bounds.items()
        if bound is not None and bound < _ANY
    ]
    if getattr(meta, "min_length", None):
        found.append(f"length at least {meta.min_length}")
    return found


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def prose(text: str) -> str:
    """A comment as a cell of a table: nothing in it is markup but `code`."""
    parts = re.split(r"(``[^`]*``|`[^`]*`)", cell(text))
    return "".join(
        f"`{part.strip('`')}`" if part.startswith("`") else re.sub(r"([<>*_\[\]])", r"\\\1", part)
        for part in parts
    )


def document(kind: type[Any]) -> str:
    """The docstring as paragraphs of Markdown; empty where the class has none of its own."""
    text = inspect.cleandoc(vars(kind).get("__doc__") or "")
    paragraphs = text.split("\n\n")
    return "\n\n".join(prose(each) for each in paragraphs) + "\n" if text else ""


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return ""
    made = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    if isinstance(made, msgspec.Struct):
        return "its defaults"
    return msgspec.json.encode(made, enc_hook=str).decode()


def _notes(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Comments by field: those behind it on its line, and the lines of comments above it."""
    try:
        source = inspect.cleandoc("\n" + inspect.getsource(kind))
    except (OSError, TypeError):
        return {}
    lines = source.splitlines()
    behind: dict[int, str] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                behind[token.start[0]] = token.string.lstrip("# ").strip()
    except tokenize.TokenError:
        return {}
    found: dict[str, str] = {}
    above: list[str] = []
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("#"):
            above.append(behind.get(number, ""))
            continue
        if match := re.match(r"    ([a-z_]\w*)\s*:", line):
            note = " ".join([*above, behind.get(number, "")]).strip()
            found[match[1]] = re.sub(r"^(noqa|type|pyright): ?\S+", "", note).strip()
        above = []
    return found
