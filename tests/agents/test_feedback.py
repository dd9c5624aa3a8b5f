"""What failed reaches those who can change it: after tryouts and unseen evaluations."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from messages.chat import (
    ASK,
    Answered,
    Ask,
    ProgramAnswer,
    ProgramQuestion,
)
from messages.plan import (
    IMPLEMENT,
    Implement,
    Limits,
    SubAction,
    Subtask,
    Tried,
)
from messages.program import CHECK, Checked, Problem
from messages.verdict import JUDGE, Evidence, Verdict
from messages.world import CLOSE, LOOK, OPEN, RUN_PROGRAM, Condition
from models.outcomes import failed_first
from nodes.fast_agent.fast_agent import FastAgent
from nodes.testing import MockBus, start
from tests.agent_stack import LOG, TASK, ended_with_a_log
from tests.agents.craft_world import Inventories
from tests.agents.feedback import ALL_WELL, EVALUATED, FIND, HARVEST, Outer, episode, prompt


def test_the_result_of_an_unseen_evaluation_reaches_both_agents(tmp_path: Path):
    outer = Outer(tmp_path, [[FIND, HARVEST], [FIND, HARVEST]], EVALUATED, ALL_WELL)
    report = outer.achieve()
    came = report.iterations[0].unseen
    assert came is not None
    assert (came.worked, came.episodes, came.held) == (6, 10, [9, 6])
    assert came.endings == [
        "2 died (drowning)",
        "1 ended when the program failed at line 3: ValueError: no axe",
        "1 reached the horizon",
    ]
    assert {each.ended for each in came.failed} == {"death", "running", "horizon"}
    text = prompt("slow_agent", outer.asked[1])
    assert "the condition held for find a tree in 9, for harvest log in 6" in text
    assert "most were lost in harvest log" in text
    assert "died (drowning) after 40 steps" in text
    assert "950006" not in text  # nothing by which that start would be known again
    again = outer.implemented[-1][1]
    assert [each.program.source for each in again.tried if each.program] == ["# 2"]
    text = prompt(
        "fast_agent",
        ProgramQuestion(task=TASK, sub_action=HARVEST, history=again.history, tried=again.tried),
    )
    assert "worked in 6 of 10 unseen episodes" in text
    assert "failed at line 3" in text
    assert "  1 # 2" in text


def test_failed_episodes_are_shown_after_an_iteration_that_broke_off_too(tmp_path: Path):
    outer = Outer(tmp_path, [[FIND, HARVEST]], EVALUATED)
    (first,) = outer.achieve(limits=Limits(iterations=1)).iterations
    assert first.unseen is not None
    spent = "of the steps of dig 90% on line 3, `obs = attack()`"
    failed = [msgspec.structs.replace(each, spent=spent) for each in first.unseen.failed]
    unseen = msgspec.structs.replace(first.unseen, failed=failed)
    first = msgspec.structs.replace(first, unseen=unseen)
    broke_off = msgspec.structs.replace(first, number=1, stages=[], unseen=None, episodes=0)
    question = msgspec.structs.replace(outer.asked[0], history=[first, broke_off])
    text = prompt("slow_agent", question)
    assert "A failed one of iteration 0: died (drowning) after 40 steps" in text
    assert f"; {spent}" in text
    tried = [
        Tried(iteration=each.number, line=each.lines[1], unseen=each.unseen)
        for each in (first, broke_off)
    ]
    text = prompt("fast_agent", ProgramQuestion(task=TASK, sub_action=HARVEST, tried=tried))
    assert "- A failed unseen episode of iteration 0: died (drowning) after 40 steps" in text
    assert f"; {spent}" in text


def test_the_stage_that_lost_most_episodes_is_made_again_and_the_rest_is_kept(tmp_path: Path):
    outer = Outer(tmp_path, [[FIND, HARVEST], [FIND, HARVEST]], EVALUATED, ALL_WELL)
    assert outer.achieve().success
    assert [name for name, _ in outer.implemented] == ["find-a-tree", "harvest-log", "harvest-log"]


def test_a_sub_action_keeps_its_history_under_another_name(tmp_path: Path):
    renamed = msgspec.structs.replace(HARVEST, name="chop")
    outer = Outer(tmp_path, [[FIND, HARVEST], [FIND, renamed]], EVALUATED, ALL_WELL)
    outer.achieve()
    asked = outer.implemented[-1][1]
    assert asked.sub_action.name == "chop"
    assert [line.sub_action.name for line in asked.history] == ["harvest log"]
    question = ProgramQuestion(
        task=TASK, sub_action=renamed, history=asked.history, tried=asked.tried
    )
    assert "as harvest log, by code" in prompt("fast_agent", question)


def test_the_history_of_a_condition_goes_before_that_of_a_name(tmp_path: Path):
    """As a small model names them: first what is found, then what is dug, is called "log"."""
    found = msgspec.structs.replace(FIND, name="log")
    dug = msgspec.structs.replace(HARVEST, name="log")
    outer = Outer(tmp_path, [[found, HARVEST], [FIND, dug]], EVALUATED, ALL_WELL)
    outer.achieve()
    asked = {name: implement for name, implement in outer.implemented}["log"]
    assert [line.sub_action.name for line in asked.history] == ["harvest log"]


def test_a_refused_decomposition_is_shown_again_with_every_problem(tmp_path: Path):
    outer = Outer(tmp_path, [[FIND, FIND], [HARVEST]], ALL_WELL)
    outer.achieve()
    first, second = outer.asked
    assert first.refused == []
    assert second.refused == [FIND, FIND]
    text = prompt("slow_agent", second)
    assert text.count('"name":"find a tree"') == 2
    assert "names must be unique" in text
    assert "does not end in the subtask's success" in text


def test_an_end_that_stays_wrong_is_taken_for_the_subtasks(tmp_path: Path):
    """It can be no other: a small model that repeats itself need not cost the goal."""
    found = msgspec.structs.replace(FIND, description="with the crosshair")
    outer = Outer(tmp_path, [[FIND, FIND], [found, FIND], [FIND, FIND]], ALL_WELL)
    report = outer.achieve()
    assert len(outer.asked) == 3  # no more repairs where a refused answer comes again
    ((name, asked),) = outer.implemented
    assert name == "find-a-tree"
    assert asked.sub_action == msgspec.structs.replace(FIND, success=HARVEST.success)
    assert report.success


def test_the_first_of_two_with_the_subtasks_success_ends_where_its_source_is_found(tmp_path: Path):
    """Else the second would never begin: small models give both the same success."""
    find = msgspec.structs.replace(FIND, success=LOG)
    look = msgspec.structs.replace(find, name="look")
    outer = Outer(tmp_path, [[find, look, HARVEST]], ALL_WELL)
    assert outer.achieve().success
    at_wood = msgspec.structs.replace(FIND, success=Condition(kind="facing", name="wood"))
    assert [asked.sub_action for _, asked in outer.implemented] == [at_wood, HARVEST]


def test_an_end_that_asks_for_more_is_the_subtasks(tmp_path: Path):
    """Episodes are over at the subtask's success, so that more of it never comes to be seen."""
    four = msgspec.structs.replace(HARVEST, success=Condition(kind="have", name="log", quantity=4))
    outer = Outer(tmp_path, [[FIND, four]], ALL_WELL)
    assert outer.achieve().success
    assert [asked.sub_action for _, asked in outer.implemented] == [FIND, HARVEST]


