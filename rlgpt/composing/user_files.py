"""Files that a user names or writes: read in full, or refused in one sentence."""

from pathlib import Path
from typing import Any

import yaml

from nodes.common.storage.yaml_problem import yaml_problem
from rlgpt.refused import Refused, unreadable

_MOST_VALUES = 10_000
"""That aliases may make of a file: far more than any of ours has."""


def check_regular(path: Path) -> None:
    """Raises Refused for a pipe or a device, whose reader may wait or read for ever."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise Refused(f"{path} is no file but a pipe or a device: name a file")


def read_user_text(path: Path) -> str:
    """Raises Refused: it is no text, or cannot be read."""
    check_regular(path)
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path} cannot be read: {unreadable(error)}") from None
    except ValueError as error:  # a NUL in its name
        raise Refused(f"{path} cannot be read: {error}") from None


def read_user_yaml(path: Path, what: str) -> Any:
    """The values of a file that should be ``what``. Raises Refused."""
    root = compose_user_yaml(path, what, str(path))
    try:
        return None if root is None else yaml.SafeLoader("").construct_document(root)
    except (yaml.YAMLError, ValueError) as error:  # a date that there is not is no YAMLError
        raise Refused(f"{path} is not valid YAML: {yaml_problem(error)}") from None
    except RecursionError:
        raise Refused(f"{path} is nested too deeply to be {what}") from None


def compose_user_yaml(path: Path, what: str, name: str) -> yaml.Node | None:
    """The same as nodes, nothing of which is expanded yet. ``name``: of the file in a sentence.
    Raises Refused, also where aliases of aliases would make too much of it."""
    check_regular(path)
    try:
        root = yaml.compose(path.read_text("utf-8"), yaml.SafeLoader)
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
