"""The rulebook: cheapest first, changes on evidence, and the same answer to the same question."""

import ast
from itertools import product
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec
import numpy as np
import pytest
import yaml

from messages.chat import (
    ANSWERS,
    DecomposeQuestion,
    GuardQuestion,
    JudgeQuestion,
    PlanQuestion,
    ProgramAttempt,
    ProgramQuestion,
    SpecQuestion,
    TriedNote,
)
from messages.plan import (
    GuardProposal,
    Iteration,
    Line,
    Samples,
    Stage,
    SubAction,
    Subtask,
    Tried,
    Unseen,
)
from messages.program import CheckProgram, Program, ProgramReport
from messages.verdict import Evidence, Verdict
from messages.world import Condition, Episode, OpenSession, SeedRange, Task, View
from nodes.env_server.games import make_world
from nodes.env_server.programs import Run, compile_program
from nodes.env_server.programs.checking import problems_of
from nodes.env_server.programs.condition import CodeCondition
from nodes.env_server.session import Session
from nodes.llm.answers import answer
from nodes.llm.backend import BackendError
from nodes.llm.rulebook.rulebook_backend import (
    RulebookBackend,
    decompose,
    guard,
    judge,
    plan,
    program,
    spec,
)
from nodes.llm.rulebook.rules import BOOK, Book
from nodes.spec_check import spec_problems
from tests.expected_starts import starts
from tests.task_files import WHOLE
from tests.voxel_world.test_mobs import Yard
from voxeldojo.actions import PRIMITIVES
from worlds import play
from worlds.minecraft.card import CARD
from worlds.minecraft.card.features import FEATURES

LOG = Condition(kind="have", name="log")
TREE = Condition(kind="facing", name="wood")
PROGRAMS = sorted(CARD.rulebook.programs.glob("*.py"))


def task(goal: Condition = LOG) -> Task:
    return Task(id="test", prompt="get it", success=goal)


def subtask(goal: Condition = LOG) -> Subtask:
    return Subtask(name="get it", success=goal)


def line(sub_action: SubAction, success: bool) -> Line:
    verdict = Verdict(success=success, success_rate=float(success), reason="seen")
    return Line(sub_action=sub_action, attempts=1, verdict=verdict)


def iterate(goal: Condition, worked: dict[str, bool], rounds: int) -> list[Iteration]:
    """The iterations that the rulebook goes through when these sub-actions work."""
    history: list[Iteration] = []
    for number in range(rounds):
        question = DecomposeQuestion(task=task(goal), subtask=subtask(goal), history=history)
        sub_actions = decompose(question).sub_actions
        history.append(
            Iteration(
                subtask="get it",
                number=number,
                lines=[line(each, worked.get(each.name, False)) for each in sub_actions],
                stages=[Stage(sub_action=each) for each in sub_actions],
                success_rate=0.0,
                episodes=30,
                samples=Samples(),
                seconds=1.0,
            )
        )
    return history


def methods(iteration: Iteration) -> list[tuple[str, str]]:
    return [(each.sub_action.name, each.sub_action.method) for each in iteration.lines]


def test_harvesting_a_log_escalates_on_evidence():
    history = iterate(LOG, {"find a tree": True}, 4)
    assert [methods(iteration) for iteration in history] == [
        [("harvest log", "code")],
        [("find a tree", "code"), ("harvest log", "code")],
        [("find a tree", "code"), ("harvest log", "rl")],
        [("find a tree", "code"), ("harvest log", "rl")],
    ]


def test_what_failed_is_changed_and_what_worked_is_kept():
    history = iterate(LOG, {"find a tree": False, "harvest log": False}, 3)
    # The first failure counts: the second sub-action never had a fair start.
    assert methods(history[2]) == [("find a tree", "rl"), ("harvest log", "code")]


def test_when_the_parts_work_and_the_whole_does_not_the_last_is_changed():
    history = iterate(LOG, {"find a tree": True, "harvest log": True}, 3)
    assert methods(history[1]) == [("find a tree", "code"), ("harvest log", "code")]
    assert methods(history[2]) == [("find a tree", "code"), ("harvest log", "rl")]


def test_what_lost_the_most_unseen_episodes_is_changed():
    first, second = iterate(LOG, {"find a tree": True, "harvest log": True}, 2)
    for held, changed in (([20, 20], "find a tree"), ([29, 20], "harvest log")):
        seen = msgspec.structs.replace(second, unseen=Unseen(episodes=30, worked=20, held=held))
        question = DecomposeQuestion(task=task(LOG), subtask=subtask(LOG), history=[first, seen])
        by_rl = [each.name for each in decompose(question).sub_actions if each.method == "rl"]
        assert by_rl == [changed]