def test_a_decomposition_with_another_fault_is_not_fixed(tmp_path: Path):
    nameless = msgspec.structs.replace(FIND, name=" ")
    outer = Outer(tmp_path, [[nameless]] * 4, ALL_WELL)
    report = outer.achieve()
    assert not outer.implemented
    assert "A sub-action has no name." in report.reason


def test_what_leaves_no_step_is_left_out_and_what_follows_begins_in_its_place(tmp_path: Path):
    outer = Outer(tmp_path, [[FIND, HARVEST]] * 2, EVALUATED, ALL_WELL)
    outer.none_left = {"find a tree"}
    report = outer.achieve()
    asked = {name: implement for name, implement in outer.implemented}["harvest-log"]
    assert asked.before == []
    first = report.iterations[0]
    assert [stage.left_out for stage in first.stages] == [True, False]
    assert first.lines[0].verdict.reason.endswith("what follows began in its place.")
    text = prompt("slow_agent", outer.asked[1])
    assert "find a tree (code)" in text
    assert "No episode had a step left for what follows. It was left out" in text


def test_what_cannot_be_made_is_left_out_unless_it_is_the_last(tmp_path: Path):
    outer = Outer(tmp_path, [[FIND, HARVEST]] * 2, ALL_WELL)
    outer.no_stage = {"find a tree"}
    assert outer.achieve().success
    assert [name for name, _ in outer.implemented] == ["find-a-tree", "harvest-log"]
    assert outer.implemented[-1][1].before == []


