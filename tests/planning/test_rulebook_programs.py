"""The rulebook's stock of programs and guards: they compile, and do what they are for."""

import ast
from itertools import product
from pathlib import Path

import msgspec
import numpy as np
import pytest
import yaml

from messages.chat import (
    DecomposeQuestion,
    GuardQuestion,
    PlanQuestion,
    ProgramAttempt,
    ProgramQuestion,
)
from messages.plan import (
    GuardProposal,
    Stage,
)
from messages.program import CheckProgram, Program
from messages.world import OpenSession, SeedRange, Task
from nodes.env_server.games import make_world
from nodes.env_server.programs import Run, compile_program
from nodes.env_server.programs.checking import problems_of
from nodes.env_server.programs.condition import CodeCondition
from nodes.env_server.session import Session
from nodes.llm.rulebook.rulebook_backend import (
    decompose,
    guard,
    plan,
    program,
)
from nodes.llm.rulebook.rules import Book
from tests.expected_starts import starts
from tests.planning.rulebook_questions import task
from tests.task_files import WHOLE
from tests.voxel_world.test_mobs import Yard
from worlds import play
from worlds.minecraft.card import CARD

PROGRAMS = sorted(CARD.rulebook.programs.glob("*.py"))


def test_guards_named_by_the_rules_exist_and_compile():
    book = Book()
    for name, rule in book.rules.guards.items():
        proposal = GuardProposal(name=name, when=rule.when)
        made = guard(GuardQuestion(task=task(), proposal=proposal))
        for source, kind in ((made.when, "when"), (made.source, "action")):
            asked = CheckProgram(program=Program(name="guard", source=source), kind=kind)
            assert problems_of(asked, play("minecraft").programs) == []
    for approach in book.rules.subtasks.values():
        assert set(approach.guards) <= set(book.rules.guards)


def test_coming_up_for_air_brings_a_diver_up_in_time():
    """From the ground of a pool of nine metres, with half of the air, until there is all of it."""
    made = guard(
        GuardQuestion(task=task(), proposal=GuardProposal(name="come up for air", when=""))
    )
    yard = Yard()
    for x, z, y in product(range(12, 22), range(12, 22), range(55, 64)):
        yard.put(x, y, z, "water")
    yard.stand(16.5, 55.0, 16.5)
    yard.player["air"] = 149
    runtime = play("minecraft").programs
    condition = CodeCondition(made.when, runtime)
    ready = compile_program(made.source, runtime)
    fields = condition.fields | ready.fields
    readings = play("minecraft").readings(yard.world)
    run = Run(ready, made.max_steps)
    seen = runtime.observe(readings, fields)
    code = run.start(seen.row(0, 0))
    while condition.holds(seen.row(0, run.steps)):
        assert isinstance(code, int), run.ending
        yard.world.step(runtime.vectors[[code]], np.ones(1, bool))
        readings.forget()
        seen = runtime.observe(readings, fields)
        code = run.send(seen.row(0, run.steps + 1))
    assert run.steps < made.max_steps
    assert (int(yard.player["air"][0]), yard.life) == (300, 20.0)


@pytest.mark.parametrize("lid", ["ice", "leaves"])
@pytest.mark.parametrize("program", ["surface(obs, 120)", "explore(obs, 120, {})"])
def test_who_comes_under_a_lid_on_the_water_swims_to_where_there_is_none(lid: str, program: str):
    yard = Yard()
    for x, z, y in product(range(6, 27), range(6, 27), range(57, 64)):
        yard.put(x, y, z, "water" if y < 63 else lid)
    for x, z in product(range(18, 21), range(15, 18)):
        yard.put(x, 63, z, "water")  # a hole
    yard.stand(15.5, 61.2, 16.5)
    runtime = play("minecraft").programs
    ready = compile_program(f"def action(obs):\n    {program}\n", runtime)
    readings = play("minecraft").readings(yard.world)
    run = Run(ready, 120)
    air = [300]
    code = run.start(runtime.observe(readings, ready.fields).row(0, 0))
    while isinstance(code, int) and run.steps < 120:
        yard.world.step(runtime.vectors[[code]], np.ones(1, bool))
        readings.forget()
        air.append(int(yard.player["air"][0]))
        code = run.send(runtime.observe(readings, ready.fields).row(0, run.steps + 1))
    assert 150 < min(air) < 300 == air[-1]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_each_program_of_the_stock_has_only_functions_and_constants(path: Path):
    tree = ast.parse(path.read_text())
    assert any(isinstance(node, ast.FunctionDef) and node.name == "action" for node in tree.body)
    assert all(isinstance(node, (ast.FunctionDef, ast.Assign)) for node in tree.body)


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_every_task_has_a_plan_and_programs_that_compile(path: Path):
    asked = msgspec.convert(yaml.safe_load(path.read_text()), type=Task)
    subtasks = plan(PlanQuestion(task=asked, inventory=asked.inventory)).subtasks
    assert subtasks[-1].success == asked.success
    for each, start in zip(subtasks, starts(subtasks, asked.inventory), strict=True):
        here = msgspec.structs.replace(asked, success=each.success, inventory=start)
        asked_here = msgspec.structs.replace(asked, inventory=start)
        before: list[Stage] = []
        for sub_action in decompose(DecomposeQuestion(task=asked_here, subtask=each)).sub_actions:
            assert sub_action.method == "code"
            asking = ProgramQuestion(task=here, sub_action=sub_action, before=before)
            for _ in Book(asked.game).rules.subtasks:  # more than any stock has
                source = program(asking).source
                compile_program(source, play(asked.game).programs)
                attempts = [*asking.attempts, ProgramAttempt(source=source, verdict="stuck")]
                asking = msgspec.structs.replace(asking, attempts=attempts)
            before.append(Stage(sub_action=sub_action))


@pytest.mark.parametrize(("name", "subtask_number"), [("beef", 0), ("milk_bucket", 0)])
def test_the_rulebooks_programs_reach_their_subtasks_in_the_world(name: str, subtask_number: int):
    path = next(path for path in WHOLE if path.stem == name)
    asked = msgspec.convert(yaml.safe_load(path.read_text()), type=Task)
    each = plan(PlanQuestion(task=asked, inventory=asked.inventory)).subtasks[subtask_number]
    here = msgspec.structs.replace(asked, success=each.success)
    sub_action = decompose(DecomposeQuestion(task=here, subtask=each)).sub_actions[0]
    source = program(ProgramQuestion(task=here, sub_action=sub_action)).source
    world = make_world("embedded", 4, here)
    seeds = SeedRange(first=5000, count=4)
    batch = Session(OpenSession(session="s", task=here, size=4, seeds=seeds), world)
    try:
        batch.run_program(Program(name="p", source=source, max_steps=3000))
        assert sum(episode.success for episode in batch.episodes()) >= 3
    finally:
        batch.close()