def test_a_program_that_lost_the_most_comes_last():
    find = iterate(LOG, {}, 2)[1].lines[0].sub_action
    question = ProgramQuestion(task=task(LOG), sub_action=find)
    first = program(question).source
    tried = Tried(
        iteration=1, line=line(find, True), program=Program(name="find", source=first), weakest=True
    )
    again = program(msgspec.structs.replace(question, tried=[tried])).source
    assert again != first
    kept = msgspec.structs.replace(tried, weakest=False)
    assert program(msgspec.structs.replace(question, tried=[kept])).source == first


def test_a_step_is_told_from_another_of_its_name_by_its_method():
    """Several logs are gone for by code, then by rl; one log by code alone, under the same name."""
    logs = Condition(kind="have", name="log", quantity=3)
    by_rl = SubAction(name="go harvesting log", method="rl", success=logs)
    question = SpecQuestion(task=task(logs), sub_action=by_rl, macros_allowed=True)
    assert spec(question).budget > 0


@pytest.mark.parametrize(
    ("item", "block"),
    [
        ("dirt", "grass block"),
        ("sand", "sand"),
        ("log", "wood"),
        ("deadbush", "dead bush"),  # which it gives to shears alone
    ],
)
def test_any_item_that_is_dug_can_be_gathered(item: str, block: str):
    goal = Condition(kind="have", name=item)
    sub_actions = [line.sub_action for each in iterate(goal, {}, 4) for line in each.lines]
    find = next(each for each in sub_actions if each.success.kind == "facing")
    assert find.success == Condition(kind="facing", name=block)
    question = ProgramQuestion(task=task(goal), sub_action=find)
    assert f'BLOCK = "{block}"' in program(question).source


def test_guards_of_the_rules_are_there_and_compile():
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


def test_programs_are_filled_in_and_repaired_from_the_stock():
    find = iterate(LOG, {}, 2)[1].lines[0].sub_action
    first = program(ProgramQuestion(task=task(), sub_action=find)).source
    attempts = [ProgramAttempt(source=first, verdict="stuck")]
    second = program(ProgramQuestion(task=task(), sub_action=find, attempts=attempts)).source
    attempts.append(ProgramAttempt(source=second, verdict="stuck"))
    third = program(ProgramQuestion(task=task(), sub_action=find, attempts=attempts)).source
    assert first != second
    assert second == third  # no further idea, and it says so by repeating itself


def spec_question(history: list[Line], macros_allowed: bool = True) -> SpecQuestion:
    iteration = iterate(LOG, {"find a tree": True}, 3)[2]
    return SpecQuestion(
        task=task(),
        sub_action=iteration.lines[1].sub_action,
        before=[iteration.stages[0]],
        history=history,
        observations=list(FEATURES),
        actions=list(PRIMITIVES),
        macros_allowed=macros_allowed,
    )


def test_macros_join_after_single_steps_have_failed():
    failed = line(spec_question([]).sub_action, False)
    assert spec(spec_question([])).macros == []
    assert [macro.name for macro in spec(spec_question([failed])).macros] == ["dig", "fetch"]
    assert spec(spec_question([failed], macros_allowed=False)).macros == []


TRIED = [
    TriedNote(name="find_1", sub_action="find", success=TREE, rate=1.0, episodes=20),
    TriedNote(name="dig_2", sub_action="dig", success=LOG, rate=0.6, episodes=20),
    TriedNote(name="dig_1", sub_action="dig", success=LOG, rate=0.0, episodes=20),
]


def from_programs(**changes: object) -> SpecQuestion:
    """For several logs, after going from tree to tree has failed by code."""
    several = Condition(kind="have", name="log", quantity=3)
    programs = [
        msgspec.structs.replace(each, success=several) if each.success == LOG else each
        for each in TRIED
    ]
    return SpecQuestion(
        task=task(several),
        sub_action=SubAction(name="go harvesting log", method="rl", success=several),
        observations=list(FEATURES),
        actions=list(PRIMITIVES),
        **{"programs": programs, **changes},
    )


