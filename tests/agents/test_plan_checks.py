"""What the agents find wrong with plans and decompositions, and what they take of these."""

import msgspec
import pytest

from messages.chat import DecomposeAnswer, DecomposeQuestion
from messages.plan import GuardProposal, SubAction, Subtask
from messages.world import Condition, Task
from nodes.common.checks.decomposition_check import (
    decomposition_problems,
    fixed,
    problems_with,
    up_to_success,
)
from nodes.common.checks.plan_check import fixed as fixed_plan
from nodes.common.checks.plan_check import plan_problems, up_to_goal, with_goal

LOG = Condition(kind="have", name="log")
PLANKS = Condition(kind="have", name="planks", quantity=4)
FACING = Condition(kind="facing", name="wood")
JUDGED_DONE = Condition(kind="judged", name="creative:0")
TASK = Task(id="test", prompt="Harvest a log.", success=LOG)


def step(name: str, condition: Condition) -> Subtask:
    return Subtask(name=name, success=condition)


FACING_STEP = step("find wood", FACING)


def test_a_plan_that_can_be_carried_out_has_no_problems():
    task = msgspec.structs.replace(TASK, success=PLANKS)
    assert plan_problems(task, [step("log", LOG), step("planks", PLANKS)]) == []


@pytest.mark.parametrize(
    ("subtasks", "said"),
    [
        ([], "empty"),
        ([step("x", Condition(kind="have", name="logg")), step("y", LOG)], "did you mean log"),
        ([step("a", FACING), step("b", FACING), step("c", LOG)], "as subtask 1 does"),
        ([step("a", PLANKS)], "does not reach the goal"),
        ([step("a", Condition(kind="have", name="log", quantity=0))], "1 to 2304"),
        ([step(" ", LOG)], "has no name"),
        ([step("a", Condition(kind="have", name="log", quantity=10**30))], "1 to 2304"),
        ([step("a", PLANKS), step("a", LOG)], "as subtask 1 is: names must be unique"),
        ([step("a", Condition(kind="facing", name="tree")), step("b", LOG)], "no block or mob"),
        ([step("a", Condition(kind="nearby", name="anvil")), step("b", LOG)], "or furnace"),
        ([step("a", JUDGED_DONE), step("b", LOG)], "pictures are judged for the goal alone"),
    ],
)
def test_mistakes_in_a_plan_are_reported(subtasks: list[Subtask], said: str):
    assert any(said in problem for problem in plan_problems(TASK, subtasks))


def test_what_a_plan_or_decomposition_has_after_its_end_is_not_looked_at():
    """As a small model answers: it goes on with what the goal might be for."""
    after = [step("a", PLANKS), step("a", Condition(kind="have", name="logg"))]
    subtasks = [step("log", LOG), *after]
    assert plan_problems(TASK, subtasks) == []
    assert up_to_goal(TASK, subtasks) == subtasks[:1]
    dig = SubAction(name="dig", method="code", success=LOG)
    craft = SubAction(name="dig", method="code", success=Condition(kind="have", name="logg"))
    question = DecomposeQuestion(task=TASK, subtask=step("log", LOG), most_sub_actions=1)
    answer = DecomposeAnswer(sub_actions=[dig, craft])
    assert problems_with(question, answer) == []
    assert up_to_success(question, answer).sub_actions == [dig]


def test_a_plan_that_lacks_only_its_goal_gets_it():
    """As a small model answers: what has to be made, without what it is for."""
    wool = Condition(kind="have", name="wool")
    held = {"crafting_table": 1, "iron_ingot": 2}
    task = Task(id="test", prompt="Get wool.", success=wool, inventory=held)
    shears = step("craft shears", Condition(kind="have", name="shears"))
    *first, last = with_goal(task, [shears])
    assert (first, last.name, last.success) == ([shears], "get 1 wool", wool)
    assert with_goal(task, [shears, step("shear", wool)]) == [shears, step("shear", wool)]
    assert with_goal(task, []) == []
    planks = msgspec.structs.replace(TASK, success=PLANKS)
    assert with_goal(planks, [FACING_STEP]) == [FACING_STEP]  # wood is lacking, too
    assert with_goal(planks, [step("log", LOG)])[-1].success == PLANKS


