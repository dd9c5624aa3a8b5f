"""Files that a user names or writes: read in full, or refused in one sentence."""

from pathlib import Path
from typing import Any

import yaml

from nodes.common.storage.yaml_numbers import NumbersLoader
from nodes.common.storage.yaml_problem import yaml_problem
from rlgpt.refused import Refused, unreadable

_MOST_VALUES = 10_000
"""That aliases may make of a file: far more than any of ours has."""
_MOST_BYTES = 10_000_000  # of a text; more is no file that someone wrote, and no message takes it
_MOST_YAML_BYTES = 1_000_000  # it takes Python some seconds to read as much


def check_regular(path: Path) -> None:
    """Raises Refused for a pipe or a device, whose reader may wait or read for ever."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise Refused(f"{path} is no file but a pipe or a device: name a file")


def _check_size(path: Path, most: int) -> None:
    """Raises Refused, and the OSError of a file that is not there."""
    if (size := path.stat().st_size) > most:
        raise Refused(f"{path} has {size:,} bytes, and at most {most:,} are read: is it the file?")


def read_user_text(path: Path) -> str:
    """Raises Refused: it is no text, or cannot be read."""
    check_regular(path)
    try:
        _check_size(path, _MOST_BYTES)
        return path.read_text("utf-8-sig")  # some editors write a mark before the first letter
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path} cannot be read: {unreadable(error)}") from None
    except ValueError as error:  # a NUL in its name
        raise Refused(f"{path} cannot be read: {error}") from None


def read_user_yaml(path: Path, what: str) -> Any:
    """The values of a file that should be ``what``. Raises Refused."""
    root = compose_user_yaml(path, what, str(path))
    if root is not None and (twice := _named_twice(root)) is not None:
        key, line = twice
        raise Refused(f"{path} is not valid YAML: line {line}: `{key}` is there twice")
    try:
        return None if root is None else NumbersLoader("").construct_document(root)
    except (yaml.YAMLError, ValueError) as error:  # a date that there is not is no YAMLError
        raise Refused(f"{path} is not valid YAML: {yaml_problem(error)}") from None
    except RecursionError:
        raise Refused(f"{path} is nested too deeply to be {what}") from None


def compose_user_yaml(path: Path, what: str, name: str) -> yaml.Node | None:
    """The same as nodes, nothing of which is expanded yet. ``name``: of the file in a sentence.
    Raises Refused, also where aliases of aliases would make too much of it."""
    check_regular(path)
    try:
        _check_size(path, _MOST_YAML_BYTES)
        root = yaml.compose(path.read_text("utf-8"), NumbersLoader)
        size = 0.0 if root is None else _expanded(root)
    except OSError as error:
        raise Refused(f"{name} cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise Refused(f"{name} is not valid YAML: {yaml_problem(error)}") from None
    except RecursionError:
        raise Refused(f"{name} is nested too deeply to be {what}") from None
    if size > _MOST_VALUES:
        raise Refused(
            f"{name}: its YAML aliases (*name) make more than {_MOST_VALUES:,} values of it: "
            "write out what they stand for"
        )
    return root


def _named_twice(root: yaml.Node) -> tuple[str, int] | None:
    """A key that a mapping has twice, and its line; PyYAML takes the last one, and says nothing."""
    waiting, done = [root], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in done:
            continue
        done.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
        if not isinstance(node, yaml.MappingNode):
            continue
        known: set[tuple[str, str]] = set()
        for key, value in node.value:
            waiting.append(value)
            if not isinstance(key, yaml.ScalarNode):
                continue
            if (key.tag, key.value) in known:
                return key.value, key.start_mark.line + 1
            known.add((key.tag, key.value))
    return None


def _expanded(root: yaml.Node) -> float:
    """How many values it has with its aliases expanded; 0 where it has none."""
    known: dict[int, float] = {}
    count = _count(root, known)
    return count if count > len(known) else 0.0


def _count(node: yaml.Node, known: dict[int, float]) -> float:
    """``known``: by the id of a node. One that is inside itself has no end."""
    if id(node) not in known:
        known[id(node)] = float("inf")
        inner: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            inner = [each for pair in node.value for each in pair]
        elif isinstance(node, yaml.SequenceNode):
            inner = node.value
        known[id(node)] = 1.0 + sum(_count(each, known) for each in inner)
    return known[id(node)]
