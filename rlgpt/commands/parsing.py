"""What the commands' arguments have in common."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, TypeAlias

from nodes.common.running.plain_text import plain_line, plain_sentence
from nodes.common.running.standard_error import to_stderr
from rlgpt.refused import Refused, instead

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Where a command is added. Each sets ``do``, which is called with its arguments and with the words
that it does not know; these are refused before unless it sets ``takes_more``."""


class _Commands(argparse._SubParsersAction):  # type: ignore[type-arg]
    """Commands whose own help says at least what the list of commands says of them."""

    def add_parser(self, name: str, **options: Any) -> argparse.ArgumentParser:
        if text := options.get("help"):
            options.setdefault("description", f"{text[0].upper()}{text[1:]}.")
        return super().add_parser(name, **options)


class _Parser(argparse.ArgumentParser):
    """Attributes of what it reads: ``parser``, that of the word that the command ends with."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.register("action", "parsers", _Commands)

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Any = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        given, more = super().parse_known_args(args, namespace)
        lists = [each for each in self._get_positional_actions() if each.nargs in ("*", "+")]
        if lists and more and not any(word.startswith("-") for word in more):
            name = lists[-1].dest  # what goes on behind an option
            setattr(given, name, [*getattr(given, name), *more])
            more = []
        if not hasattr(given, "parser"):  # the innermost is the first one
            given.parser = self
        return given, more

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        known = [str(each) for each in action.choices or ()]
        if not known or str(value) in known:
            return
        others = instead(str(value), known)
        if isinstance(action, argparse._SubParsersAction):
            raise argparse.ArgumentError(None, f"there is no command `{self.prog} {value}`{others}")
        raise argparse.ArgumentError(action, f"it cannot be `{value}`{others}")

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            if action.type not in (int, float):
                raise
            kind = "no whole number" if action.type is int else "no number"
            raise argparse.ArgumentError(action, f"`{arg_string}` is {kind}") from None

    def _match_arguments_partial(
        self, actions: Sequence[argparse.Action], arg_strings_pattern: str
    ) -> list[int]:
        # As of Python 3.13: an argument that may be left out can also stand behind an option, as
        # the JSON of `service call /x --run R '{}'`. Before, it counted as left out at the option.
        counts: list[int] = super()._match_arguments_partial(actions, arg_strings_pattern)  # type: ignore[misc]
        if arg_strings_pattern[sum(counts) :].startswith("O"):
            while counts and not counts[-1]:
                counts.pop()
        return counts

    def error(self, message: str) -> NoReturn:
        super().error(plain_sentence(message))

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse leaves out what cannot be written: with a full disk, help would be a success.
        if file is not None and file is sys.stdout:
            file.write(message)
        else:
            super()._print_message(message, file)


def parser_of(prog: str, description: str) -> argparse.ArgumentParser:
    """The parser that commands are added to, whose own parsers are of its class."""
    return _Parser(prog=prog, description=description, allow_abbrev=False)


def refuse_more(given: argparse.Namespace, more: list[str]) -> None:
    """Ends the command where there are words that it does not take."""
    if more:
        option = more[0].startswith("-")
        what = "no option" if option else "a surplus argument"
        given.parser.error(f"`{more[0]}` is {what} of this command")


def group(commands: Commands, name: str, text: str) -> Commands:
    """A word that is followed by another one, ``rlgpt node list``."""
    parser = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    return parser.add_subparsers(dest="what", required=True, metavar="WHAT")


def add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--run", default=None, metavar="RUN", help="a run folder; default: the newest below runs/"
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


class _Help(argparse.HelpFormatter):
    """Fills paragraphs, but leaves examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("example"):
            return text
        return super()._fill_text(text, width, indent)


def example(*lines: str) -> dict[str, Any]:
    """What a parser is given so that its help ends with examples."""
    shown = "".join(f"\n  {line}" for line in lines)
    return {
        "epilog": f"example{'s' if len(lines) > 1 else ''}:{shown}",
        "formatter_class": _Help,
    }


def add_until(parser: argparse.ArgumentParser) -> None:
    """When a command that prints what comes ends."""
    parser.add_argument("--count", type=int, default=0, metavar="N", help="end after N messages")
    parser.add_argument("--once", action="store_const", dest="count", const=1, help="end after one")
    parser.add_argument(
        "--timeout", type=float, default=None, metavar="S", help="end after S seconds of silence"
    )


def add_overrides(parser: argparse.ArgumentParser, text: str, metavar: str = "key=value") -> None:
    parser.add_argument("overrides", nargs="*", default=[], metavar=metavar, help=text)


def without_options(words: list[str]) -> tuple[list[str], list[str]]:
    """The words that begin with ``-``, as ``-critic`` does, without it; and the others. Raises
    Refused for a word that begins with ``--``, which no calling command takes."""
    for word in words:
        if word.startswith("--"):
            raise Refused(f"`{word}` is no option of this command; see --help")
    dashed = [word.removeprefix("-") for word in words if word.startswith("-")]
    return dashed, [word for word in words if not word.startswith("-")]


def note_repeated(overrides: list[str]) -> None:
    """Say on stderr which keys are set to several values. As in all of Hydra the last one counts,
    so that a script's own can be overridden; typed by mistake it would be another launch."""
    values: dict[str, list[str]] = {}
    for override in overrides:
        key, equals, value = override.lstrip("+").partition("=")
        if equals:
            values.setdefault(key, []).append(value)
    for key, given in values.items():
        if len(set(given)) > 1:
            shown = f"`{key}` is set {len(given)} times; the last one counts: {key}={given[-1]}"
            to_stderr(plain_line(shown))
