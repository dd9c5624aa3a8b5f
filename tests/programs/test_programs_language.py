"""What coded actions may say, how they run, and what is reported of them."""

import ast
import dataclasses
import inspect
from pathlib import Path

import numpy as np
import pytest

from nodes.env_server.programs import (
    Batch,
    ProgramRefused,
    Run,
    compile_program,
    grammar,
    library,
)
from nodes.env_server.programs.fuel import Fuel
from nodes.env_server.programs.language_guards import SHARED, make_guards
from tests.fake_world import FakeWorld
from voxeldojo import actions
from worlds.minecraft.card.language import LANGUAGE
from worlds.minecraft.play.observation import Observation, Observations, Ray
from worlds.minecraft.play.primitives import ARGUMENT, VECTORS, written
from worlds.minecraft.play.readings import Readings
from worlds.minecraft.play.runtime import RUNTIME

STUB = LANGUAGE.stub


def play(source: str, max_steps: int = 100) -> tuple[Run, list[str], FakeWorld]:
    """Play a program in the fake world; the run, what it did, and the world."""
    world = FakeWorld(1)
    world.reset(np.arange(1), np.zeros(1, np.int64))
    readings = Readings(world)
    compiled = compile_program(source, RUNTIME)
    run, done = Run(compiled, max_steps), []
    seen = Observations(readings, compiled.fields)
    code = run.start(seen.row(0, 0))
    while code is not None:
        assert isinstance(code, int)
        done.append(written(code))
        seen.expire()
        world.step(VECTORS[code][None], np.ones(1, bool))
        readings.forget()
        seen = Observations(readings, compiled.fields)
        code = run.send(seen.row(0, run.steps + 1))
    return run, done, world


def test_a_program_walks_to_the_tree_and_chops_it() -> None:
    run, done, world = play("""
GOAL = {"item": "log", "count": 2}

def enough(obs):
    return obs.inventory.get(GOAL["item"], 0) >= GOAL["count"]

def approach(obs, reach=2.0):
    while obs.facing != "wood" or obs.facing_distance > reach:
        where = nearest(obs, "wood")
        if where is None:
            obs = turn(30)
            continue
        yaw, pitch, distance = where
        if abs(yaw) > 7.5:
            obs = turn(yaw)
        obs = forward()
    return obs

def action(obs):
    obs = approach(obs)
    while not enough(obs):
        obs = attack()
""")
    assert run.ending is not None
    assert run.ending.status == "finished"
    assert world.quantities[0, 0] == 2
    assert done == ["forward"] * 4 + ["attack"] * 10
    assert run.steps == 14
    assert run.ending.last_primitive == "attack"


def test_allowed_python_gives_the_results_of_python() -> None:
    run, *_ = play("""
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def action(obs):
    total: int = 0
    seen = {}
    for i, name in enumerate(["a", "b", "a"]):
        seen[name] = seen.get(name, 0) + 1
        seen[name] += 0
        total += i
    words = sorted(seen.items(), key=lambda pair: -pair[1])
    assert words == [("a", 2), ("b", 1)], words
    assert total == 3 and fib(10) == 55
    assert [x * 2 for x in range(4) if x % 2] == [2, 6]
    assert {x: x ** 2 for x in (1, 2)} == {1: 1, 2: 4}
    assert max([3, 1, 2]) == 3 and min(4, 2) == 2 and max("a", "b") == "b"
    assert max([(1, "x"), (0, "y")], key=lambda p: p[0]) == (1, "x")
    assert sum(x for x in (1, 2, 3)) == 6 and any(x > 2 for x in (1, 2, 3))
    assert f"{3.14159:.2f} {total:>3d} {seen['a']!r}" == "3.14   3 2"
    assert ", ".join(str(x) for x in (1, None)) == "1, None"
    assert "wood" in ("wood", "leaves") and "x" not in seen and 2 in {1, 2}
    pairs = [(0, 1), (2, 3)]
    for left_one, (right_one) in pairs:
        total += left_one * right_one
    numbers = [3, 1, 2]
    numbers.sort(reverse=True)
    assert numbers == [3, 2, 1] and numbers[-1] == 1 and numbers[:2] == [3, 2]
    numbers += [0]
    assert len(numbers) == 4 and isinstance(numbers[0], (int, float))
    assert 1 < 2 <= 2 != 3 and not None
    try:
        numbers[99]
    except (IndexError, KeyError) as error:
        assert "range" in str(error)
    else:
        raise RuntimeError("no error")
    if (n := len(numbers)) > 3:
        total -= n
    assert round(hypot(3, 4) + sin(0), 2) == 5.0
    obs = noop()
    while True:
        obs = attack()
        if obs.steps >= 3:
            break
""")
    assert run.ending is not None
    assert (run.ending.status, run.ending.error) == ("finished", "")
    assert run.steps == 3


