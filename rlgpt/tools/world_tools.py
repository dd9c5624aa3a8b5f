"""Worlds without the stack. They belong to the env server, so they are started as processes, not
imported."""

import os
import subprocess
import sys
from typing import NoReturn

from nodes.common.running.process import python
from voxeldojo.command_name import VARIABLE


def become(what: str, arguments: list[str]) -> NoReturn:
    """Become ``voxeldojo WHAT``, whose own parser reads the arguments."""
    command = python("nodes.common.running.command", "voxeldojo", what, *arguments)
    # Its errors and its usage name the command that the user called.
    os.execve(sys.executable, command, {**os.environ, VARIABLE: "rlgpt world"})


def fingerprint(module: str, *arguments: str) -> str | None:
    """The fingerprint of a world of this checkout, by the module that prints it
    (`worlds.card.Card`); None if it does not start. Takes seconds."""
    command = python(module, *arguments)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None
