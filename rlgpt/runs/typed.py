"""Paths and runs as a user types them in the working directory, for sentences with a command."""

import os
import shlex
from pathlib import Path

from messages.bus.network.address import read_hosts
from nodes.common.running.process_status import status_of
from nodes.config import read_config
from rlgpt.refused import Refused
from rlgpt.runs import launches, run_folder


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


def not_running(run: Path, node: str = "") -> str:
    """The sentence about a run of which no launcher is found, or about one of its nodes."""
    what = f"{node} of {run.name}" if node else run.name
    if host := launches.host_elsewhere(run):
        return (
            f"{what} is not running on this machine: it was launched on {host}, and has not ended "
            "as far as its folder shows; call this there"
        )
    hosts = read_hosts(read_config(run).get("hosts"))
    if not launches.read(run) and not all(host.loopback for host in hosts.values()):
        other = "" if "launcher" in hosts else ", or give `launcher` an address in `hosts`"
        return (
            f"{what} is not running on this machine, and this folder shows no launch: call this "
            f"where it was launched{other} (docs/several_machines.md)"
        )
    return f"{what} is not running; `rlgpt resume {run_word(run)}` starts it again"


def silent_launcher(run: Path, error: Exception) -> str:
    """The sentence about a launcher that does not answer though it holds its run."""
    pid = run_folder.launcher_process(run)
    status = status_of(pid)
    if status is not None and status.state == "T" and run_folder.launched(run):
        return (
            f"the launcher of {run.name} was stopped, as by Ctrl-Z: `fg` in its terminal or "
            f"`kill -CONT {pid}` lets it go on"
        )
    return f"the launcher of {run.name} does not answer: {error}"


def _found(wanted: str | None) -> Path | None:
    try:
        return run_folder.find(wanted)
    except Refused:
        return None