@pytest.mark.parametrize(
    ("source", "status", "line", "words"),
    [
        ("def action(obs):\n    attack()\n    x = 1 / 0\n", "error", 3, "ZeroDivisionError"),
        (
            "def chop(obs):\n    raise ValueError(f'no tree, facing {obs.facing}')\n"
            "def action(obs):\n    obs = attack()\n    chop(obs)\n",
            "error", 2, "ValueError: no tree, facing wood",
        ),
        ("def action(obs):\n    while True:\n        attack()\n", "step_limit", 3, ""),
        ("def go(obs):\n    return attack()\ndef action(obs):\n    while 1:\n        go(obs)\n",
         "step_limit", 2, ""),
        ("def action(obs):\n    attack()\n    n = 0\n    while True:\n        n += 1\n",
         "fuel_exhausted", 4, "10,000 loop turns"),
        ("def action(obs):\n    equip('non' + 'sense')\n", "error", 2, "no 'nonsense' to equip"),
        ("def action(obs):\n    craft('log')\n", "error", 2, "no 'log' to craft"),
        ("def action(obs):\n    noop()\n    obs.block(0, 9, 0)\n", "error", 3, "offsets"),
        ("def action(obs):\n    noop()\n    obs.block(0, 5, 0)\n", "error", 3,
         "earlier observation"),
        ("def action(obs):\n    noop()\n    obs.rays\n", "error", 3, "earlier observation"),
    ],
)  # fmt: skip
def test_endings_name_the_programs_own_lines(
    source: str, status: str, line: int, words: str
) -> None:
    run, *_ = play(source, max_steps=20)
    assert run.ending is not None
    assert (run.ending.status, run.ending.line) == (status, line), run.ending
    assert words in run.ending.error


def test_a_program_of_exactly_max_steps_ends_finished() -> None:
    run, *_ = play("def action(obs):\n    for _ in range(20):\n        attack()\n", max_steps=20)
    assert run.ending is not None
    assert (run.ending.status, run.steps) == ("finished", 20)


def test_a_long_program_is_not_out_of_fuel_as_long_as_it_acts() -> None:
    source = """
def action(obs):
    while True:
        for _ in range(9000):
            pass
        attack()
"""
    run, *_ = play(source, max_steps=50)
    assert run.ending is not None
    assert run.ending.status == "step_limit"


def test_all_problems_of_a_program_are_reported_at_once_by_line() -> None:
    with pytest.raises(ProgramRefused) as refused:
        compile_program(
            "print(1)\ndef action(obs):\n    f = attack\n"
            "    obs.life = 20\n    obs.__class__\n    attak()\n",
            RUNTIME,
        )
    said_of = {problem.line: problem.message for problem in refused.value.problems}
    assert said_of[1] == "only functions and constants at the top level"
    assert said_of[3] == "attack may only be called, not passed around"
    assert said_of[4] == "objects are read-only: attributes cannot be assigned"
    assert said_of[5] == "unknown attribute .__class__"
    assert said_of[6] == "unknown name attak"


