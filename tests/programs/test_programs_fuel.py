"""What programs pay for, in turns of their loops: as much as the work that it is."""

import dataclasses
import time
from operator import length_hint
from typing import Any

import numpy as np
import pytest

from nodes.env_server.programs import Batch, Run, compile_program
from nodes.env_server.programs.fuel import LOOP_TURNS
from nodes.env_server.programs.pulse import PULSE, TURN
from tests.fake_world import FakeWorld
from worlds.minecraft.play.observation import Observations
from worlds.minecraft.play.readings import Readings
from worlds.minecraft.play.routes import MOST, route
from worlds.minecraft.play.runtime import RUNTIME
from worlds.runtime import Runtime, Worked

LISTS = "    x = [3, 1, 2]\n    y = [(1, 2, 3), (4, 5, 6), (7, 8, 9)]\n"


def seen() -> Observations:
    world = FakeWorld(1)
    world.reset(np.arange(1), np.zeros(1, np.int64))
    return Observations(Readings(world), frozenset())


def begun(source: str, runtime: Runtime = RUNTIME) -> Run:
    run = Run(compile_program(source, runtime), 100)
    run.start(seen().row(0, 0))
    return run


def burnt(body: str, before: str = "") -> int:
    """The turns of fuel that go into a program's lines before its first action."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    run = begun(f"{before}def action(obs):\n{LISTS}{lines}    noop()\n")
    assert run.ending is None, run.ending
    return 2 * LOOP_TURNS - length_hint(run._fuel.left)


def test_a_call_of_a_function_costs_as_much_as_its_body_is_long() -> None:
    """Such a function took 1.8 seconds for 800 turns, and its worker was killed for it."""
    long = "def long(x):\n" + "    sorted(x)\n" * 1300
    assert burnt("long([])", long) > 80
    assert burnt("short([])", "def short(x):\n    sorted(x)\n") == 2
    run = begun(f"{long}def action(obs):\n    while True:\n        long([1])\n    noop()\n")
    assert run.ending is not None
    assert run.ending.status == "fuel_exhausted"


@pytest.mark.parametrize(
    "loop",
    ["f = lambda a: [{}]\nfor _ in range(10):\n    f(1)", "z = [[{}] for a in range(10)]",
     "z = {{({},) for a in range(10)}}", "z = {{a: [{}] for a in range(10)}}",
     "z = sum(sum([{}]) for a in range(10))", "z = [a for a in range(10) if [{}]]",
     "z = [a for a in range(10) for b in (1,) if [{}]]",
     "while [{}]:\n    break"],
)  # fmt: skip
def test_a_turn_of_any_loop_costs_as_much_as_it_is_long(loop: str) -> None:
    short, long = (burnt(loop.format(", ".join(["x[0]"] * many))) for many in (1, 90))
    turns = 1 if loop.startswith("while") else 10
    assert long - short >= 2 * turns


@pytest.mark.parametrize(
    "line",
    ["sorted(x)", "list(x)", "x == y", "1 in x", "set(y)", "{y[0]}", "dict([(1, 2)])", "x + x",
     "x += (1,)", "str(y)", "f'{y}'", "max(x)", "x.index(1)", "y.count(3)",
     "set().union(x)"],
)  # fmt: skip
def test_what_touches_few_elements_is_not_free(line: str) -> None:
    assert burnt(f"{line}\n" * 16) >= 2  # one for the call of action itself
    assert burnt(line) < 10


def test_a_search_for_a_way_costs_as_much_as_the_cells_that_it_looks_at() -> None:
    def stone(x: int, y: int, z: int) -> str:
        return "air" if (x, z) == (0, 0) and y in (0, 1) else "stone"

    assert route(stone, (0.0, 8.0, 0.0), picks=True)[1] == MOST
    assert route(stone, (1.0, None, 0.0), picks=True)[1] < 10
    found = RUNTIME.functions["route"](seen().row(0, 0), 3, 1)
    assert type(found) is Worked
    assert found.elements >= 16

    calls: list[int] = []

    def called(cells: int) -> int:
        def looks(*arguments: Any) -> Worked:
            calls.append(1)
            return Worked((), 16 * cells)

        calls.clear()
        runtime = dataclasses.replace(RUNTIME, functions={**RUNTIME.functions, "route": looks})
        source = "def action(obs):\n    while True:\n        route(obs, 1, 1)\n    noop()\n"
        run = begun(source, runtime)
        assert run.ending is not None
        assert run.ending.status == "fuel_exhausted"
        return len(calls)

    assert called(cells=10) > 300  # as of any other function that looks
    assert called(cells=MOST) < 30


def test_a_program_gets_what_a_function_found_and_not_its_work() -> None:
    assert burnt("for dx, dy, dz in route(obs, 3, 1):\n    obs.block(dx, dy, dz)")


def batch_of_eight(body: str) -> Batch:
    compiled = compile_program(
        f"def action(obs):\n    while True:\n{body}        noop()\n", RUNTIME
    )
    runs = {row: Run(compiled, 100) for row in range(8)}
    codes: dict[int, Any] = {row: run.start(seen().row(0, 0)) for row, run in runs.items()}
    return Batch(runs, codes)


def signs(batch: Batch) -> int:
    before = PULSE.memory[TURN]
    assert batch.send(seen()) == []
    return PULSE.memory[TURN] - before


def test_a_batch_gives_signs_of_life_while_its_runs_take_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batch = batch_of_eight("")
    passed = iter(range(1000))
    monkeypatch.setattr(time, "perf_counter", lambda: 0.0)
    assert signs(batch) == 1
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(passed)))
    assert signs(batch) == 5


def test_each_run_that_burns_much_fuel_gives_a_sign_of_life() -> None:
    assert signs(batch_of_eight("        for _ in range(9_000):\n            pass\n")) >= 8
