"""A host of jailed sessions whose workers also run raw Python, for tests."""

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from messages.program import Program, ProgramReport
from messages.world import Condition, OpenSession, SeedRange, Task
from nodes.env_server.hosting import WorldSetup
from nodes.env_server.jail.jailed import JailedHost, JailedSession
from nodes.env_server.quarantine import Quarantine
from tests.env_server.raw_fork_server import RAW

LOG = Condition(kind="have", name="log")
TASK = Task(id="harvest_log", prompt="a log", success=LOG, horizon=100_000)
OPTIONS: dict[str, Any] = {"area": 32}


def opening(name: str = "test/a", **changes: Any) -> OpenSession:
    fields = {"session": name, "task": TASK, "size": 2, "seeds": SeedRange(first=5, count=100)}
    return OpenSession(**{**fields, **changes})


def embedded(**shared: Any) -> WorldSetup:
    return WorldSetup(**{"kind": "embedded", "options": OPTIONS, "task": TASK, **shared})


@contextmanager
def jailed_host(folder: Path, **shared: Any) -> Iterator[JailedHost]:
    host = JailedHost(
        embedded(ahead=4, **shared),
        Quarantine(folder / "quarantine.json"),
        256,
        module="tests.env_server.raw_fork_server",
    )
    try:
        yield host
    finally:
        host.close()


def raw(body: str, name: str = "raw") -> Program:
    """A program that never sees the checker. Its first line of ``body`` is line 3."""
    source = f"{RAW}def action(obs):\n{textwrap.indent(body, '    ')}\n    yield 0\n"
    return Program(name=name, source=source, max_steps=30)


def ran(session: JailedSession, program: Program) -> ProgramReport:
    _, reports = session.run_program(program)
    assert len(reports) == 1, reports
    return reports[0]