@pytest.mark.parametrize("head", ["*, obs", "obs, *, by", "obs, *, by=1", "obs, by", "obs=1", ""])
def test_an_action_takes_the_observation_and_nothing_else(head: str) -> None:
    with pytest.raises(ProgramRefused, match=r"action takes one argument: def action\(obs\)"):
        compile_program(f"def action({head}):\n    attack()\n", RUNTIME)
    compile_program("def action(obs, /):\n    attack()\n", RUNTIME)


@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        ("x = (1,\n    y = 2\n", 2, "opened here is not closed in `x = (1,`"),
        ("x = (1]\n    y = 2\n", 2, "does not match opening parenthesis '(' in `x = (1]`"),
        ("x = 1)\n", 2, "unmatched ')' in `x = 1)`"),
        ("'''what it does\n    attack()\n", 2, "multi-line string in `'''what it does`"),
        ("attack()\n  attack()\n", 3, "any outer indentation level in `attack()`"),
        ("x = 1 crafting table\n", 2, "invalid syntax in `x = 1 crafting table`"),
        ("x = " + "(" * 21 + ")" * 21 + "\n", 2, "this is nested too deeply"),
        ("attack()  # \f \u2028 \x85\n    x = = 1\n", 3, "invalid syntax in `x = = 1`"),
        ("attack()\r    x = = 1\n", 3, "invalid syntax in `x = = 1`"),
        (
            "y = 1\n    x = [\n" + "1,\n" * 300,
            3,
            "more than 500 words and signs; split it into several",
        ),
    ],
)
def test_a_text_that_is_no_python_is_told_with_its_line(body: str, line: int, words: str) -> None:
    with pytest.raises(ProgramRefused) as refused:
        compile_program(f"def action(obs):\n    {body}", RUNTIME)
    (problem,) = refused.value.problems
    assert problem.line == line
    assert problem.message.endswith(words)


@pytest.mark.parametrize(
    ("degrees", "bins"), [(0, 0), (15, 1), (-30, -2), (40, 3), (7, 0), (270, -6), (180, 12)]
)
def test_degrees_become_camera_bins(degrees: int, bins: int) -> None:
    turn, look = ARGUMENT["turn"](degrees), ARGUMENT["look"](degrees)
    assert isinstance(turn, int)
    assert isinstance(look, int)
    assert VECTORS[turn].tolist() == list(actions.action(yaw=bins))
    assert VECTORS[look].tolist() == list(actions.action(pitch=bins))


def test_the_stub_declares_what_the_implementation_has() -> None:
    stub = ast.parse(STUB.read_text())
    stub_of = {n.name: n for n in stub.body if isinstance(n, ast.FunctionDef)}
    functions = {name: len(function.args.args) for name, function in stub_of.items()}
    classes = {n.name: n for n in stub.body if isinstance(n, ast.ClassDef)}
    primitives = {name: functions[name] for name in LANGUAGE.primitives}
    assert primitives == LANGUAGE.primitives
    for name in LANGUAGE.helpers:
        stub_arguments = [argument.arg for argument in stub_of[name].args.args]
        assert stub_arguments == [
            argument.arg for argument in library.signatures(LANGUAGE)[name].args
        ]
        assert functions.pop(name)
    assert set(functions) - set(primitives) <= set(SHARED) | set(make_guards(Fuel(), RUNTIME))
    python = {"abs", "all", "any", "divmod", "enumerate", "len", "max", "min", "range", "reversed",
              "round", "sorted", "sum", "zip"}  # fmt: skip
    assert set(functions) - set(primitives) == (grammar.PURE | LANGUAGE.functions) - python

    def fields(name: str) -> set[str]:
        body = classes[name].body
        plain = {n.target.id for n in body if isinstance(n, ast.AnnAssign)}  # type: ignore[union-attr]
        return plain | {n.name for n in body if isinstance(n, ast.FunctionDef)}

    assert fields("Ray") == set(Ray._fields)
    public = {name for name, _ in inspect.getmembers(Observation) if not name.startswith("_")}
    assert fields("Observation") == public
    assert fields("Ray") | fields("Observation") == LANGUAGE.fields | LANGUAGE.methods
    assert list(LANGUAGE.codes.values()) == list(range(len(LANGUAGE.codes)))