def test_guards_that_repeat_another_one_or_wait_for_the_success_are_left_out():
    dig = SubAction(name="dig", method="code", success=LOG)
    guard = GuardProposal(name="flee", method="code", when="a zombie is near", description="run")
    again = msgspec.structs.replace(guard, name="flee again", when="A zombie is near.")
    other = msgspec.structs.replace(guard, name="hit", description="hit it")
    done = "at least 1 more of log in the inventory, {"
    late = msgspec.structs.replace(guard, name="late", when=done)
    question = DecomposeQuestion(task=TASK, subtask=step("log", LOG), most_guards=2)
    answer = DecomposeAnswer(sub_actions=[dig], guards=[guard, again, late, other, again])
    assert problems_with(question, answer) == []
    assert up_to_success(question, answer).guards == [guard, other]
    assert fixed(question, answer).guards == [guard, other]


def test_recipes_are_checked_only_where_all_subtasks_can_be_seen_to_be_done():
    planks = step("saw", PLANKS)
    assert any("uses up 1 log" in said for said in plan_problems(TASK, [planks, step("a", LOG)]))
    unseen = step("x", Condition(kind="have", name="logg"))
    said = plan_problems(TASK, [unseen, planks, step("a", LOG)])
    assert len(said) == 1
    assert "did you mean log" in said[0]


def test_more_is_enough_of_what_is_counted_and_of_nothing_else():
    low = Condition(kind="height", name="below", quantity=10)
    lower, higher = (msgspec.structs.replace(low, quantity=quantity) for quantity in (5, 20))
    task = msgspec.structs.replace(TASK, success=low)
    assert plan_problems(task, [step("down", low)]) == []
    for other in (lower, higher):  # y 20 or lower is not y 10 or lower
        assert "does not reach the goal" in plan_problems(task, [step("down", other)])[0]
    killed = Condition(kind="killed", name="zombie", quantity=2)
    task = msgspec.structs.replace(TASK, success=killed)
    three = msgspec.structs.replace(killed, quantity=3)
    assert plan_problems(task, [step("hunt", three)]) == []


def test_the_end_that_a_plan_must_have_is_told_as_it_is_to_be_written():
    task = msgspec.structs.replace(TASK, success=PLANKS)
    (said,) = plan_problems(task, [step("log", LOG)])
    assert f"its `success` must be `{msgspec.json.encode(PLANKS).decode()}`" in said


def test_a_decomposition_is_fixed_by_leaving_out_what_cannot_be_done():
    """As a small model answers: a mob that is to be had, and the same name again."""
    unseen = Condition(kind="have", name="cow")
    hunt = SubAction(name="hunt a cow", method="code", success=unseen)
    shear = SubAction(name="use shears", method="code", success=unseen)
    find = SubAction(name="find", method="code", success=Condition(kind="near", name="wood"))
    subtask = step("wool", Condition(kind="have", name="wool"))
    question = DecomposeQuestion(task=TASK, subtask=subtask)
    answer = DecomposeAnswer(sub_actions=[hunt, find, shear, shear])
    assert len(problems_with(question, answer)) == 5
    last = msgspec.structs.replace(shear, success=subtask.success)
    assert fixed(question, answer).sub_actions == [find, last]
    more = msgspec.structs.replace(shear, success=Condition(kind="have", name="wool", quantity=2))
    assert fixed(question, DecomposeAnswer(sub_actions=[hunt, more])).sub_actions == [last]


def test_who_is_to_have_what_the_success_comes_from_is_to_face_it():
    """As a small model answers: a sheep is no item. One that is faced already is not had."""
    subtask = step("wool", Condition(kind="have", name="wool"))
    question = DecomposeQuestion(task=TASK, subtask=subtask)
    sheep = Condition(kind="have", name="Sheep")
    find = SubAction(name="find a sheep", method="code", success=sheep)
    hit = SubAction(name="hit it", method="rl", success=subtask.success)
    answer = DecomposeAnswer(sub_actions=[find, hit])
    facing = msgspec.structs.replace(find, success=Condition(kind="facing", name="sheep"))
    assert problems_with(question, answer) == []
    assert up_to_success(question, answer).sub_actions == [facing, hit]
    wool = msgspec.structs.replace(find, success=Condition(kind="facing", name="wool item"))
    assert len(problems_with(question, DecomposeAnswer(sub_actions=[wool, hit]))) == 1
    again = msgspec.structs.replace(find, name="find one more")
    assert len(problems_with(question, DecomposeAnswer(sub_actions=[facing, again, hit]))) == 1
    assert len(problems_with(question, DecomposeAnswer(sub_actions=[find, again, hit]))) == 1
    log = DecomposeQuestion(task=TASK, subtask=step("log", LOG))
    at_log = SubAction(name="at it", method="code", success=Condition(kind="facing", name="log"))
    dig = SubAction(name="dig", method="rl", success=LOG)
    steps = up_to_success(log, DecomposeAnswer(sub_actions=[at_log, dig])).sub_actions
    assert [each.success for each in steps] == [FACING, LOG]
    dirt = msgspec.structs.replace(find, success=Condition(kind="have", name="dirt"))
    assert up_to_success(question, DecomposeAnswer(sub_actions=[dirt, hit])).sub_actions[0] == dirt


