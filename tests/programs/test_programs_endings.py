"""What is reported of a run's end is what happened, whatever programs run beside it."""

import math
import random

import pytest

from nodes.env_server.programs import Batch, Run, compile_program, fuel, running
from nodes.env_server.programs.fuel import TOTAL_TURNS
from tests.fake_world import FakeWorld
from worlds.minecraft.play.observation import Observations
from worlds.minecraft.play.primitives import written
from worlds.minecraft.play.readings import Readings
from worlds.minecraft.play.runtime import RUNTIME
from worlds.runtime import Code

MAX_STEPS = 12
LINES = (
    "attack()",
    "turn(30)",
    "look(15)",
    "craft('planks')",
    "equip('log')",
    "destroy('stick')",
    "try:\n        place('dirt')\n    except ValueError:\n        pass",
    "try:\n        equip('stick')\n    except ValueError:\n        use()",
    "for _ in range(3):\n        jump()",
    "if obs.steps > 9:\n        1 / 0",
    "for _ in range(15000):\n        pass",
)
LAST_LINES = ("1 / 0", "return", "while True:\n        forward()", "while True:\n        pass")


def random_program(chance: random.Random) -> str:
    lines = ["obs = noop()", *chance.choices(LINES, k=chance.randrange(6))]
    chance.shuffle(lines)
    return "def action(obs):\n" + "".join(
        f"    {line}\n" for line in [*lines, chance.choice(LAST_LINES)]
    )


def possible(run: Run, code: Code | None, chance: random.Random) -> Code | None:
    """As the session has it, whether the items are there or not being a matter of chance."""
    while isinstance(code, tuple) and chance.random() < 0.5:
        code = run.throw(ValueError(f"there is no {code[1]}"))
    return code


@pytest.mark.parametrize("seed", range(60))
def test_the_last_primitive_and_the_steps_are_those_that_were_carried_out(seed: int) -> None:
    chance = random.Random(seed)
    seen = Observations(Readings(FakeWorld(8)), frozenset())
    runs: dict[int, Run] = {}
    codes: dict[int, Code] = {}
    ended: dict[int, Run] = {}
    for row in range(8):
        run = Run(compile_program(random_program(chance), RUNTIME), MAX_STEPS)
        code = possible(run, run.start(seen.row(row, 0)), chance)
        if code is None:
            ended[row] = run
        else:
            runs[row], codes[row] = run, code
    carried_out: dict[int, list[str]] = {row: [] for row in range(8)}
    batch = Batch(runs, codes)
    while batch.runs:
        for row, code in zip(batch.rows.tolist(), batch.codes.tolist(), strict=True):
            carried_out[row].append(written(batch.slotted.get(row, code)))
        if chance.random() < 0.1:
            ended |= batch.stop([chance.choice(batch.rows.tolist())])
        ended |= batch.send(seen)
        for row, code in list(batch.slotted.items()):
            now = possible(batch.runs[row], code, chance)
            if now != code:
                ended |= batch.replace(row, now)
    told = {row: run.ending for row, run in ended.items()}
    assert {
        row: (ending.steps, ending.last_primitive) for row, ending in told.items() if ending
    } == {row: (len(done), done[-1] if done else "") for row, done in carried_out.items()}


def test_random_programs_end_in_every_way_that_there_is() -> None:
    statuses: set[str] = set()
    chance = random.Random(0)
    for _ in range(60):
        seen = Observations(Readings(FakeWorld(1)), frozenset())
        run = Run(compile_program(random_program(chance), RUNTIME), MAX_STEPS)
        code = possible(run, run.start(seen.row(0, 0)), chance)
        while code is not None:
            code = possible(run, run.send(seen.row(0, run.steps + 1)), chance)
        assert run.ending is not None
        statuses.add(run.ending.status)
    assert statuses == {"finished", "error", "fuel_exhausted", "step_limit"}


def test_a_run_that_acts_between_its_loops_still_ends_at_its_limit_of_work() -> None:
    source = "def action(obs):\n    while True:\n        for _ in range(9000):\n            pass\n"
    seen = Observations(Readings(FakeWorld(1)), frozenset())
    run = Run(compile_program(f"{source}        attack()\n", RUNTIME), 10_000)
    batch = Batch({0: run}, {0: run.start(seen.row(0, 0)) or 0})
    while batch.runs:
        batch.send(seen)
    assert run.ending is not None
    assert (run.ending.status, run.ending.steps) == ("fuel_exhausted", TOTAL_TURNS // 9001)
    assert run.ending.error == "2,000,000 loop turns, or as much work, in one run"


def test_a_run_of_many_steps_may_do_work_in_each_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuel, "TOTAL_TURNS", 2_000)
    seen = Observations(Readings(FakeWorld(2)), frozenset())
    statuses: dict[int, str] = {}
    for turns in (8, 12):  # in each of 1,000 steps, where 10 are granted
        work = f"        for _ in range({turns - 1}):\n            pass\n"
        source = f"def action(obs):\n    while True:\n{work}        attack()\n"
        run = Run(compile_program(source, RUNTIME), 1_000)
        batch = Batch({0: run}, {0: run.start(seen.row(0, 0)) or 0})
        while batch.runs:
            batch.send(seen)
        assert run.ending is not None
        statuses[turns] = run.ending.status
    assert statuses == {8: "step_limit", 12: "fuel_exhausted"}


