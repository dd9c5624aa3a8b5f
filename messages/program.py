"""The program conversation: coded actions, how they are checked and how they went.

A program is Python in call style over read-only observations and primitive actions by name. The
fast agent writes it; the env server checks it and runs it beside the world.
"""

from typing import Literal

import msgspec

from messages.interface import UNHURRIED, Service


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """A coded action."""

    name: str
    source: str
    purpose: str = ""
    max_steps: int = 500  # primitive steps in one run


class CheckProgram(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    program: Program
    kind: Literal["action", "reward"] = "action"


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    line: int
    message: str


class Checked(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Every problem of the program at once; none means that it may run."""

    problems: list[Problem]


class ProgramReport(msgspec.Struct, frozen=True, kw_only=True):
    """How runs of a program went that ended alike, with one exemplar."""

    program: str
    status: Literal[
        "finished", "error", "fuel_exhausted", "step_limit", "time_limit", "episode_over", "killed"
    ]
    count: int
    steps: int  # primitive steps of the exemplar
    line: int = 0  # of the program's source, 0 if it does not apply
    last_primitive: str = ""
    error: str = ""
    changed: dict[
        str, str
    ] = {}  # what the exemplar changed: observation field -> "before -> after"
    environments: list[int] = []  # in which the runs ended so


# The env server starts a worker for it if need be, and has limits for both.
CHECK = Service(
    "env_server/check_program", CheckProgram, Checked, idempotent=True, timeout=UNHURRIED
)