def test_without_the_last_sub_action_nothing_is_evaluated(tmp_path: Path):
    outer = Outer(tmp_path, [[FIND, HARVEST]] * 2)
    outer.no_stage = {"harvest log"}
    first, *_ = outer.achieve().iterations
    assert (len(first.lines), len(first.stages), first.episodes) == (2, 1, 0)


SAND = Condition(kind="have", name="sand")  # what the prompt's example is about
FIND_SAND = SubAction(name="find sand", method="code", success=SAND)


def test_a_sub_action_of_the_example_is_refused(tmp_path: Path):
    outer = Outer(tmp_path, [[FIND_SAND, HARVEST], [FIND, HARVEST]], ALL_WELL)
    assert outer.achieve().success
    assert [asked.sub_action for _, asked in outer.implemented] == [FIND, HARVEST]
    (problem,) = outer.asked[1].problems
    assert problem.startswith("'find sand' is about 'sand', which is in the example alone")


def test_a_sub_action_of_the_example_that_stays_finds_what_the_subtask_comes_from(tmp_path: Path):
    own = msgspec.structs.replace(FIND_SAND, name="find wood", success=FIND.success)
    outer = Outer(tmp_path, [[FIND_SAND, HARVEST]] * 2, ALL_WELL)
    assert outer.achieve().success
    assert [asked.sub_action for _, asked in outer.implemented] == [own, HARVEST]


def test_a_sub_action_of_the_example_that_is_not_needed_is_left_out(tmp_path: Path):
    outer = Outer(tmp_path, [[FIND_SAND, FIND, HARVEST]] * 2, ALL_WELL)
    assert outer.achieve().success
    assert [asked.sub_action for _, asked in outer.implemented] == [FIND, HARVEST]


DUG = "dig the sand under the crosshair, pick up what drops, go on with the next one"
WORDED = msgspec.structs.replace(HARVEST, name="harvest sand", description=DUG)


def test_the_words_of_the_example_are_refused(tmp_path: Path):
    outer = Outer(tmp_path, [[FIND, WORDED], [FIND, HARVEST]], ALL_WELL)
    assert outer.achieve().success
    assert [asked.sub_action for _, asked in outer.implemented] == [FIND, HARVEST]
    (problem,) = outer.asked[1].problems
    assert problem.startswith("'harvest sand' has the words of the example, which is about 'sand'")


def test_words_of_the_example_that_stay_are_about_what_the_sub_action_needs(tmp_path: Path):
    """A program is written by its sub-action's words: it would look for sand."""
    outer = Outer(tmp_path, [[FIND, WORDED]] * 2, ALL_WELL)
    assert outer.achieve().success
    described = DUG.replace("sand", "log")
    own = msgspec.structs.replace(WORDED, name="harvest log", description=described)
    assert [asked.sub_action for _, asked in outer.implemented] == [FIND, own]


def test_what_the_subtask_is_about_may_be_in_the_example_too(tmp_path: Path):
    outer = Outer(tmp_path, [[FIND_SAND, HARVEST]], ALL_WELL)
    subtask = Subtask(name="log, by way of the sand", success=LOG)
    assert outer.achieve(subtask=subtask).success
    assert [asked.sub_action for _, asked in outer.implemented] == [FIND_SAND, HARVEST]


# ---- programs


