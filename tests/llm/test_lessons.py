"""What a model is taught with: lessons by the rules, and the answers of runs."""

import json
import random
from pathlib import Path

import msgspec
import pytest

from messages.chat import (
    DecomposeAnswer,
    DecomposeQuestion,
    PlanQuestion,
    ProgramAnswer,
    ProgramQuestion,
)
from messages.world import Condition
from nodes.common.checks.answer_check import answer_problems
from nodes.common.questions.asking import render
from nodes.llm.examples.example import Example, question_of
from nodes.llm.getting.refusals import Refused
from nodes.llm.lessons.lessons import HELD_OUT, held_out_of, lessons, questions, split
from nodes.llm.lessons.taught import KINDS, decompositions, tasks
from nodes.llm.lessons.taught import taught as lessons_about
from nodes.llm.training.recorded_examples import recorded
from tests.bus_processes import ROOT
from tests.llm.run_folder import run_folder
from tests.llm.toy_training import COUNTS
from worlds.minecraft.card.task_check import setting


def test_every_lesson_is_an_answer_that_its_agent_takes(taught: list[Example]):
    assert {kind: sum(e.kind == kind for e in taught) for kind in KINDS} == COUNTS
    types = {"PlanQuestion": PlanQuestion, "DecomposeQuestion": DecomposeQuestion}
    for each in taught:
        if each.kind in types:
            question = msgspec.json.decode(each.question, type=types[each.kind])
            assert answer_problems(question, each.answer) == []
    plan = next(each for each in taught if each.kind == "PlanQuestion")
    question = msgspec.json.decode(plan.question, type=PlanQuestion)
    # It is asked in the words in which it is asked in a run.
    assert render(ROOT / "nodes" / "planner" / "prompts", question)[1].content == plan.user
    assert answer_problems(question, '{"subtasks": []}')


def test_other_families_are_taught_without_what_leads_to_a_goal_of_the_papers_tables():
    about, held = split()
    assert {goal.kind for goal in about} == {"have", "killed", "placed", "used"}
    assert not HELD_OUT & {goal.name for goal in about}
    others = {goal.name for goal in about if goal.kind != "have"}
    assert not others & {"cow", "sheep", "shears", "bucket"}
    assert {goal.kind for goal in held} == {"have", "nearby"}


def test_lessons_are_distinct_cover_many_goals_and_repeat_for_the_same_seed(taught: list[Example]):
    assert len({each.user for each in taught}) > 0.95 * len(taught)
    assert len({each.goal for each in taught}) > 25
    assert lessons(COUNTS, seed=3) == taught
    decompositions = [each.user for each in taught if each.kind == "DecomposeQuestion"]
    assert any("Iteration 0" in user for user in decompositions)  # what failed is changed
    assert any("None: this is the first" in user for user in decompositions)


def test_what_failed_is_never_taught_to_be_done_again():
    """The rules have one way to use an item, and none after it: of that the first try is taught."""
    chance = random.Random(0)
    again: set[str] = set()
    for goal in (Condition(kind="used", name="stone_axe"), Condition(kind="have", name="log")):
        for each in lessons_about("DecomposeQuestion", goal, chance, 20):
            question = question_of(each)
            assert isinstance(question, DecomposeQuestion)
            if question.history:
                answer = msgspec.json.decode(each.answer, type=DecomposeAnswer)
                tried = [line.sub_action for line in question.history[-1].lines]
                assert answer.sub_actions != tried
                again.add(question.subtask.success.kind)
    assert again == {"have"}


def test_later_steps_begin_as_they_are_practised_with_nothing_in_hand():
    task = next(tasks(Condition(kind="have", name="wooden_shovel"), random.Random(2)))
    task = msgspec.structs.replace(task, inventory={})
    found = [
        question for seed in range(20) for question, _ in decompositions(task, random.Random(seed))
    ]
    begun = [each.task for each in found if isinstance(each, DecomposeQuestion)]
    assert {each.inventory == {} for each in begun} == {True, False}
    for each in begun:
        assert ("In hand" in setting(each)) == (each.inventory != {})


