"""YAML in which ``5e-4`` is a number, as it is in JSON and in Hydra's files. PyYAML, which reads
YAML 1.1, requires a dot in it and takes it for a text."""

import re
from typing import Any

import yaml

_TAG = "tag:yaml.org,2002:float"
_FLOAT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$")
_FIRST = list("-+.0123456789")


class NumbersLoader(yaml.SafeLoader):
    """Reads it."""


class NumbersDumper(yaml.SafeDumper):
    """Writes it: a text that looks like such a number is put in quotes."""


for _each in (NumbersLoader, NumbersDumper):
    _each.add_implicit_resolver(_TAG, _FLOAT, _FIRST)  # pyright: ignore[reportUnknownMemberType]


def read_yaml(text: str) -> Any:
    """The values of a document.

    Raises:
        yaml.YAMLError, ValueError: it is none; of a date that does not exist the latter.
        RecursionError: it is nested too deeply.
    """
    return yaml.load(text, NumbersLoader)


def written_yaml(values: Any) -> str:
    """A document that `read_yaml` reads as these values, in their order."""
    return yaml.dump(values, Dumper=NumbersDumper, sort_keys=False, allow_unicode=True)
