"""What Hydra would report in its own words of a launch file, or of a file of its groups."""

import typing
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import yaml

from rlgpt.composing.configuration import Stack
from rlgpt.composing.user_files import compose_user_yaml
from rlgpt.refused import Refused


def check_launch_file(path: Path) -> None:
    """Raises Refused: it is no text, no YAML or no mapping, its aliases would make too much of it,
    a key is no name, or a list where a launch has a mapping."""
    root = compose_user_yaml(path, "a launch file", path.name)
    if root is None:
        return
    if not isinstance(root, yaml.MappingNode):
        raise Refused(f"{path.name} is no launch file: it should be a mapping of names to values")
    mappings = _mappings()
    for key, value in root.value:
        if not isinstance(key, yaml.ScalarNode):
            raise Refused(
                f"{path.name}, line {key.start_mark.line + 1}: a list or a mapping is no key: "
                "write NAME: VALUE"
            )
        if key.value in mappings and isinstance(value, yaml.SequenceNode):
            raise Refused(
                f"{path.name}, line {value.start_mark.line + 1}: `{key.value}` is a list, and "
                "should be a mapping of names to values"
            )


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
