"""The program conversation: coded actions, their checks and the reports of their runs.

A program is Python in call style over read-only observations and primitive actions by name. The
fast agent writes it; the env server checks it and runs it beside the world.
"""

from typing import Literal

import msgspec

from messages.interface import LIMITED_BY_SERVER, Service


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """A coded action."""

    name: str
    source: str
    purpose: str = ""
    max_steps: int = 500  # primitive steps in one run
    # As a policy's macro: primitive steps after which the policy is asked again. Chosen again at
    # once it goes on where it was, after any other choice it starts over; None: never interrupted.
    interrupt: int | None = None


class CheckProgram(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    program: Program
    kind: Literal["action", "reward", "when"] = "action"  # "when": a guard's condition


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    line: int
    message: str


class Checked(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Every problem of the program at once; none means that it may run."""

    problems: list[Problem]


class ProgramReport(msgspec.Struct, frozen=True, kw_only=True):
    """The runs of a program that ended alike, with one example."""

    program: str
    status: Literal[
        "finished", "error", "fuel_exhausted", "step_limit", "time_limit", "episode_over", "killed"
    ]
    count: int
    steps: int  # primitive steps of the example
    line: int = 0  # of the program's source, 0 if it does not apply
    last_primitive: str = ""
    error: str = ""
    changed: dict[str, str] = {}  # what the example changed: observation field -> "before -> after"
    environments: list[int] = []  # of these runs


# The env server starts a worker for it if need be, and has limits for both.
CHECK = Service(
    "env_server/check_program", CheckProgram, Checked, idempotent=True, timeout=LIMITED_BY_SERVER
)