def test_a_run_that_ends_in_the_last_step_that_is_timed_leaves_the_others_going_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(running, "_TIMED_STEPS", 2)
    monkeypatch.setattr(running, "SLOW_STEP", 0.0)
    sources = [
        f"def action(obs):\n    while obs.steps < {steps}:\n        obs = jump()\n"
        for steps in (3, 5)
    ]
    seen = Observations(Readings(FakeWorld(2)), frozenset())
    runs = {row: Run(compile_program(source, RUNTIME), 100) for row, source in enumerate(sources)}
    batch = Batch(dict(runs), {row: run.start(seen.row(row, 0)) or 0 for row, run in runs.items()})
    batch.send(seen)
    monkeypatch.setattr(running, "SLOW_STEP", math.inf)
    while batch.runs:
        batch.send(seen)
    endings = [run.ending for run in runs.values()]
    assert [(end.status, end.steps) for end in endings if end] == [("finished", 3), ("finished", 5)]


def test_timing_ends_some_steps_after_a_slow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_TIMED_STEPS", 3)
    monkeypatch.setattr(running, "SLOW_STEP", 0.0)
    seen = Observations(Readings(FakeWorld(1)), frozenset())
    source = "def action(obs):\n    while True:\n        obs = jump()\n"
    run = Run(compile_program(source, RUNTIME), 100)
    batch = Batch({0: run}, {0: run.start(seen.row(0, 0)) or 0})
    batch.send(seen)
    batch.send(seen)
    timed = run.seconds
    assert timed > 0.0
    monkeypatch.setattr(running, "SLOW_STEP", math.inf)
    for _ in range(5):
        batch.send(seen)
    after = run.seconds
    assert after > timed
    batch.send(seen)
    assert run.seconds == after
    assert batch.runs


def test_a_run_that_takes_too_much_processor_time_is_ended_and_others_continue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Its 2,000,000 turns take 0.04 s on a fast core, so the time has to be over before them.
    monkeypatch.setattr(running, "RUN_SECONDS", 0.02)
    monkeypatch.setattr(running, "SLOW_STEP", 0.0)
    work = "        for _ in range(9000):\n            pass\n"
    sources = [
        f"def action(obs):\n    while True:\n{work}        attack()\n",
        "def action(obs):\n    while obs.steps < 400:\n        obs = jump()\n",
    ]
    seen = Observations(Readings(FakeWorld(2)), frozenset())
    runs = {row: Run(compile_program(source, RUNTIME), 1000) for row, source in enumerate(sources)}
    ended: dict[int, Run] = {}
    batch = Batch(dict(runs), {row: run.start(seen.row(row, 0)) or 0 for row, run in runs.items()})
    while batch.runs:
        ended |= batch.send(seen)
    busy, quick = ended[0].ending, ended[1].ending
    assert busy is not None
    assert quick is not None
    assert (busy.status, busy.last_primitive) == ("time_limit", "attack")
    assert 3 <= busy.line <= 5
    assert "0.02 seconds of the processor's time" in busy.error
    assert (quick.status, quick.steps) == ("finished", 400)


@pytest.mark.parametrize("alone", [False, True])
def test_a_run_tells_on_which_lines_its_steps_went(alone: bool) -> None:
    source = (
        "def swing(obs):\n    for _ in range(90):\n        obs = attack()\n    return obs\n\n\n"
        "def action(obs):\n    obs = swing(obs)\n    for _ in range(270):\n        obs = jump()\n"
    )
    seen = Observations(Readings(FakeWorld(1)), frozenset())
    run = Run(compile_program(source, RUNTIME), 1000)
    code = run.start(seen.row(0, 0))
    if alone:
        while code is not None:
            code = run.send(seen.row(0, run.steps + 1))
    else:
        batch = Batch({0: run}, {0: code or 0})
        while batch.runs:
            batch.send(seen)
    assert run.ending is not None
    ((jumps, most), (swings, rest)) = run.spent
    assert (jumps, swings) == (10, 3)
    assert most == pytest.approx(0.75, abs=0.05)
    assert most + rest == 1.0
