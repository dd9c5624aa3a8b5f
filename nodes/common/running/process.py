"""A node as a process of the operating system: one for each name, which ends with its supervisor,
stops on a signal and reports when it is ready."""

import ctypes
import logging
import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, NoReturn

from nodes.common.running.file_lock import take_lock

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15

_libc = ctypes.CDLL(None)


class AlreadyRunning(Exception):
    """Another process has this node's name in this run."""


def hold(path: Path, who: str) -> IO[str]:
    """Take a lock that the operating system releases when this process ends in any way.

    Raises:
        AlreadyRunning: another process holds it.
        OSError: the file cannot be made.
    """
    file = open(path, "a+", encoding="utf-8")  # noqa: SIM115 - held until the process ends
    if not take_lock(file.fileno()):
        file.seek(0)
        owner = file.read(32).strip()
        file.close()
        raise AlreadyRunning(
            f"{who} is already running in this run (process {owner or 'unknown'}); "
            "stop it first, or use another run folder"
        )
    file.seek(0)
    file.truncate()
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file


SUPERVISED = "RLGPT_SUPERVISED"
"""The environment variable that has the process id of a node's supervisor, which starts it."""


NAMED = "RLGPT_NODE"
"""The environment variable that has the name by which the launch knows the node."""


def python(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of ours, or of the user's folder, as ``python -m`` would, with
    no folder hiding ours."""
    return [sys.executable, "-P", str(Path(__file__).parents[2] / "start.py"), module, *arguments]


def child_environment(node: str = "") -> dict[str, str]:
    """The environment of a process that this one starts and that ends with it. ``node``: the node's
    name, if it is to be one of that name alone."""
    return {**os.environ, SUPERVISED: str(os.getpid()), NAMED: node}


def end_with_parent(number: int) -> None:
    """Have the kernel send this signal when the thread that started this process ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, number)


def show_as(name: str) -> None:
    """Set the name that `ps -o comm` and `top` show, at most 15 characters. A forked process has
    the name and the command line of its parent."""
    _libc.prctl(_PR_SET_NAME, name.encode())


def end_with_supervisor() -> None:
    """Be killed when the supervisor ends, if there is one; exit at once if it has already ended.

    Raises:
        SystemExit: it has.
    """
    supervisor = os.environ.get(SUPERVISED)
    if not supervisor:
        return
    end_with_parent(signal.SIGKILL)
    # It may have ended before prctl took effect; then init, or a reaper, is the parent.
    if str(os.getppid()) != supervisor:
        raise SystemExit(1)


def leave(code: int) -> NoReturn:
    """End this process now. A normal interpreter shutdown waits for threads that import, aborts
    those that are inside torch, and frees torch's objects one by one: on a busy machine that takes
    a minute, for no benefit."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        # It may be closed; or a signal has come in the middle of a write.
        with suppress(AttributeError, OSError, ValueError, RuntimeError):
            stream.flush()
    os._exit(code)


def notify(state: str) -> None:
    """Notify a supervisor by sd_notify's protocol, if there is one (``NOTIFY_SOCKET``)."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        try:
            sender.sendto(state.encode(), address)
        except OSError:
            return  # the supervisor has ended; the node goes on without it
