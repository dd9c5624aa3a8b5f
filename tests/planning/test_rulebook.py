"""The rulebook: cheapest first, changes on evidence, and the same answer to the same question."""

from pathlib import Path

import msgspec
import pytest

from messages.chat import (
    ANSWERS,
    DecomposeQuestion,
    JudgeQuestion,
    PlanQuestion,
    ProgramAttempt,
    ProgramQuestion,
    SpecAnswer,
    SpecQuestion,
    TriedNote,
)
from messages.plan import (
    Iteration,
    Line,
    Samples,
    Stage,
    SubAction,
    Tried,
    Unseen,
)
from messages.program import Program
from messages.verdict import Verdict
from messages.world import Condition
from nodes.common.checks.rule_file import NoRule
from nodes.common.checks.spec_check import spec_problems
from nodes.llm.answers.checked_answers import answer
from nodes.llm.backend import BackendError
from nodes.llm.rulebook import filled_specs
from nodes.llm.rulebook.rulebook_backend import (
    RulebookBackend,
    decompose,
    plan,
    program,
    spec,
)
from nodes.llm.rulebook.rules import BOOK, Book
from rlgpt.composing.named_goals import goals_of
from tests.planning.rulebook_questions import LOG, TREE, evidence, subtask, task
from voxeldojo.actions import PRIMITIVES
from worlds import card
from worlds.minecraft.card import CARD
from worlds.minecraft.card.features import FEATURES

EXAMPLE = "paper_example.yaml"
"""A log in steps, each of which may fail."""


def line(sub_action: SubAction, success: bool) -> Line:
    verdict = Verdict(success=success, success_rate=float(success), reason="seen")
    return Line(sub_action=sub_action, attempts=1, verdict=verdict)


def iterate(goal: Condition, worked: dict[str, bool], rounds: int) -> list[Iteration]:
    """The iterations that the rulebook goes through when these sub-actions work."""
    history: list[Iteration] = []
    for number in range(rounds):
        question = DecomposeQuestion(task=task(goal), subtask=subtask(goal), history=history)
        sub_actions = decompose(question, EXAMPLE).sub_actions
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


def test_the_best_program_comes_first_for_a_log_as_for_all_that_is_dug():
    for item in ("log", "sand"):
        goal = Condition(kind="have", name=item)
        question = DecomposeQuestion(task=task(goal), subtask=subtask(goal))
        [first] = decompose(question).sub_actions
        source = program(ProgramQuestion(task=task(goal), sub_action=first)).source
        assert source == Book().program("gather_all.py", goal, alone=True)


def constants_alone(source: str) -> str:
    """Without the comments behind them."""
    return "\n".join(line.partition("  #")[0] for line in source.splitlines())


def test_another_trees_log_counts_on_the_way_to_something_and_not_as_the_goal():
    log, planks = (Condition(kind="have", name=name) for name in ("log", "planks"))
    sources: list[str] = []
    for goal in (planks, log):
        question = DecomposeQuestion(task=task(goal), subtask=subtask(log))
        [first] = decompose(question).sub_actions
        asked = ProgramQuestion(task=task(log), sub_action=first)
        sources.append(program(asked).source)
    as_step, as_goal = sources
    assert 'ALIKE = ["log2"]\nOTHERS = []' in constants_alone(as_step)
    assert 'ALIKE = []\nOTHERS = ["log2"]' in constants_alone(as_goal)


def test_harvesting_a_log_escalates_on_evidence():
    history = iterate(LOG, {"find a tree": True}, 4)
    assert [methods(iteration) for iteration in history] == [
        [("harvest log", "code")],
        [("find a tree", "code"), ("harvest log", "code")],
        [("find a tree", "code"), ("harvest log", "rl")],
        [("find a tree", "code"), ("harvest log", "rl")],
    ]


def test_failed_sub_actions_change_and_successful_ones_are_kept():
    history = iterate(LOG, {"find a tree": False, "harvest log": False}, 3)
    # The first failure counts: the second sub-action never had a fair start.
    assert methods(history[2]) == [("find a tree", "rl"), ("harvest log", "code")]


def test_the_last_sub_action_is_changed_when_each_succeeds_and_the_whole_fails():
    history = iterate(LOG, {"find a tree": True, "harvest log": True}, 3)
    assert methods(history[1]) == [("find a tree", "code"), ("harvest log", "code")]
    assert methods(history[2]) == [("find a tree", "code"), ("harvest log", "rl")]


def test_the_sub_action_that_lost_most_unseen_episodes_is_changed():
    first, second = iterate(LOG, {"find a tree": True, "harvest log": True}, 2)
    for lost, changed in (([10, 0], "find a tree"), ([1, 9], "harvest log")):
        seen = msgspec.structs.replace(second, unseen=Unseen(episodes=30, worked=20, lost=lost))
        question = DecomposeQuestion(task=task(LOG), subtask=subtask(LOG), history=[first, seen])
        by_rl = [
            each.name for each in decompose(question, EXAMPLE).sub_actions if each.method == "rl"
        ]
        assert by_rl == [changed]


