"""What the commands' arguments have in common."""

import argparse
from typing import TypeAlias

from rlgpt.refused import Refused

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Where a command is added. Each sets ``do``, which is called with its arguments and with the words
that it does not know; these are refused before unless it sets ``takes_more``."""


def group(commands: Commands, name: str, text: str) -> Commands:
    """A word that is followed by another one, ``rlgpt node list``."""
    parser = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    return parser.add_subparsers(dest="what", required=True, metavar="WHAT")


def add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--run", default=None, metavar="RUN", help="a run folder; default: the newest below runs/"
    )


def add_overrides(parser: argparse.ArgumentParser, metavar: str = "key=value") -> None:
    parser.add_argument("overrides", nargs="*", default=[], metavar=metavar)


def without_options(words: list[str]) -> tuple[list[str], list[str]]:
    """The words that begin with ``-``, as ``-critic`` does, without it; and the others. Raises
    Refused for one with two, which no command takes that asks here."""
    for word in words:
        if word.startswith("--"):
            raise Refused(f"`{word}` means nothing here; --help says what does")
    dashed = [word.removeprefix("-") for word in words if word.startswith("-")]
    return dashed, [word for word in words if not word.startswith("-")]
