"""Paths and runs as a user types them in the working directory, for sentences with a command."""

import os
import shlex
from pathlib import Path

from rlgpt.refused import Refused
from rlgpt.runs import run_folder


def short_path(path: Path) -> str:
    """A path from the working directory, or a whole one if it is outside."""
    short = os.path.relpath(path)
    return short if not short.startswith("..") else str(path)


def quoted_path(path: Path) -> str:
    """`short_path` as a shell takes it."""
    return shlex.quote(short_path(path))


def run_word(run: Path) -> str:
    """The word by which a command finds a run: its name if it is in ``runs/``, else its path."""
    for word in (run.name, short_path(run)):
        if _found(word) == run.resolve():
            return shlex.quote(word)
    return shlex.quote(str(run))


def run_option(run: Path) -> str:
    """`` --run WORD``, which a command needs to be about this run; empty for the newest one."""
    return "" if _found(None) == run.resolve() else f" --run {run_word(run)}"


def none_running(run: Path) -> str:
    """The sentence about a run of which no node is running."""
    return f"no node of {run.name} is running; `rlgpt resume {run_word(run)}` starts them"


def _found(wanted: str | None) -> Path | None:
    try:
        return run_folder.find(wanted)
    except Refused:
        return None
