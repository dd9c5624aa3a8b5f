"""What Hydra would report in its own words of a launch file, or of a file of its groups."""

import contextlib
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml

from rlgpt.composing.configuration import Stack
from rlgpt.composing.user_files import compose_user_yaml
from rlgpt.refused import Refused


def check_launch_file(path: Path, folders: Sequence[Path], overrides: Iterable[str]) -> None:
    """Check a launch file, and what it is composed of: the files that the `defaults` lists name,
    and those of the groups that the overrides choose.

    Args:
        folders: where the names in `defaults` are looked for, in this order.

    Raises:
        Refused: one is no text, no YAML or no mapping, its aliases would make too much of it, a key
            is no name, or a list stands where a launch has a mapping.
    """
    chosen = dict(pair for each in overrides if (pair := _choice(each)) is not None)
    # A file by its group ("" for a launch file): `defaults` inside a group are seen from there.
    left = [(path, "", path.name)]
    for group, option in chosen.items():
        left += _file(folders, group, option)
    checked: set[Path] = set()
    while left:
        file, group, name = left.pop()
        if file in checked:
            continue
        checked.add(file)
        for inner, option in _defaults(_checked(file, name, whole=not group)):
            if inner.startswith("/"):
                wanted = inner.strip("/")
            else:
                wanted = "/".join(part for part in (group, inner) if part)
            left += _file(folders, wanted, option if not inner else chosen.get(wanted, option))


def _checked(path: Path, name: str, whole: bool) -> yaml.MappingNode | None:
    """What is in the file; None: nothing. ``whole``: it is a launch, and not a group's part of one.
    Raises Refused."""
    root = compose_user_yaml(path, "a launch file", name)
    if root is None:
        return None
    if not isinstance(root, yaml.MappingNode):
        raise Refused(f"{name} is no launch file: it should be a mapping of names to values")
    mappings = _mappings() if whole else set[str]()
    for key, value in root.value:
        if not isinstance(key, yaml.ScalarNode):
            raise Refused(
                f"{name}, line {key.start_mark.line + 1}: a list or a mapping is no key: "
                "write NAME: VALUE"
            )
        if key.value in mappings and isinstance(value, yaml.SequenceNode):
            raise Refused(
                f"{name}, line {value.start_mark.line + 1}: `{key.value}` is a list, and "
                "should be a mapping of names to values"
            )
    return root


def _choice(override: str) -> tuple[str, str] | None:
    """The group and the name that an override may choose; None: it sets or removes something."""
    key, equals, option = override.partition("=")
    return (key.lstrip("+"), option) if equals and not key.startswith("~") else None


def _defaults(root: yaml.MappingNode | None) -> Iterator[tuple[str, str]]:
    """Group and name of each entry of a file's `defaults`; the group of a file beside it is "".
    What Hydra would not take is left to it."""
    pairs: Mapping[str, yaml.Node] = {} if root is None else {k.value: v for k, v in root.value}
    entries = pairs.get("defaults")
    for entry in entries.value if isinstance(entries, yaml.SequenceNode) else []:
        if isinstance(entry, yaml.ScalarNode):
            group, _, option = entry.value.rpartition("/")
            # `/name` is a launch file, `/group/name` one of a group.
            yield ("/" + group.strip("/") if entry.value.startswith("/") else group, option)
        elif isinstance(entry, yaml.MappingNode):
            for key, value in entry.value:
                words = str(key.value).split() or [""]  # `optional GROUP`, `override GROUP`
                options = value.value if isinstance(value, yaml.SequenceNode) else [value]
                for option in options:
                    if isinstance(option, yaml.ScalarNode):
                        yield (words[-1].partition("@")[0], option.value)


def _file(folders: Iterable[Path], group: str, option: str) -> list[tuple[Path, str, str]]:
    """The file of that name with its group and how a sentence calls it; none where there is none,
    as for `_self_`."""
    name = option.partition("@")[0].removesuffix(".yaml")
    if not name or name.startswith("/"):  # a path, as `run=` may have
        return []
    for folder in folders:
        path = folder / group / f"{name}.yaml"
        with contextlib.suppress(OSError, ValueError):  # too long for a name, or with a NUL
            if path.is_file():
                return [(path, group, str(path) if group else path.name)]
    return []


def undecodable(folders: Iterable[Path]) -> Path | None:
    """The first YAML file below the folders that is no text in UTF-8."""
    for folder in folders:
        for path in sorted(folder.rglob("*.yaml")):
            try:
                path.read_text("utf-8")
            except UnicodeDecodeError:
                return path
            except OSError:
                continue
    return None


def _mappings() -> set[str]:
    """Keys of a launch whose values are mappings."""

    def is_mapping(kind: Any) -> bool:
        kinds = typing.get_args(kind) if typing.get_origin(kind) is not dict else (kind,)
        return any(
            typing.get_origin(each) is dict
            or (isinstance(each, type) and issubclass(each, msgspec.Struct))
            for each in kinds or (kind,)
        )

    return {f.encode_name for f in msgspec.structs.fields(Stack) if is_mapping(f.type)}
