"""The fast agent: training specs that stay wrong are put right, if that is all that is wrong."""

from pathlib import Path

import msgspec

from messages.chat import ASK, Answered, Ask, MacroDraft
from messages.program import CHECK, Checked, CheckProgram, Problem
from messages.system import SetParameters, set_parameters
from messages.world import RewardTerm
from tests.agents.test_learning_from_code import (
    FROM_PROGRAMS,
    SPEC,
    Stack,
    by_code,
    empty_ones_refused,
    program,
)


def test_a_spec_is_taken_after_the_last_repair_without_what_it_cannot_have(tmp_path: Path):
    """As small models answer: actions over and over, a name for two macros, a program that was
    never tried. A policy can be trained without these."""
    wrong = msgspec.structs.replace(
        FROM_PROGRAMS,
        actions=[*SPEC.actions, *SPEC.actions],
        macros=[*FROM_PROGRAMS.macros, FROM_PROGRAMS.macros[0], MacroDraft(name="gone", source="")],
        clone=["get_log_2", "get_milk"],
    )
    stack = Stack(tmp_path, wrong, repairs=1)
    stack.bus.answer(CHECK, empty_ones_refused)
    by_code(stack)
    stack.implement("get log", "rl", 1)
    first, asked_again = stack.specs
    assert first.problems == []
    assert "An action is chosen twice." not in asked_again.problems
    assert len(asked_again.problems) == 3
    (spec,) = stack.trained
    assert spec.interface.actions == SPEC.actions
    assert [macro.name for macro in spec.interface.macros] == ["get_log_2", "do_4_looks_1"]
    assert [each.name for each in spec.clone] == ["get_log_2"]


def test_of_all_answers_the_last_that_can_be_put_right_is_taken(tmp_path: Path):
    """A small model that is asked again and again loses its thread."""
    usable = msgspec.structs.replace(SPEC, clone=["get_milk"])
    answers = [usable, msgspec.structs.replace(SPEC, horizon=0)]
    stack = Stack(tmp_path, SPEC, repairs=1)

    def answer(request: Ask) -> Answered:
        stack.spec = answers.pop(0)
        return stack.answer(request)

    stack.bus.answer(ASK, answer)
    stack.implement("get log", "rl", 0)
    assert len(stack.specs) == 2
    (spec,) = stack.trained
    assert (spec.clone, spec.interface.horizon) == ([], SPEC.horizon)


def test_the_last_repair_of_a_question_stays_so_when_more_are_allowed_meanwhile(tmp_path: Path):
    wrong = msgspec.structs.replace(SPEC, clone=["get_milk"])
    stack = Stack(tmp_path, wrong, repairs=1)

    def answer(request: Ask) -> Answered:
        if len(stack.specs) == 1:  # the question of the last repair
            more = SetParameters(values={"repairs": 3})
            stack.bus.call(set_parameters("fast_agent"), more)
        return stack.answer(request)

    stack.bus.answer(ASK, answer)
    stack.implement("get log", "rl", 0)
    assert len(stack.specs) == 2
    (spec,) = stack.trained
    assert spec.clone == []


def broken_ones_refused(check: CheckProgram) -> Checked:
    broken = check.program.source == "broken"
    return Checked(problems=[Problem(line=1, message="broken")] if broken else [])


def test_a_bad_copy_of_a_program_that_was_tried_is_that_program(tmp_path: Path):
    """Small models copy it beside its name, and make mistakes in it."""
    copied = MacroDraft(name="get_log_2", source="broken", max_steps=90, interrupt=20)
    stack = Stack(tmp_path, msgspec.structs.replace(SPEC, macros=[copied]), repairs=1)
    stack.bus.answer(CHECK, broken_ones_refused)
    by_code(stack)
    stack.implement("get log", "rl", 1)
    (spec,) = stack.trained
    (macro,) = spec.interface.macros
    assert (macro.name, macro.max_steps, macro.interrupt) == ("get_log_2", 90, 20)
    assert macro.source == program(1)


def test_a_block_by_its_items_name_is_taken_as_it_is_seen_and_not_asked_about(tmp_path: Path):
    """A target that is called ``log`` can only mean ``wood``, and is not paid for twice where both
    are named. A scrap of text is no source."""
    misnamed = RewardTerm(kind="facing", weight=0.03, name="log", source=",")
    facing = RewardTerm(kind="facing", weight=0.02, name="wood")
    gain = RewardTerm(kind="gain", weight=1.0, name="log")
    again = RewardTerm(kind="facing", weight=0.01, name="log")
    named = msgspec.structs.replace(
        SPEC,
        targets=["log", "wood"],
        rewards=[*SPEC.rewards, misnamed, facing, gain, again],
    )
    stack = Stack(tmp_path, named, repairs=1)
    stack.implement("get log", "rl", 0)
    assert len(stack.specs) == 1
    (spec,) = stack.trained
    assert spec.interface.targets == ["wood"]
    names = [(term.kind, term.name) for term in spec.interface.rewards[len(SPEC.rewards) :]]
    assert names == [("facing", "wood"), ("gain", "log")]
    assert [term.source for term in spec.interface.rewards] == [""] * len(spec.interface.rewards)


def test_a_reward_function_with_a_mistake_is_left_out(tmp_path: Path):
    """As small models go on: one that is empty, one that is a scrap of text."""
    broken = [RewardTerm(kind="code", weight=0.5, source=source) for source in ("", "broken")]
    right = RewardTerm(kind="code", weight=0.5, source="def reward(before, after):\n    return 0\n")
    wrong = msgspec.structs.replace(SPEC, rewards=[*SPEC.rewards, *broken, right])
    stack = Stack(tmp_path, wrong, repairs=1)
    stack.bus.answer(CHECK, broken_ones_refused)
    stack.implement("get log", "rl", 0)
    (spec,) = stack.trained
    assert spec.interface.rewards == [*SPEC.rewards, right]