def test_a_program_that_lost_the_most_is_proposed_after_the_others():
    find = iterate(LOG, {}, 2)[1].lines[0].sub_action
    question = ProgramQuestion(task=task(LOG), sub_action=find)
    first = program(question, EXAMPLE).source
    tried = Tried(
        iteration=1, line=line(find, True), program=Program(name="find", source=first), weakest=True
    )
    again = program(msgspec.structs.replace(question, tried=[tried]), EXAMPLE).source
    assert again != first
    kept = msgspec.structs.replace(tried, weakest=False)
    assert program(msgspec.structs.replace(question, tried=[kept]), EXAMPLE).source == first


def test_sub_actions_of_one_name_are_distinguished_by_their_method():
    """Several logs are got by code, then by rl; one log by code alone, under the same name."""
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
def test_the_program_for_a_dug_item_looks_for_the_block_that_drops_it(item: str, block: str):
    goal = Condition(kind="have", name=item)
    sub_actions = [line.sub_action for each in iterate(goal, {}, 4) for line in each.lines]
    find = next(each for each in sub_actions if each.success.kind == "facing")
    assert find.success == Condition(kind="facing", name=block)
    question = ProgramQuestion(task=task(goal), sub_action=find)
    assert f'BLOCK = "{block}"' in program(question).source


def test_programs_are_filled_in_and_repaired_from_the_stock():
    find = iterate(LOG, {}, 2)[1].lines[0].sub_action
    first = program(ProgramQuestion(task=task(), sub_action=find), EXAMPLE).source
    attempts = [ProgramAttempt(source=first, verdict="stuck")]
    second = program(
        ProgramQuestion(task=task(), sub_action=find, attempts=attempts), EXAMPLE
    ).source
    attempts.append(ProgramAttempt(source=second, verdict="stuck"))
    third = program(
        ProgramQuestion(task=task(), sub_action=find, attempts=attempts), EXAMPLE
    ).source
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


def test_macros_are_added_to_the_spec_after_single_steps_have_failed():
    failed = line(spec_question([]).sub_action, False)
    assert spec(spec_question([]), EXAMPLE).macros == []
    macros = spec(spec_question([failed]), EXAMPLE).macros
    assert [macro.name for macro in macros] == ["dig", "fetch"]
    assert spec(spec_question([failed], macros_allowed=False), EXAMPLE).macros == []


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


def test_the_spec_takes_tried_programs_as_macros_and_clones_the_best_of_its_goal():
    answer = spec(from_programs())
    small = ["dig", "fetch", "go_to"]
    assert [macro.name for macro in answer.macros] == [*small, "find_1", "dig_2", "dig_1"]
    assert [macro.interrupt for macro in answer.macros] == [None] * 3 + [50] * 3
    assert [macro.source == "" for macro in answer.macros] == [False] * 3 + [True] * 3
    assert answer.clone == ["dig_2"]
    assert "under_way" in answer.observations
    assert spec_problems(answer, FEATURES, PRIMITIVES, True, 10**6, to_clone=["dig_2"]) == []


@pytest.mark.parametrize(
    ("success", "clone"),
    [
        (Condition(kind="facing", name="wood"), True),
        (Condition(kind="have", name="planks", quantity=4), True),
        (Condition(kind="have", name="wooden_pickaxe"), True),
        (Condition(kind="nearby", name="crafting_table"), True),
        (Condition(kind="lived", name="days"), False),
    ],
    ids=lambda each: each.kind if isinstance(each, Condition) else "",
)
def test_finding_making_placing_and_living_are_learned_from_what_was_tried(
    success: Condition, clone: bool
):
    known = Book().approach(success, alone=True)
    (step,) = known.splits[-1]
    tried = [TriedNote(name="by_code", sub_action="it", success=success, rate=0.5, episodes=20)]
    question = SpecQuestion(
        task=task(success),
        sub_action=SubAction(name=step.name, method="rl", success=success),
        observations=list(FEATURES),
        actions=list(PRIMITIVES),
        programs=tried,
    )
    answer = spec(question)
    assert [(each.name, each.interrupt) for each in answer.macros] == [("by_code", 50)]
    assert answer.clone == (["by_code"] if clone else [])
    assert "under_way" in answer.observations
    alone = spec(msgspec.structs.replace(question, programs=[]))
    assert (alone.macros, alone.clone) == ([], [])
    assert "under_way" not in alone.observations