def test_runs_side_by_side_end_as_they_do_alone() -> None:
    sources = [
        "def action(obs):\n    for _ in range(7):\n        obs = attack()\n",
        "def action(obs):\n    while True:\n        attack()\n",
        "def action(obs):\n    while True:\n        for _ in range(9000):\n            pass\n"
        "        turn(15)\n",
        "def action(obs):\n    attack()\n    turn(30)\n    1 / 0\n",
        "def action(obs):\n    noop()\n    while True:\n        pass\n",
        "def action(obs):\n    attack()\n    equip('stick')\n",
        "def action(obs):\n    while obs.steps < 5:\n        obs = jump()\n    noop()\n",
    ]
    world = FakeWorld(1)
    world.reset(np.arange(1), np.zeros(1, np.int64))
    seen = Observations(Readings(world), frozenset())
    runs, codes, alone = {}, {}, {}
    for row, source in enumerate(sources):
        for found in (runs, alone):
            found[row] = Run(compile_program(source, RUNTIME), 30)
            code = found[row].start(seen.row(0, 0))
            codes[row] = code
        while code is not None and not isinstance(code, tuple):
            code = alone[row].send(seen.row(0, alone[row].steps + 1))
            if isinstance(code, tuple):
                code = alone[row].throw(ValueError("there is none"))
    batch = Batch(dict(runs), codes)
    ended: dict[int, Run] = {}
    world.quantities = world.quantities.repeat(len(sources), 0)
    while batch.runs:
        for row, run in batch.send(seen):
            ended[row] = run
        for row in list(batch.slotted):
            ended |= batch.replace(row, batch.runs[row].throw(ValueError("there is none")))
    assert {row: run.ending for row, run in ended.items()} == {
        row: run.ending for row, run in alone.items()
    }
    assert {run.ending.status for run in ended.values() if run.ending} == {
        "finished", "step_limit", "error", "fuel_exhausted",
    }  # fmt: skip


def test_a_program_of_another_game_is_refused_with_one_sentence() -> None:
    source = (
        "def action(obs):\n    obs = move_left()\n    obs = place_stone()\n    nothing_at_all()\n"
    )
    with pytest.raises(ProgramRefused) as refused:
        compile_program(source, RUNTIME)
    (problem,) = refused.value.problems
    assert problem.message.startswith("this is a program for crafter, which has ")
    assert problem.message.endswith(", and not for minecraft")


def test_one_name_of_another_game_hides_no_other_problem_of_a_program() -> None:
    """A model may guess a name that another game happens to have."""
    source = "import os\ndef action(obs):\n    obs = {}()\n    jumpp()\n"
    for guessed in ("move_left", "hop"):
        with pytest.raises(ProgramRefused) as refused:
            compile_program(source.format(guessed), RUNTIME)
        said = [problem.message for problem in refused.value.problems]
        assert said == [
            "nothing can be imported, and nothing needs to be",
            "action never acts: it calls no primitive",
            f"unknown name {guessed}",
            "unknown name jumpp",
        ]


def test_a_language_with_a_name_that_every_language_has_is_refused() -> None:
    same = dataclasses.replace(LANGUAGE, game="toy", primitives={"dig": 0, "range": 0})
    with pytest.raises(ValueError, match="the language of toy has range, which every game's prog"):
        grammar.api_names(same)


def test_languages_that_differ_in_any_part_are_unequal(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("FAR = 8\n")
    changed = dataclasses.replace(LANGUAGE, helper_folder=tmp_path)
    again = dataclasses.replace(LANGUAGE)
    more = dataclasses.replace(LANGUAGE, primitives={**LANGUAGE.primitives, "dance": 0})
    assert again == LANGUAGE
    assert hash(again) == hash(LANGUAGE)
    assert len({changed, again, more, LANGUAGE}) == 3