def test_what_goes_on_after_the_end_is_left_out_of_a_fixed_decomposition_and_plan():
    """As a small model answers: the next subtask's step after its own."""
    dig = SubAction(name="dig", method="code", success=LOG)
    craft = SubAction(name="craft", method="code", success=PLANKS)
    question = DecomposeQuestion(task=TASK, subtask=step("log", LOG))
    assert fixed(question, DecomposeAnswer(sub_actions=[dig, craft])).sub_actions == [dig]
    task = msgspec.structs.replace(TASK, success=LOG)
    assert fixed_plan(task, [step("log", LOG), step("planks", PLANKS)]) == [step("log", LOG)]


def test_two_sub_actions_of_one_name_that_end_otherwise_are_told_apart():
    """As a small model answers: to find it is called "log", and to dig it, too."""
    walk = SubAction(name="Log", method="code", success=Condition(kind="facing", name="wood"))
    again = SubAction(name="log 2", method="code", success=Condition(kind="near", name="wood"))
    dig = SubAction(name="log", method="rl", success=LOG)
    question = DecomposeQuestion(task=TASK, subtask=step("log", LOG))
    answer = DecomposeAnswer(sub_actions=[walk, again, dig])
    assert problems_with(question, answer) == []
    for put_right in (up_to_success, fixed):
        steps = put_right(question, answer).sub_actions
        assert [each.name for each in steps] == ["Log", "log 2", "log 3"]
        assert [each.success for each in steps] == [walk.success, again.success, dig.success]
    twice = DecomposeAnswer(sub_actions=[walk, walk, dig])
    assert "called 'Log' and 'Log': names" in problems_with(question, twice)[0]


def test_mistakes_in_a_decomposition_are_reported():
    dig = SubAction(name="dig", method="code", success=LOG)
    find = SubAction(name="find", method="code", success=Condition(kind="near", name="wood"))
    subtask = step("log", LOG)
    assert decomposition_problems(subtask, [find, dig]) == []
    assert "empty" in decomposition_problems(subtask, [])[0]
    assert "unique" in decomposition_problems(subtask, [dig, dig])[0]
    loud = msgspec.structs.replace(find, name="Dig!")
    assert "called 'Dig!' and 'dig': names" in decomposition_problems(subtask, [loud, dig])[0]
    assert "does not end in" in decomposition_problems(subtask, [dig, find])[0]
    several = step("logs", Condition(kind="have", name="log", quantity=4))
    four = '`{"kind":"have","name":"log","quantity":4}`'
    assert four in decomposition_problems(several, [find, dig])[0]
    more = msgspec.structs.replace(dig, success=several.success)
    assert decomposition_problems(subtask, [find, more]) == []  # four logs are one log, too
    for condition, said in (
        (Condition(kind="facing", name="tree"), "no block or mob called 'tree'"),
        (Condition(kind="near", name="cow"), "cow is a mob and no block"),
        (Condition(kind="have", name="logs"), "did you mean log"),
        (Condition(kind="nearby", name="anvil"), "crafting_table or furnace"),
        (Condition(kind="have", name="log", quantity=0), "1 to 2304"),
        (Condition(kind="have", name="log", quantity=10**30), "1 to 2304"),
        (JUDGED_DONE, "pictures are judged for the goal alone"),
    ):
        unseen = SubAction(name="find", method="code", success=condition)
        assert said in decomposition_problems(subtask, [unseen, dig])[0]
