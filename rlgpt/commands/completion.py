"""``rlgpt completion``: what a shell needs to complete this command's words."""

import argparse
from argparse import Namespace

from rlgpt.commands.parsing import Commands, example
from rlgpt.refused import Refused


def add(commands: Commands, parser: argparse.ArgumentParser) -> None:
    """``parser``: the whole command's, whose words are completed."""
    completion = commands.add_parser(
        "completion",
        help="print a script that completes words in a shell",
        description="Print a script by which bash or zsh completes commands, options, launch "
        "files, groups and the ids of tasks.",
        allow_abbrev=False,
        **example('eval "$(rlgpt completion bash)"  # in ~/.bashrc'),
    )
    completion.add_argument(
        "shell", nargs="?", choices=["bash", "zsh"], metavar="SHELL", help="bash or zsh"
    )
    completion.add_argument("--line", help=argparse.SUPPRESS)  # what the script asks with
    completion.set_defaults(do=lambda given, _: _completion(given, parser))


def _completion(given: Namespace, parser: argparse.ArgumentParser) -> int:
    from rlgpt.completing import candidates, script

    if given.line is not None:
        print("\n".join(candidates(parser, given.line)))
        return 0
    if given.shell is None:
        raise Refused("name a shell: rlgpt completion bash, or zsh")
    print(script(given.shell))
    return 0
