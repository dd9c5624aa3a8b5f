"""The command line of ``rlgpt``: the words that it takes, each a module of rlgpt/commands/."""

import argparse
import os
from collections.abc import Sequence

from nodes.common.running.standard_error import to_stderr
from rlgpt.commands import (
    action,
    ask,
    bag,
    breakpoints,
    compare,
    completion,
    dash,
    doctor,
    episode,
    graph,
    interface,
    keys,
    launch,
    llm,
    node,
    param,
    profile,
    program,
    prompt,
    report,
    resume,
    run,
    runs,
    service,
    skill,
    table,
    task,
    topic,
    train,
    world,
)  # fmt: skip
from rlgpt.commands.parsing import parser_of, refuse_more
from rlgpt.refused import Refused
from rlgpt.version import Version

COMMANDS = (
    launch, resume, train, task, table, runs, compare, dash, report, profile, episode, run,
    keys, llm, prompt, ask, breakpoints, program, skill, node, topic, service, action, param,
    interface, bag, graph, doctor, world,
)  # fmt: skip
"""In the order of the help; `completion` comes after them, as it completes them all."""


def run_command(arguments: Sequence[str]) -> int:
    """Run one command; returns its exit code."""
    parser = command_parser()
    try:
        _check_text(arguments)
        given, more = parser.parse_known_args(arguments)
        if not given.takes_more:
            refuse_more(given, more)
        return given.do(given, more)
    except Refused as refused:
        to_stderr(refused.sentence)
        return refused.code


def _check_text(arguments: Sequence[str]) -> None:
    """Neither messages nor a run's config.yaml can hold anything else. An empty word names nothing:
    mostly it is a shell's variable that was not set; but a damaged skill library may hold a skill
    without a name, which `rlgpt skill remove ''` removes."""
    nameless_skill = list(arguments[:3]) == ["skill", "remove", ""]
    for number, argument in enumerate(arguments):
        option = argument.startswith("--") and argument.partition("=")[1:] == ("=", "")
        if option or (not argument and not (nameless_skill and number == 2)):
            after = arguments[number - 1] if number else ""
            where = argument or (f"after `{after}`" if after else "at the first place")
            raise Refused(f"there is an empty word {where}; is a variable of the shell not set?")
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise Refused(_no_utf8(os.fsencode(argument))) from None


def _no_utf8(word: bytes) -> str:
    """Why a word of the command line cannot be taken."""
    try:
        shown = word.decode()
    except UnicodeDecodeError:
        return f"`{word.decode(errors='replace')}` is not written in UTF-8"
    return f"`{shown}` is in UTF-8, and the language settings are not: set PYTHONUTF8=1"


def command_parser() -> argparse.ArgumentParser:
    parser = parser_of("rlgpt", "RL-GPT as a stack of nodes.")
    parser.add_argument(
        "--version", action=Version, nargs=0, help="print the version and the commit, and end"
    )
    parser.set_defaults(takes_more=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for each in COMMANDS:
        each.add(commands)
    completion.add(commands, parser)
    return parser