def test_the_programs_that_were_tried_join_and_the_best_of_its_aim_is_cloned():
    answer = spec(from_programs())
    small = ["dig", "fetch", "go_to"]
    assert [macro.name for macro in answer.macros] == [*small, "find_1", "dig_2", "dig_1"]
    assert [macro.interrupt for macro in answer.macros] == [None] * 3 + [50] * 3
    assert [macro.source == "" for macro in answer.macros] == [False] * 3 + [True] * 3
    assert answer.clone == ["dig_2"]
    assert "under_way" in answer.observations
    assert spec_problems(answer, FEATURES, PRIMITIVES, True, 10**6, to_clone=["dig_2"]) == []


def test_programs_join_and_are_cloned_only_where_that_is_allowed():
    assert len(spec(from_programs(programs_as_macros=False)).macros) == 3
    assert spec(from_programs(programs_as_macros=False)).clone == ["dig_2"]
    assert spec(from_programs(programs_to_clone=False)).clone == []
    assert len(spec(from_programs(programs_to_clone=False)).macros) == 6
    assert spec(from_programs(programs=[])).clone == []
    never = [msgspec.structs.replace(each, rate=0.0) for each in from_programs().programs]
    assert spec(from_programs(programs=never)).clone == []


def view(facing: str = "air", logs: int = 0) -> View:
    return View(
        position=(0.0, 64.0, 0.0),
        yaw=0.0,
        pitch=0.0,
        life=20.0,
        food=20.0,
        inventory={"log": logs} if logs else {},
        facing=facing,
        around={},
    )


def evidence(**changes: object) -> Evidence:
    episode = Episode(
        environment=0,
        seed=1,
        success=False,
        steps=9,
        reward=0.0,
        ended="running",
        before=view(),
        after=view(),
    )
    fields = {
        "id": "q",
        "sub_action": "harvest log",
        "description": "",
        "method": "code",
        "success": LOG,
        "required_rate": 0.9,
        "episodes": [episode] * 10,
        **changes,
    }
    return Evidence(**fields)  # pyright: ignore[reportArgumentType]


def tryout(*ended: str) -> list[Episode]:
    """Episodes that ended so; those that ended in success have their log."""
    return [
        msgspec.structs.replace(
            evidence().episodes[0],
            environment=row,
            ended=how,
            after=view(logs=int(how == "success")),
        )
        for row, how in enumerate(ended)
    ]


def runs(status: str, rows: list[int], **changes: object) -> ProgramReport:
    fields = {"program": "p", "status": status, "count": len(rows), "steps": 3, **changes}
    return ProgramReport(environments=rows, **fields)  # pyright: ignore[reportArgumentType]


WORKED_TWICE = tryout("success", "death", "horizon", "death", "running", "success")


@pytest.mark.parametrize(
    ("changes", "rate", "said", "advised"),
    [
        ({"episodes": tryout("success")}, 1.0, "It worked in 1 of 1 episodes.", ""),
        # The first report is the most frequent, and of episodes that succeeded too: what it says is
        # not what the others died of.
        (
            {
                "episodes": WORKED_TWICE,
                "reports": [runs("episode_over", [0, 1, 2, 3, 5]), runs("finished", [4])],
            },
            2 / 6,
            "It worked in 2 of 6 episodes; 2 died, 1 reached the horizon, 1 ended when the program "
            "came to its end.",
            "Keep away from what kills",
        ),
        (
            {
                "episodes": tryout("running", "running", "death"),
                "reports": [runs("error", [0, 1], line=7, error="no {odd}."), runs("finished", [])],
            },
            0.0,
            "It worked in 0 of 3 episodes; 2 ended when the program failed at line 7: no {odd}, "
            "1 died.",
            "Repair line 7.",
        ),
        # With a program that was killed its episodes are cut off, as by their horizon.
        (
            {
                "episodes": tryout("horizon", "horizon", "death"),
                "reports": [runs("killed", [0, 1], line=5, error="it hung")],
            },
            0.0,
            "It worked in 0 of 3 episodes; 2 ended when the program had its process ended "
            "for taking too much time or memory, 1 died.",
            "Take less time and memory",
        ),
        (
            {"method": "rl", "episodes": tryout("success", "horizon", "horizon")},
            1 / 3,
            "It worked in 1 of 3 episodes; 2 reached the horizon.",
            "Give the policy a coded action",
        ),
        (
            {"method": "rl", "macros": ["dig"], "episodes": tryout("running", "success")},
            0.5,
            "It worked in 1 of 2 episodes; 1 ended without it.",
            "Train for longer.",
        ),
    ],
)
def test_verdicts_say_what_the_failed_episodes_ended_with(
    changes: dict[str, object], rate: float, said: str, advised: str
):
    judged = judge(JudgeQuestion(evidence=evidence(**changes), success_rate=rate))
    assert judged.success == (rate >= 0.9)
    assert judged.reason == said
    assert judged.suggestion.startswith(advised)
    assert bool(judged.suggestion) == bool(advised)