def test_held_out_answers_are_never_trained_on(taught: list[Example]):
    learned, held = split()
    assert {goal.name for goal in held} > HELD_OUT
    assert not {goal.name for goal in held} & {goal.name for goal in learned}
    asked = {each.goal for each in questions({"PlanQuestion": 20}, seed=3)}
    another = lessons({"PlanQuestion": 60}, seed=4)  # a second training, with a seed of its own
    assert not asked & {each.goal for each in [*taught, *another]}


def test_a_step_to_another_goal_that_is_held_out_is_no_lesson_unless_asked_for():
    counts = {"DecomposeQuestion": 40, "ProgramQuestion": 40, "SpecQuestion": 20}
    without, with_them = lessons(counts, seed=51), lessons(counts, seed=51, held_out=True)
    assert len(without) == len(with_them) == sum(counts.values())
    assert [held_out_of(each) for each in without] == [""] * len(without)
    steps = {held_out_of(each) for each in with_them}
    assert {"log", "crafting_table"} <= steps


def test_the_last_answers_of_a_successful_run_are_trained_on(taught: list[Example], tmp_path: Path):
    known = next(each for each in taught if each.kind == "PlanQuestion")
    [found] = recorded(run_folder(tmp_path / "good", known, success=True))
    assert (found.user, found.answer, found.source) == (known.user, known.answer, "strong")
    with pytest.raises(Refused, match="did not reach its goal"):
        recorded(run_folder(tmp_path / "bad", known, success=False))
    with pytest.raises(Refused, match="is no run that can be learned from"):
        recorded(tmp_path / "none")


def test_refused_answers_are_taught_with_the_repaired_one(taught: list[Example]):
    """As the agent would ask again: with the answer and every reason."""
    for kind in ("PlanQuestion", "DecomposeQuestion"):
        said = "Your last answer cannot be used"
        again = [each for each in taught if each.kind == kind and said in each.user]
        assert len(again) >= 4
        for each in again:
            question = question_of(each)
            assert isinstance(question, PlanQuestion | DecomposeQuestion)
            steps = "subtasks" if isinstance(question, PlanQuestion) else "sub_actions"
            refused = msgspec.json.encode({steps: question.refused}).decode()
            assert answer_problems(question, refused) == question.problems
            assert answer_problems(question, each.answer) == []


def test_a_share_of_the_plans_states_quantities():
    asked = [question_of(each) for each in lessons({"PlanQuestion": 60}, seed=5, quantities=0.5)]
    stated = sum(isinstance(each, PlanQuestion) and each.quantities for each in asked)
    assert 15 <= stated <= 45


def test_programs_that_fell_short_are_followed_by_another_one():
    """In the iteration in which they were tried, or in the one after it."""
    now, before = 0, 0
    for each in lessons({"ProgramQuestion": 300}, seed=5):
        question = question_of(each)
        assert isinstance(question, ProgramQuestion)
        tried = [attempt.source for attempt in question.attempts if not attempt.problems]
        earlier = [note.program.source for note in question.tried if note.program is not None]
        source = msgspec.json.decode(each.answer, type=ProgramAnswer).source
        assert source not in tried + earlier
        now, before = now + bool(tried), before + bool(earlier)
    assert now > 10
    assert before > 3


def test_plans_can_be_of_so_many_subtasks_at_least():
    counts = {"PlanQuestion": 20, "DecomposeQuestion": 3}
    found = lessons(counts, seed=1, subtasks=6)
    plans = [json.loads(each.answer) for each in found if each.kind == "PlanQuestion"]
    assert len(plans) == 20
    assert len(found) == 23
    assert min(len(plan["subtasks"]) for plan in plans) >= 6
    # Longer than any that is taught: there are none, and it does not search for ever.
    assert lessons({"PlanQuestion": 5}, seed=1, subtasks=50) == []
