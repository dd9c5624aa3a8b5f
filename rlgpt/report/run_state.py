"""The state of a run: whether it goes on, how it ended, and why, in words."""

import time
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec

from rlgpt.runs import launches, run_folder

Kind = Literal[
    "running", "reached", "not_reached", "done", "failed", "interrupted", "stopped", "unfinished"
]


class State(msgspec.Struct, frozen=True, kw_only=True):
    """``reached`` and ``not_reached``: its goal is over. ``done``: a part of the work, without a
    goal, is over (`rlgpt skill run`). ``stopped``: a stack without a goal was. ``unfinished``: it
    ended without a record, or its goal has not been pursued yet."""

    kind: Kind
    text: str  # a sentence without its full stop


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How the goal that a report is about stands. ``success`` is None where it is not over."""

    there: bool = True  # there is a goal
    success: bool | None = None
    done: bool = False  # it is over, of an action whose result is not a success or a failure
    failure: str = ""  # the sentence with which it failed


def state(run: Path, ending: Ending) -> State:
    """The state of a run whose goal has this state."""
    records = launches.read(run)
    last = records[-1] if records else None
    if last is not None and last.ended is None and run_folder.launched(run):
        return State(kind="running", text=f"running since {moment(records[0].began)}")
    if last is not None and (host := launches.host_elsewhere(run)):
        text = f"launched on {host}, and not ended as far as its folder shows"
        return State(kind="running", text=text)
    if last is None and (nodes := run_folder.running_nodes(run)):
        return State(kind="running", text=f"running without a launcher: {', '.join(nodes)}")
    if ending.success is not None:
        return State(kind="reached" if ending.success else "not_reached", text="its goal is over")
    if last is not None and last.how == "failed":
        return State(kind="failed", text=f"failed: {last.text}")
    if ending.failure:
        return State(kind="failed", text=f"failed: {ending.failure}")
    if last is not None and last.how == "interrupted" and last.ended is not None:
        kind: Kind = "interrupted" if ending.there else "stopped"
        return State(kind=kind, text=f"interrupted by {last.text} on {moment(last.ended)}")
    if last is not None and not last.how:
        when = moment(launches.last_sign(run) if last.ended is None else last.ended)
        return State(kind="unfinished", text=f"its launcher was killed, on {when} or soon after")
    if ending.done:
        return State(kind="done", text="its work is done, and no node is running")
    if ending.there:
        return State(kind="unfinished", text="its goal is not over, and no node is running")
    return State(kind="stopped", text="it has no goal, and no node is running")


def moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S")


def age(seconds: float) -> str:
    """How long ago that was, in one unit: 40 s, 5 min, 3 h, 12 d."""
    passed = max(time.time() - seconds, 0.0)
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if passed >= length:
            return f"{passed / length:.0f} {unit}"
    return f"{passed:.0f} s"
