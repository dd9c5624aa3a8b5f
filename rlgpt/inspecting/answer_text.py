"""A waiting answer as text that a person edits, and such text as an answer: for the command line
and the page alike."""

from pathlib import Path

import msgspec
import yaml

from messages.breaking import Held
from nodes.common.storage.yaml_numbers import NumbersDumper, read_yaml
from nodes.common.storage.yaml_problem import yaml_problem
from rlgpt.composing.user_files import read_user_text
from rlgpt.refused import Refused


def draft(held: Held) -> str:
    """An answer as YAML, in which programs are lines."""
    values = msgspec.json.decode(held.answer) if held.answer else {}
    return yaml.dump(values, Dumper=_Lines, sort_keys=False, allow_unicode=True, width=100)


def read_answer(path: Path, held: Held) -> str:
    """The answer of a file as JSON: JSON or YAML, or a program's source (``.py``), which takes the
    place of the one in the answer. Raises Refused."""
    text = read_user_text(path)
    if path.suffix == ".py":
        values = msgspec.json.decode(held.answer) if held.answer else {}
        if held.note.kind not in ("program", "guard"):
            raise Refused(f"an answer to {held.note.kind} has no program: give JSON or YAML")
        return msgspec.json.encode({**values, "source": text}).decode()
    return answer_of(text, str(path))


def answer_of(text: str, where: str) -> str:
    """An answer that was written as JSON or YAML, as JSON. ``where``: what has the text, for the
    sentence of Refused."""
    try:
        # A few aliases of aliases make gigabytes of a line.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            raise Refused(f"{where} has YAML aliases (*name): write out what they stand for")
        return msgspec.json.encode(read_yaml(text)).decode()
    except (yaml.YAMLError, TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise Refused(f"{where} is neither JSON nor YAML: {yaml_problem(error)}") from None


class _Lines(NumbersDumper):
    """Writes text of several lines as such."""


def _represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Lines.add_representer(str, _represent)
