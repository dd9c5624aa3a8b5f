"""What the agent that writes programs is told of two faults: a program that leaves no step to what
follows, and one that is about what only the prompt's example is about."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.chat import ASK, Answered, Ask, ProgramAnswer, ProgramQuestion
from messages.plan import IMPLEMENT, Implement, SubAction
from messages.program import CHECK, Checked
from messages.verdict import JUDGE, Verdict
from messages.world import CLOSE, LOOK, OPEN, RUN_PROGRAM, Condition, ProgramRan
from nodes.common.questions.asking import render
from nodes.fast_agent.fast_agent import FastAgent
from nodes.testing import MockBus, start
from tests.agent_stack import LOG, TASK
from tests.agents.craft_world import STEPS, Inventories
from tests.agents.feedback import HARVEST, prompt
from tests.bus_processes import ROOT

DIRT = Condition(kind="have", name="dirt")
PROGRAM = 'ITEM = "{item}"\nQUANTITY = 1\n# {number}\n'


def implement(
    tmp_path: Path,
    sub_action: SubAction,
    horizon: int,
    sources: Sequence[str] = (),
    run: Callable[[Any], ProgramRan] | None = None,
) -> tuple[list[ProgramQuestion], Any]:
    """The questions that are asked for a sub-action in episodes of ``horizon`` steps, and its
    implementation. The ``sources`` are answered first, then programs for its item; no tryout
    succeeds. ``run`` stands in for the world where they are other programs than its own."""
    world, bus = Inventories(), MockBus("fast_agent")
    asked: list[ProgramQuestion] = []

    def answer(request: Ask) -> Answered:
        asked.append(request.question)  # type: ignore[arg-type]
        number = len(asked)
        own = PROGRAM.format(item=sub_action.success.name, number=number)
        source = sources[number - 1] if number <= len(sources) else own
        text = msgspec.json.encode(ProgramAnswer(source=source)).decode()
        return Answered(id=request.id, answer=text, model="test")

    def judge(evidence: Any) -> Verdict:
        many = len(evidence.episodes)
        return Verdict(success=False, success_rate=0.0, reason="so", episodes=many)

    bus.answer(ASK, answer)
    bus.answer(CHECK, lambda request: Checked(problems=[]))
    bus.answer(OPEN, world.open)
    bus.answer(LOOK, world.look)
    bus.answer(CLOSE, world.close)
    bus.answer_action(RUN_PROGRAM, run or world.run)
    bus.answer(JUDGE, judge)
    start(FastAgent, bus, tmp_path, repairs=1)
    task = msgspec.structs.replace(TASK, horizon=horizon)
    goal = Implement(task=task, sub_action=sub_action, before=[], history=[])
    return asked, bus.run_goal(IMPLEMENT, "demo/goal", goal)


def question_of(sub_action: SubAction) -> ProgramQuestion:
    return ProgramQuestion(task=TASK, sub_action=sub_action)


def example_of(sub_action: SubAction) -> str:
    """The program that the prompt shows for another sub-action."""
    system, _ = render(ROOT / "nodes" / "fast_agent" / "prompts", question_of(sub_action))
    block = system.content.rpartition("```json\n")[2].partition("```")[0]
    return msgspec.json.decode(block, type=ProgramAnswer).source


def test_a_condition_that_held_too_late_is_pointed_out(tmp_path: Path):
    first_part = SubAction(name="get dirt", method="code", success=DIRT)
    asked, made = implement(tmp_path, first_part, horizon=STEPS)
    (attempt,) = asked[1].attempts
    assert attempt.late == 20
    text = prompt("fast_agent", asked[1])
    assert "In 20 episodes the condition held, but all steps were used up" in text
    assert made.line.none_left


def test_steps_that_are_left_are_left_to_what_follows(tmp_path: Path):
    first_part = SubAction(name="get dirt", method="code", success=DIRT)
    asked, made = implement(tmp_path, first_part, horizon=STEPS + 1)
    assert asked[1].attempts[0].late == 0
    assert "all steps were used up" not in prompt("fast_agent", asked[1])
    assert not made.line.none_left


def test_the_last_part_may_use_up_all_steps(tmp_path: Path):
    last = SubAction(name="harvest log", method="code", success=LOG)
    nothing = PROGRAM.format(item="dirt", number=0)
    _, made = implement(tmp_path, last, STEPS, [nothing, nothing])
    assert not made.line.none_left


@pytest.mark.parametrize("more", ["", "\n# slightly changed\n"])
def test_a_program_about_the_example_is_refused_each_time(tmp_path: Path, more: str):
    copied = example_of(HARVEST) + more
    asked, made = implement(tmp_path, HARVEST, 100, [copied, f"# 2\n{copied}"])
    for attempt, first_line in zip(asked[2].attempts, (2, 3), strict=True):
        assert [each.line for each in attempt.problems] == [first_line, first_line + 1]
        message = attempt.problems[0].message
        assert message.startswith("'crafting table' is in the example alone")
        assert message.endswith("in the end: at least 1 more of `log` in the inventory")
    assert made.stage.program.source == PROGRAM.format(item="log", number=3)


def test_a_program_about_its_sub_action_may_have_the_examples_names_too(tmp_path: Path):
    source = f"# a log\n{example_of(HARVEST)}"
    asked, _ = implement(tmp_path, HARVEST, 100, [source, source], did_nothing)
    assert [attempt.problems for attempt in asked[1].attempts] == [[]]


def test_words_that_name_nothing_of_the_game_are_no_copies(tmp_path: Path):
    """The example's code and thoughts have ordinary words, too."""
    (_, user) = render(ROOT / "nodes" / "fast_agent" / "prompts", question_of(HARVEST))
    text = set(re.findall(r"[a-z]{4,}", example_of(HARVEST).lower()))
    words = sorted(word for word in text if word not in user.content)
    assert "crafting" in words
    words = [word for word in words if word != "crafting"]
    assert words
    source = "".join(f"# 1\nSTATE = {word!r}\n" for word in words)
    asked, _ = implement(tmp_path, HARVEST, 100, [source, source], did_nothing)
    assert [attempt.problems for attempt in asked[1].attempts] == [[]]


def did_nothing(goal: Any) -> ProgramRan:
    return ProgramRan(steps=0, reports=[], episodes=[])


def test_the_program_of_the_example_may_be_the_one_that_is_wanted(tmp_path: Path):
    table = Condition(kind="facing", name="crafting table")  # as the example's
    face = SubAction(name="face it", method="code", success=table)
    example = example_of(face)
    assert table.name in example
    asked, made = implement(tmp_path, face, 100, [example] * 2, did_nothing)
    assert [attempt.problems for attempt in asked[1].attempts] == [[]]
    assert made.stage.program.source == example
