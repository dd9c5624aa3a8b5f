"""``rlgpt run``: one node of a run in the foreground, under a debugger if need be."""

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping
from pathlib import Path

from messages.bus import Bus, BusError, RemoteError
from messages.empty import Empty
from messages.system import LIST, RECLAIM, RELEASE, NodeName, NodeState
from nodes.common.running.debugging import DEBUG
from nodes.common.running.ending_signals import ended_by, interruptible, not_ignored
from nodes.common.running.process import child_environment
from nodes.common.running.standard_error import to_stderr
from rlgpt.child_in_front import wait_in_front
from rlgpt.composing.configuration import load
from rlgpt.inspecting.late_ends import ended_by_launcher
from rlgpt.inspecting.opening import connected
from rlgpt.refused import Refused
from rlgpt.runs import run_folder
from rlgpt.runs.typed import silent_launcher

PORT = 5678  # where editors look for debugpy


def run(
    node: str,
    wanted: str | None,
    overrides: list[str],
    debug: bool = False,
    port: int | None = None,
) -> int:
    """Take ``node`` over from the launcher of a run, run it here, and return it to the launcher at
    its end, with any exit code. Returns that code. With ``debug`` it waits for a debugger before it
    begins, debugpy's client at ``port`` or pdb on this terminal."""
    debugger = _debugger(port) if debug else {}
    folder = run_folder.find(wanted)
    stack = load(folder)
    stack.check_node(node)
    command = [*stack.command(node, folder), *overrides]
    if not run_folder.launched(folder):
        _print(f"no launcher of {folder.name} runs on this machine; {node} runs alone")
        return _in_foreground(node, command, debugger)
    with interruptible(), connected(folder, stack) as bus, taken_over(folder, bus, node, debug):
        return _in_foreground(node, command, debugger)


def _debugger(port: int | None) -> dict[str, str]:
    """The variable by which the node is started under a debugger."""
    if importlib.util.find_spec("debugpy") is not None:
        port = PORT if port is None else port
        if not 1 <= port <= 65_535:
            raise Refused(f"--port {port}: 1 to 65535")
        return {DEBUG: str(port)}
    if port is not None:
        raise Refused("debugpy is not installed: pip install debugpy, or go without --port")
    if not sys.stdin.isatty():
        raise Refused("debugpy is not installed, and there is no terminal for pdb")
    _print("debugpy is not installed (pip install debugpy): this is pdb; `c` lets the node begin")
    return {DEBUG: "pdb"}


def _print(text: str) -> None:
    to_stderr(text)


@contextlib.contextmanager
def taken_over(run: Path, bus: Bus, node: str, debugged: bool = False) -> Iterator[None]:
    """Within it the launcher of ``run`` leaves ``node`` to this process. It gets the node back in
    the end, if it had it before: also where this is interrupted while the launcher ends its own."""

    def states() -> list[NodeState]:
        return bus.call(LIST, Empty()).nodes

    ours = False
    try:
        try:
            ours = all(s.state != "released" for s in states() if s.node == node)
            if ours or debugged:
                ended_by_launcher(bus, RELEASE, NodeName(node=node, debugged=debugged), states)
        except BusError as error:
            if isinstance(error, RemoteError):  # it was rejected, and nothing is to be taken back
                ours = False
                raise Refused(f"the launcher does not release {node}: {error}") from None
            raise Refused(silent_launcher(run, error)) from None
        if ours:
            _print(f"the launcher has stopped its {node}; this one takes its place")
        else:
            _print(f"the launcher leaves {node} to you")
        yield
    finally:
        if ours:
            with ended_by(lambda *_: None):  # a second Ctrl-C would leave the launch without it
                _reclaim(run, bus, node)


def _reclaim(run: Path, bus: Bus, node: str) -> None:
    try:
        bus.call(RECLAIM, NodeName(node=node))
        _print(f"{node} is the launcher's again")
    except RemoteError as error:
        _print(f"the launcher does not take {node} back: {error.message}")
    except BusError as error:
        if run_folder.launched(run):
            back = f"then `rlgpt node restart {node}` gives {node} back to it"
            _print(f"{silent_launcher(run, error)}; {back}")
        else:
            _print("the launcher has ended")


def _in_foreground(node: str, command: list[str], environment: Mapping[str, str]) -> int:
    """Run ``command`` on this terminal, in this process group, so that a debugger works."""
    with _terminal_as_it_was():
        return _ended(command, {**child_environment(node), **environment})


@contextlib.contextmanager
def _terminal_as_it_was() -> Iterator[None]:
    """A debugger that is ended at its prompt leaves a terminal that does not show what is typed."""
    try:
        before = termios.tcgetattr(sys.stdin.fileno())
    except (termios.error, OSError, ValueError):  # it is none, or it is closed
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(termios.error, OSError):
            # Of another job it is not ours to change, and the kernel would stop this process.
            if os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp():
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, before)


def _ended(command: list[str], environment: Mapping[str, str]) -> int:
    # Ctrl-C goes to the whole group: the node handles it, and this process ignores it.
    ignored = signal.signal(signal.SIGINT, lambda *_: None)
    child = subprocess.Popen(command, env=environment)
    try:
        return wait_in_front(child, [n for n in not_ignored() if n is not signal.SIGINT])
    finally:
        signal.signal(signal.SIGINT, ignored)