def test_every_ending_has_its_words_and_its_advice():
    endings = [*get_args(get_type_hints(Episode)["ended"]), "finished", "step_limit"]
    for ended in (*endings, "fuel_exhausted", "time_limit", "error", "killed"):
        inside = ended in get_args(get_type_hints(ProgramReport)["status"])
        failed = tryout("running" if inside else ended)
        failed = [msgspec.structs.replace(each, after=view()) for each in failed]
        reports = [runs(ended, [0], line=3, error="no")] if inside else []
        asked = evidence(episodes=failed, reports=reports)
        judged = judge(JudgeQuestion(evidence=asked, success_rate=0.0))
        assert judged.reason.startswith("It worked in 0 of 1 episodes; 1 ")
        assert judged.suggestion


def test_every_answer_passes_the_check_that_a_language_model_has_to_pass():
    find = iterate(LOG, {}, 2)[1].lines[0].sub_action
    for question in (
        PlanQuestion(task=task()),
        DecomposeQuestion(task=task(), subtask=subtask()),
        ProgramQuestion(task=task(), sub_action=find),
        spec_question([]),
        JudgeQuestion(evidence=evidence(), success_rate=0.0),
    ):
        first = answer(RulebookBackend(), question, [], repairs=0)
        assert first == answer(RulebookBackend(), question, [], repairs=0)
        msgspec.json.decode(first.answer, type=ANSWERS[type(question)])


def test_what_no_rule_covers_is_not_answered():
    goal = Condition(kind="have", name="nonsense")
    with pytest.raises(BackendError, match="nothing in the rules leads to 'nonsense'"):
        RulebookBackend().complete(PlanQuestion(task=task(goal)), [], {})
    assert plan(PlanQuestion(task=task())).subtasks[0].success == LOG


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_stock_is_in_call_style(path: Path):
    tree = ast.parse(path.read_text())
    assert any(isinstance(node, ast.FunctionDef) and node.name == "action" for node in tree.body)
    assert all(isinstance(node, (ast.FunctionDef, ast.Assign)) for node in tree.body)


@pytest.mark.parametrize("item", ["planks", "stick", "crafting_table", "wooden_pickaxe"])
def test_what_a_recipe_makes_is_made_and_not_looked_for(item: str):
    goal = Condition(kind="have", name=item)
    assert Book().approach(goal).name.startswith("craft")
    assert Book().approach(Condition(kind="have", name="log")).name.startswith("harvest")


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
def test_subtasks_are_done_in_the_world(name: str, subtask_number: int):
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
        assert sum(episode.success for episode in batch.said()) >= 3
    finally:
        batch.close()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("specs: [", r"broken\.yaml: while parsing"),
        ("base: broken.yaml", "its `base` leads back to it"),
        ("", "a rule file is a mapping"),
        ("base: rules.yaml\nspecs: {find: {actions: 3}}", r"Expected `array`, got `int`"),
        ("base: rules.yaml\nadvice: [{when: {success: true}}]", "the last of its"),
    ],
)
def test_a_rule_file_that_is_none_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
):
    (tmp_path / BOOK).write_text((CARD.rulebook.files / BOOK).read_text())
    (tmp_path / "broken.yaml").write_text(text)
    monkeypatch.setattr(CARD.rulebook, "files", tmp_path)
    with pytest.raises(ValueError, match=said):
        RulebookBackend("broken.yaml")


def test_a_variant_says_where_things_are_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / BOOK).write_text((CARD.rulebook.files / BOOK).read_text())
    (tmp_path / "variant.yaml").write_text(
        "base: rules.yaml\n"
        "tables:\n"
        "  levels: {stone: 5, wood: 70}\n"
        "  blocks: {dirt: dirt}\n"
        "  sources: {dirt: earth}\n"
    )
    monkeypatch.setattr(CARD.rulebook, "files", tmp_path)
    stone = Condition(kind="have", name="cobblestone")
    assert "LEVEL = 5\n" in Book(file="variant.yaml").program("mine.py", stone)
    assert "LEVEL = 40\n" in Book().program("mine.py", stone)
    assert Book(file="variant.yaml").kind_of(LOG) == "mine"
    dirt = Book(file="variant.yaml").approach(Condition(kind="have", name="dirt"))
    assert dirt.splits[1][0].name == "find earth"
    assert dirt.splits[1][0].success == Condition(kind="facing", name="dirt")
