"""Every command, and every argument of it, says in its help what it is."""

import argparse
import importlib
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from rlgpt.command_line import command_parser

PROGRAMS = (
    "nodes.llm.training.__main__",
    "voxeldojo.demonstrations.__main__",
    "voxeldojo.engine.fingerprint",
    "voxeldojo.malmo.__main__",
    "voxeldojo.obtainable.__main__",
    "voxeldojo.viewing.by_hand",
    "voxeldojo.viewing.view",
)
"""Those that `rlgpt llm`, `rlgpt world` and `voxeldojo` hand their arguments to."""


class Found(Exception):
    """Carries the parser of a program that was about to parse its arguments."""


def test_commands_and_their_arguments_have_help() -> None:
    found = [*_without_help(command_parser(), "rlgpt")]
    assert not found, found


@pytest.mark.parametrize("module", PROGRAMS)
def test_programs_that_parse_their_own_arguments_have_help(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        raise Found(parser)

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop)
    with pytest.raises(Found) as found:
        importlib.import_module(module).main()
    parser = found.value.args[0]
    missing = [*_without_help(parser, parser.prog)]
    assert not missing, missing


def _without_help(parser: argparse.ArgumentParser, command: str) -> Iterator[str]:
    commands = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if not commands and not parser.description and parser.add_help:
        yield f"{command} does not describe itself"
    for action in parser._actions:
        if action in commands:
            for name, inner in action.choices.items():
                yield from _without_help(inner, f"{command} {name}")
        elif not action.help:
            yield f"{command}: {', '.join(action.option_strings) or action.dest}"
