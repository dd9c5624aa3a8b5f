"""Completion of words: what may come next on a line that begins with ``rlgpt``."""

import argparse
from collections.abc import Iterable, Mapping

from messages.breaking import ASKED
from messages.world import DEFAULT_GAME

_BASH = """\
_rlgpt() {
    local line="${COMP_LINE:0:COMP_POINT}"
    local word="${line##*[[:space:]]}"
    # Readline takes what follows a `=` or `:` for a word of its own.
    local cut="${word%"${word##*[=:]}"}"
    local IFS=$'\\n'
    COMPREPLY=($(rlgpt completion --line "$line" 2>/dev/null))
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    COMPREPLY=("${COMPREPLY[@]#"$cut"}")
}
complete -o default -F _rlgpt rlgpt"""
_ZSH = """\
_rlgpt() {
    local -a found
    found=("${(@f)$(rlgpt completion --line "$LBUFFER" 2>/dev/null)}")
    compadd -S '' -- $found
}
compdef _rlgpt rlgpt"""
_GROUPS = ("task", "world", "llm", "learner", "method")
"""The groups of launch files, by ``group=option``."""
_KEYS = ("task.id=", "prompt=", "seed=", "run=", *(f"{group}=" for group in _GROUPS))


def script(shell: str) -> str:
    """The completion script for a shell's own start file."""
    return {"bash": _BASH, "zsh": _ZSH}[shell]


def candidates(parser: argparse.ArgumentParser, line: str) -> list[str]:
    """The words that the last, perhaps empty, word of a line may become."""
    words = line.split()
    if not words or line[-1].isspace():
        words.append("")
    *before, last = words[1:] or [""]
    names: list[str] = []
    for word in before:
        commands = _commands(parser)
        if word in commands:
            parser = commands[word]
            names.append(word)
    known = [*(_commands(parser) or _values(names, before, last)), *_options(parser, last)]
    return sorted({word for word in known if word.startswith(last)})


def _commands(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """The words that choose among what a command does."""
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]
        if isinstance(action, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage]
            return action.choices
    return {}


def _options(parser: argparse.ArgumentParser, last: str) -> Iterable[str]:
    """Options, once a dash is there; the choices of an argument."""
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]
        if action.help == argparse.SUPPRESS:
            continue
        if action.option_strings and last.startswith("-"):
            yield from action.option_strings
        elif not action.option_strings and action.choices:
            yield from action.choices


def _values(names: list[str], before: list[str], last: str) -> Iterable[str]:
    key, equals, _ = last.partition("=")
    if equals and names != ["task", "search"]:
        from rlgpt.composing.composition import group_options  # Hydra: only where it is needed

        options = _ids() if key == "task.id" else group_options(key) if key in _GROUPS else []
        return [f"{key}={option}" for option in options]
    match names:
        case ["launch"] if not [word for word in before[1:] if not word.startswith("-")]:
            from rlgpt.composing.composition import launch_files

            return launch_files()
        case ["launch"]:
            return _KEYS
        case ["task", "show"]:
            return _ids()
        case ["task", "list"]:
            return [*_kinds(), "programmatic"]
        case ["break", "set" | "clear"]:
            return [f"{agent}/{kind}" for agent, kinds in ASKED.items() for kind in kinds]
        case ["ask"] if len(before) == 1:
            return ASKED
        case _:
            return []


def _ids() -> list[str]:
    from rlgpt.composing.named_goals import goals_of

    return goals_of(DEFAULT_GAME).names()


def _kinds() -> list[str]:
    from rlgpt.composing.named_goals import goals_of

    return list(goals_of(DEFAULT_GAME).kinds)
