"""The page of the command line, made from the parsers that the commands themselves use."""

import argparse
import re
from collections.abc import Iterator

from rlgpt.command_line import command_parser

_ANGLE = re.compile(r"[<>]")


def commands(
    given: argparse.ArgumentParser, name: str = "rlgpt"
) -> Iterator[tuple[str, argparse.ArgumentParser, str]]:
    """Each command that does something: its words, its parser and one line of help."""
    found = _subcommands(given)
    if found is None:
        yield name, given, ""
        return
    lines = {each.dest: each.help or "" for each in found._choices_actions}
    for word, inner in found.choices.items():
        for words, its, text in commands(inner, f"{name} {word}"):
            yield words, its, text or (lines.get(word, "") if words == f"{name} {word}" else "")


def page() -> str:
    """Markdown."""
    parts = [
        "# Command line\n",
        "Made from the commands' own parsers. `rlgpt COMMAND --help` prints the same. Exit codes: "
        "0 done, 1 failed on its way, 2 refused, 128 + n ended by signal n.\n",
    ]
    parts += [_section(*command) for command in commands(command_parser())]
    return "\n".join(parts)


def _section(name: str, its: argparse.ArgumentParser, text: str) -> str:
    formatter = its._get_formatter()
    formatter.add_usage(its.usage, its._actions, its._mutually_exclusive_groups)
    usage = formatter.format_help().removeprefix("usage: ").strip().replace("\n       ", "\n")
    parts = [f"## {name}\n"]
    if said := its.description or text:
        said = _text(said)
        parts.append(f"{said[:1].upper()}{said[1:]}\n")
    parts.append(f"```text\n{usage}\n```\n")
    rows = [row for action in its._actions if (row := _row(action)) is not None]
    if rows:
        parts.append("| argument | |\n|---|---|")
        parts.append("\n".join(rows) + "\n")
    if its.epilog:
        shown = "\n".join(line.strip() for line in its.epilog.splitlines()[1:])
        parts.append(f"```text\n{shown}\n```\n")
    return "\n".join(parts)


def _row(action: argparse.Action) -> str | None:
    if isinstance(action, argparse._HelpAction) or action.help == argparse.SUPPRESS:
        return None
    shown = action.metavar if isinstance(action.metavar, str) else action.dest
    if action.choices is not None and not isinstance(action.metavar, str):
        shown = ", ".join(map(str, action.choices))
    if action.option_strings:
        shown = ", ".join(action.option_strings) + ("" if action.nargs == 0 else f" {shown}")
    shown = shown.replace("|", "\\|")
    return f"| `{shown}` | {_text(action.help or '')} |"


def _text(text: str) -> str:
    text = " ".join((text % {"prog": "rlgpt"} if "%(" in text else text).split())
    return _ANGLE.sub(lambda found: f"\\{found[0]}", text.replace("|", "\\|").replace("*", "\\*"))


def _subcommands(
    given: argparse.ArgumentParser,
) -> "argparse._SubParsersAction[argparse.ArgumentParser] | None":
    return next((a for a in given._actions if isinstance(a, argparse._SubParsersAction)), None)
