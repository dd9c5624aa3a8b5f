"""The embedded world without the stack. It belongs to the env server, so it is started as a
process, not imported."""

import os
import subprocess
import sys
from typing import NoReturn

from nodes.process import python

PROGRAMS = {
    "serve": "nodes.env_server.malmo",
    "coverage": "nodes.env_server.obtainable",
    "demonstrate": "nodes.env_server.demonstrations",
    "view": "nodes.env_server.seeing.view",
    "play": "nodes.env_server.seeing.play",
    "fingerprint": "nodes.env_server.worlds.embedded.fingerprint",
}
"""What each command becomes. The program's own parser reads the arguments."""


def become(what: str, arguments: list[str]) -> NoReturn:
    """Become one of `PROGRAMS`."""
    command = python("nodes.command", PROGRAMS[what], *arguments)
    os.execv(sys.executable, command)


def fingerprint() -> str | None:
    """Of the embedded world as it is here; None where it does not come up. Takes seconds."""
    command = python(PROGRAMS["fingerprint"])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None