def test_tried_programs_become_macros_and_are_cloned_only_where_that_is_allowed():
    assert len(spec(from_programs(programs_as_macros=False)).macros) == 3
    assert spec(from_programs(programs_as_macros=False)).clone == ["dig_2"]
    assert spec(from_programs(programs_to_clone=False)).clone == []
    assert len(spec(from_programs(programs_to_clone=False)).macros) == 6
    assert spec(from_programs(programs=[])).clone == []
    never = [msgspec.structs.replace(each, rate=0.0) for each in from_programs().programs]
    assert spec(from_programs(programs=never)).clone == []


def test_every_answer_passes_the_check_that_a_language_model_has_to_pass():
    find = iterate(LOG, {}, 2)[1].lines[0].sub_action
    for question in (
        PlanQuestion(task=task()),
        DecomposeQuestion(task=task(), subtask=subtask()),
        ProgramQuestion(task=task(), sub_action=find),
        spec_question([]),
        JudgeQuestion(evidence=evidence(), success_rate=0.0),
    ):
        first = answer(RulebookBackend(EXAMPLE), question, [], repairs=0)
        assert first == answer(RulebookBackend(EXAMPLE), question, [], repairs=0)
        msgspec.json.decode(first.answer, type=ANSWERS[type(question)])


def test_a_question_that_no_rule_covers_is_not_answered():
    goal = Condition(kind="have", name="nonsense")
    with pytest.raises(BackendError, match="nothing in the rules leads to 'nonsense'"):
        RulebookBackend().complete(PlanQuestion(task=task(goal)), [], {})
    ghast = task(Condition(kind="killed", name="ghast"))
    with pytest.raises(BackendError, match="ghast is found in the biome nether alone"):
        RulebookBackend().complete(PlanQuestion(task=ghast), [], {})
    assert plan(PlanQuestion(task=task())).subtasks[0].success == LOG


@pytest.mark.parametrize("item", ["planks", "stick", "crafting_table", "wooden_pickaxe"])
def test_items_with_a_recipe_are_crafted_and_not_searched_for(item: str):
    goal = Condition(kind="have", name=item)
    assert Book().approach(goal).name.startswith("craft")
    assert Book().approach(Condition(kind="have", name="log")).name.startswith("harvest")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("specs: [", r"broken\.yaml: while parsing"),
        ("base: broken.yaml", "its `base` leads back to it"),
        ("", "a rule file is a mapping"),
        ("base: rules.yaml\nspecs: {find: {actions: 3}}", r"Expected `array`, got `int`"),
        (
            "base: rules.yaml\nspecs: {find: {observations: [], actions: [], rewards: [], "
            "horizon: 1, budget: 1, interrupt: 0}}",
            r"Expected `int` >= 1 - at `\$\.specs\[...\]\.interrupt`",
        ),
        ("base: rules.yaml\nadvice: [{when: {success: true}}]", "the last of its"),
    ],
)
def test_an_invalid_rule_file_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
):
    (tmp_path / BOOK).write_text((CARD.rulebook.files / BOOK).read_text())
    (tmp_path / "broken.yaml").write_text(text)
    monkeypatch.setattr(CARD.rulebook, "files", tmp_path)
    with pytest.raises(ValueError, match=said):
        RulebookBackend("broken.yaml")


@pytest.mark.parametrize("rule", ["dig {thin}", "dig {}", "dig {", "dig {thing.x}"])
def test_braces_in_a_rule_that_no_word_fills_are_refused_in_a_sentence(rule: str):
    log = Condition(kind="have", name="log")
    with pytest.raises(NoRule, match=r"of minecraft: 'dig .*' cannot be filled in; the words in"):
        Book().fill(rule, log)
    assert Book().fill("dig {thing}", log) == "dig log"


def test_a_variant_of_the_rules_may_change_levels_blocks_and_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
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


@pytest.mark.parametrize("book", ["rules.yaml", "reward_only.yaml", "plan4mc.yaml"])
def test_every_combat_task_of_minedojo_has_valid_specs(book: str):
    """Each combat task has a way by learning, from programs and alone, whose specs are valid."""
    goals = goals_of("minecraft")
    tasks = {goals.task(name).success.name: goals.task(name) for name in goals.names("combat")}
    assert len(tasks) == 27
    for fight in tasks.values():
        approach = Book(file=book).approach(fight.success, fight.inventory)
        learned = [step for split in approach.splits for step in split if "rl" in step.methods]
        named = list(dict.fromkeys(name for step in learned for name in step.specs))
        assert named[0] == "fight_from_programs"
        assert {"roam_and_fight", "roam_and_fight_with_macros"} <= set(named)
        for name in named:
            spec = filled_specs.spec(name, fight.success, fight.inventory, Book(file=book))
            answer = SpecAnswer(
                observations=spec.observations, actions=spec.actions, rewards=spec.rewards,
                horizon=spec.horizon, targets=spec.targets, budget=spec.budget,
            )  # fmt: skip
            specs = card("minecraft").specs
            problems = spec_problems(answer, list(specs.features), list(specs.actions), True, 10**6)
            assert problems == [], (fight.id, name)
            assert spec.targets
