"""Hostile programs are refused or get nowhere, and the env server's process is none the worse."""

import builtins
import textwrap
import threading

import numpy as np
import pytest

from nodes.env_server.programs import ProgramRefused, Run, compile_program
from tests.attacks.contained import CONTAINED
from tests.attacks.refused import REFUSED
from tests.fake_world import FakeWorld
from worlds.minecraft.play.observation import Observations
from worlds.minecraft.play.readings import Readings
from worlds.minecraft.play.runtime import RUNTIME
from worlds.runtime import Code

STEPS = 30


def program(body: str) -> str:
    if "def action" in body:
        return body
    return "def action(obs):\n" + textwrap.indent(body, "    ") + "\n"


def play(source: str, steps: int = STEPS) -> Run:
    """Run it as the host does, in a world that stands still."""
    world = FakeWorld(1)
    world.reset(np.arange(1), np.arange(1))
    compiled = compile_program(source, RUNTIME)
    run = Run(compiled, steps)
    readings = Readings(world)
    code: Code | None = run.start(Observations(readings, compiled.fields).row(0, 0))
    while code is not None:
        if isinstance(code, tuple):
            code = run.throw(ValueError("there is none"))
        else:
            code = run.send(Observations(readings, compiled.fields).row(0, run.steps))
    return run


@pytest.mark.parametrize("name", REFUSED)
def test_attack_is_refused_by_the_checker_with_its_line(name: str) -> None:
    with pytest.raises(ProgramRefused) as refused:
        compile_program(program(REFUSED[name]), RUNTIME)
    problems = refused.value.problems
    assert problems
    assert all(problem.line >= 1 and problem.message for problem in problems)
    assert all(len(problem.message) < 400 for problem in problems)


@pytest.mark.parametrize("name", CONTAINED)
def test_attack_is_refused_or_ends_within_its_limits(name: str) -> None:
    body, endings = CONTAINED[name]
    before = set(vars(builtins)), threading.active_count()
    try:
        run = play(program(body))
    except ProgramRefused:
        return
    assert run.ending is not None
    assert run.ending.status in endings, run.ending
    assert run.steps <= STEPS
    assert len(run.ending.error) <= 500
    assert (set(vars(builtins)), threading.active_count()) == before


def test_no_state_is_left_over_from_one_run_to_the_next() -> None:
    source = program(
        "SEEN = []\n"
        "def remember(x, memory=[]):\n"
        "    memory.append(x)\n"
        "    return len(memory)\n"
        "def action(obs):\n"
        "    SEEN.append(1)\n"
        "    if len(SEEN) + remember(1) > 2:\n"
        "        raise ValueError('left over')\n"
        "    attack()\n"
    )
    assert [play(source).ending.status for _ in range(3)] == ["finished"] * 3  # type: ignore[union-attr]
