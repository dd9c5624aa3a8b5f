"""A debugger inside a node: to quit it ends the node, and nothing else.

The process ends at once. Its request stays unanswered and its goal unfinished, as after kill -9, so
that the restarted node answers the one and works on the other.
"""

import bdb
import functools
import sys
from collections.abc import Callable
from types import FrameType
from typing import NoReturn, TypeVar

from nodes.exit_codes import FAILED
from nodes.process import leave

_Request = TypeVar("_Request")
_Reply = TypeVar("_Reply")


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
