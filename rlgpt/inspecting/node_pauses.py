"""Pausing a node, letting it go on, and single steps meanwhile."""

import getpass
import time
from pathlib import Path

from messages.bounds import LARGEST
from messages.bus import Bus, BusError, RemoteError
from messages.empty import Empty
from messages.pausing import Pause, SetPause, get_pause, set_pause
from nodes.common.running.counted import counted
from nodes.common.running.exit_codes import FAILED
from rlgpt.inspecting.opening import not_answering, opened
from rlgpt.interfaces import AWAY
from rlgpt.refused import Refused
from rlgpt.runs.typed import run_option

_SETTLING = 0.5  # seconds that a node has to come to what it does next, after its steps


def user() -> str:
    """Who gives commands here, for a run's record; empty where the system does not know."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def pause(node: str, wanted: str | None) -> int:
    """Pause a node: it begins nothing new until it goes on."""
    with opened(wanted) as (run, stack, bus):
        stack.check_node(node)
        set_paused(bus, run, node, True, user())
    at = f"{node}{run_option(run)}"
    print(f"{node} is paused; `rlgpt node step {at}` takes a step, `rlgpt node continue {at}` "
          "lets it go on")  # fmt: skip
    return 0


def go_on(node: str, wanted: str | None) -> int:
    """Let a paused node go on."""
    with opened(wanted) as (run, stack, bus):
        stack.check_node(node)
        print(set_paused(bus, run, node, False, user()))
    return 0


def step(node: str, wanted: str | None, count: int, timeout: float) -> int:
    """Let a paused node take ``count`` steps, and wait until it has; a node that is not paused is
    paused first. Fails where it does not take so many within ``timeout`` seconds."""
    if not 1 <= count <= LARGEST:
        raise Refused(f"--count {count}: 1 to {LARGEST:,} steps")
    if not 0.0 <= timeout <= 86_400.0:
        raise Refused(f"--timeout {timeout:g}: 0 seconds or more, at most a day")
    with opened(wanted) as (run, stack, bus):
        stack.check_node(node)
        print(take_steps(bus, run, node, count, timeout, user()))
    return 0


# For the page as well: each returns what has happened, in a sentence, and raises Refused.


def set_paused(bus: Bus, run: Path, node: str, paused: bool, by: str) -> str:
    """Pause a node, or let it go on."""
    before = _get(bus, run, node)
    _set(bus, run, node, SetPause(paused=paused, by=by))
    if paused:
        return f"{node} was paused already" if before.paused else f"{node} is paused"
    return f"{node} goes on" if before.paused else f"{node} was not paused"


def take_steps(bus: Bus, run: Path, node: str, count: int, timeout: float, by: str) -> str:
    """Pause a node if it is not, and let it take so many steps within ``timeout`` seconds."""
    before = _set(bus, run, node, SetPause(paused=True, by=by))
    state = _set(bus, run, node, SetPause(paused=True, steps=count, by=by))
    deadline = time.monotonic() + timeout
    while state.steps and time.monotonic() < deadline:
        time.sleep(0.02)
        state = _get(bus, run, node)
    deadline = time.monotonic() + _SETTLING
    while not state.steps and not state.waiting and time.monotonic() < deadline:
        time.sleep(0.02)
        state = _get(bus, run, node)
    taken = state.taken - before.taken
    if state.steps:
        raise Refused(
            f"{node} took {taken} of {count} steps: it has nothing more to do, or is at work on "
            "the last; it may still take the others",
            code=FAILED,
        )
    waits = f", then waits with {state.waiting[0]}" if state.waiting else ""
    return f"{node} took {counted(taken, 'step')}{waits}"


def _get(bus: Bus, run: Path, node: str) -> Pause:
    try:
        return bus.call(get_pause(node), Empty(), absence=AWAY)
    except BusError as error:
        raise Refused(not_answering(node, run, error)) from None


def _set(bus: Bus, run: Path, node: str, request: SetPause) -> Pause:
    try:
        return bus.call(set_pause(node), request, absence=AWAY)
    except RemoteError as error:
        raise Refused(f"{node}: {error.message}", code=FAILED) from None
    except BusError as error:
        raise Refused(not_answering(node, run, error)) from None