def implement(tmp_path: Path, check: Callable[[str], bool], **parameters: Any) -> Any:
    """The questions that are asked where ``check`` says which programs may run, and the result."""
    world, bus = Inventories(), MockBus("fast_agent")
    asked: list[ProgramQuestion] = []

    def answer(request: Ask) -> Answered:
        asked.append(request.question)  # type: ignore[arg-type]
        source = f'ITEM = "log"\nQUANTITY = 1\n# {len(asked)}\n'
        text = msgspec.json.encode(ProgramAnswer(source=source)).decode()
        return Answered(id=request.id, answer=text, model="test")

    def checked(request: Any) -> Checked:
        wrong = [Problem(line=1, message="no"), Problem(line=2, message="nor this")]
        return Checked(problems=[] if check(request.program.source) else wrong)

    bus.answer(ASK, answer)
    bus.answer(CHECK, checked)
    bus.answer(OPEN, world.open)
    bus.answer(LOOK, world.look)
    bus.answer(CLOSE, world.close)
    bus.answer_action(RUN_PROGRAM, world.run)
    rates = iter((0.5, 0.4, 0.3, 0.2))
    bus.answer(
        JUDGE,
        lambda evidence: Verdict(
            success=False, success_rate=next(rates), reason="so", episodes=len(evidence.episodes)
        ),
    )
    start(FastAgent, bus, tmp_path, **parameters)
    goal = Implement(task=TASK, sub_action=HARVEST, before=[], history=[])
    return asked, bus.run_goal(IMPLEMENT, "demo/harvest", goal)


def test_refused_programs_do_not_count_as_tryouts(tmp_path: Path):
    asked, made = implement(tmp_path, lambda source: "# 4" in source or "# 5" in source, repairs=1)
    assert made.stage is not None
    assert "# 4" in made.stage.program.source
    assert made.line.attempts == 5  # three were refused, two tried out
    assert [question.left for question in asked] == [1, 1, 1, 1, 0]


def test_after_the_last_allowed_refusal_every_problem_of_a_program_is_reported(tmp_path: Path):
    asked, made = implement(tmp_path, lambda source: False, refusals=2)
    assert len(asked) == 3
    assert made.stage is None
    assert made.line.verdict.reason == "The program may not run: line 1: no; line 2: nor this"
    text = prompt("fast_agent", asked[1])
    assert "Program 1 is refused until that is changed" in text
    assert "no further idea" not in text  # a small model took that up, and repeated itself


def test_the_question_states_which_program_is_the_best_so_far(tmp_path: Path):
    asked, _ = implement(tmp_path, lambda source: True, repairs=2)
    assert [question.best for question in asked] == [None, 0, 0]
    text = prompt("fast_agent", asked[2])
    assert "Program 1 is the best so far" in text
    assert "No other one is tried after this." in text
    assert "or with the same one if you have no further idea" in text


# ---- the critic


def test_the_critic_sees_each_way_to_fail_first():
    worked, failed = ended_with_a_log(12, 12, steps=5), []
    for number in range(6):
        ended = "death" if number == 5 else "horizon"
        failed.append(episode(12 + number, ended, "a blow of a zombie" if number == 5 else ""))
    spent = "of the steps of dig 90% on line 3, `obs = attack()`"
    worked[0], failed[0] = (
        msgspec.structs.replace(each, spent=spent) for each in (worked[0], failed[0])
    )
    evidence = Evidence(
        id="e",
        sub_action="dig",
        description="",
        method="code",
        success=LOG,
        required_rate=0.9,
        episodes=[*worked, *failed],
    )
    order = failed_first(evidence)
    assert [each.ended for each in order[:7]] == [
        "horizon", "death", "horizon", "horizon", "horizon", "horizon", "running",
    ]  # fmt: skip
    from messages.chat import JudgeQuestion

    text = prompt("critic", JudgeQuestion(evidence=evidence, success_rate=0.67))
    assert text.index("Failed: used up its steps") < text.index("Worked:")
    assert "Failed: died (a blow of a zombie) after 40 steps" in text
    assert text.count(spent) == 1  # of the failed one
    assert "5 reached the horizon, 1 died (a blow of a zombie)" in text
