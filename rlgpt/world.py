"""The embedded world without the stack. It belongs to the env server, so it is started as a
process, not imported."""

import os
import subprocess
import sys
from typing import NoReturn

from nodes.process import python


def become(what: str, arguments: list[str]) -> NoReturn:
    """Become ``voxeldojo WHAT``, whose own parser reads the arguments."""
    command = python("nodes.command", "voxeldojo", what, *arguments)
    os.execv(sys.executable, command)


def fingerprint() -> str | None:
    """Of the embedded world of this checkout; None if it does not start. Takes seconds."""
    command = python("voxeldojo", "fingerprint")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None
