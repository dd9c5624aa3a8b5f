"""A debugger inside a node: to quit it ends the node, and nothing else.

The process ends at once. Its request stays unanswered and its goal unfinished, as after kill -9, so
that the restarted node answers the one and works on the other.
"""

import bdb
import functools
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import NoReturn, TypeVar

from nodes.common.running.exit_codes import FAILED
from nodes.common.running.process import leave

DEBUG = "RLGPT_DEBUG"
"""The environment variable by which a node is started under a debugger: a port of this machine at
which debugpy waits for an editor, or ``pdb``."""

_Request = TypeVar("_Request")
_Reply = TypeVar("_Reply")


class NoDebugger(Exception):
    """The debugger that was asked for cannot be had; one sentence."""


def begin_debugging() -> None:
    """Wait for a debugger's user, if this process is to be started under one.

    Raises:
        NoDebugger: its port is taken, or debugpy is not installed.
    """
    how = os.environ.pop(DEBUG, "")
    if not how:
        return
    if how == "pdb":
        breakpoint()  # `c` goes on; the node's own code can be given breakpoints before
        return
    # Its warning is about Python's own frozen modules, where no user has a breakpoint.
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    try:
        import debugpy
    except ImportError:
        raise NoDebugger("debugpy is not installed: pip install debugpy") from None
    # Workers are jailed, and answer no debugger.
    debugpy.configure({"subProcess": False})  # pyright: ignore[reportUnknownMemberType]
    try:
        debugpy.listen(("127.0.0.1", int(how)))
    except (RuntimeError, OSError) as error:
        raise NoDebugger(f"no debugger can listen on port {how} here: {error}") from None
    print(f"waiting for a debugger on 127.0.0.1:{how}", file=sys.stderr, flush=True)
    debugpy.wait_for_client()
    print("the debugger is attached", file=sys.stderr, flush=True)


def quittable(handler: Callable[[_Request], _Reply]) -> Callable[[_Request], _Reply]:
    """``handler``; if a debugger is quit in it, or Ctrl-C interrupts it, the process ends."""

    @functools.wraps(handler)
    def handle(request: _Request) -> _Reply:
        try:
            return handler(request)
        except (bdb.BdbQuit, KeyboardInterrupt):
            quit_node()

    return handle


def quit_node() -> NoReturn:
    print("the debugger was quit, which ends the node", file=sys.stderr)
    leave(FAILED)


def debugged(frame: FrameType | None) -> bool:
    """Whether a debugger waits for a command in this frame or in one that called it."""
    while frame is not None:
        if isinstance(frame.f_locals.get("self"), bdb.Bdb):
            return True
        frame = frame.f_back
    return False
