"""New programs for a sub-action may be worse than what an earlier iteration had: the better one is
kept."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.chat import Answered, Ask, ProgramAnswer, ProgramQuestion
from messages.plan import IMPLEMENT, Implement, Implemented, SubAction
from messages.program import CHECK, Checked, CheckProgram, Problem
from tests.agents.test_learning_from_code import LOG, SPEC, TASK, Stack, by_code, program, seeds_of

NEW = 20


class Later(Stack):
    """After an iteration whose best program, the second one, worked in 12 of 20 episodes; from then
    on its model writes others."""

    def __init__(self, run: Path, **parameters: Any) -> None:
        self.first = 0
        super().__init__(run, SPEC, repairs=2, **parameters)
        by_code(self)
        self.first = NEW
        self.judged.clear()

    def answer(self, request: Ask) -> Answered:
        if self.first and isinstance(question := request.question, ProgramQuestion):
            answer = ProgramAnswer(source=program(self.first + len(question.attempts)))
            return Answered(id=request.id, answer=msgspec.json.encode(answer).decode(), model="m")
        return super().answer(request)

    def again(self, samples: int | None = None, **rates: float) -> Implemented:
        self.rates = {f"code-{name.removeprefix('_')}": rate for name, rate in rates.items()}
        sub_action = SubAction(name="get log", method="code", success=LOG)
        request = Implement(
            task=TASK, sub_action=sub_action, before=[], history=[], samples=samples
        )
        return self.bus.run_goal(IMPLEMENT, "demo/1/get log", request)


def kept(implemented: Implemented) -> str:
    assert implemented.stage is not None
    assert implemented.stage.program is not None
    return implemented.stage.program.source


@pytest.mark.parametrize(
    ("again", "source"), [(0.7, program(1)), (0.5, program(NEW + 1)), (0.55, program(NEW + 1))]
)
def test_the_best_of_before_is_tried_on_the_same_starts_where_the_new_ones_are_worse(
    tmp_path: Path, again: float, source: str
):
    stack = Later(tmp_path)
    implemented = stack.again(_0=0.2, _1=0.55, _2=0.1, program=again)
    assert kept(implemented) == source
    verdict = implemented.line.verdict
    assert verdict.success_rate == max(again, 0.55)
    which = "earlier" if again > 0.55 else "new"
    assert (
        f"On the same starts the program get_log_2 worked in {20 * again:.0f} and the new one in "
        f"11 of 20 episodes: the {which} one is kept."
    ) in verdict.reason
    # Those of the second, which was the best of the new ones.
    assert seeds_of(stack, "trial-program") == seeds_of(stack, "trial-1")
    assert implemented.samples.trial == 4 * 200  # all tryouts are counted


def test_what_reaches_the_rate_on_these_starts_has_succeeded(tmp_path: Path):
    implemented = Later(tmp_path).again(_0=0.2, program=0.95)
    assert kept(implemented) == program(1)
    assert implemented.line.verdict.success


@pytest.mark.parametrize(
    ("rates", "parameters"),
    [
        ({"_0": 0.65}, {}),
        ({"_0": 0.2, "_1": 0.9}, {}),
        ({"_0": 0.2}, {"better_of": False}),
        ({"_0": 0.2}, {"critic": False}),
    ],
)
def test_nothing_is_compared_where_the_new_ones_are_better_or_that_is_turned_off(
    tmp_path: Path, rates: dict[str, float], parameters: dict[str, bool]
):
    stack = Later(tmp_path, **parameters)
    assert kept(stack.again(**rates, program=1.0)) != program(1)
    assert "demo/1/get log/trial-program/play-0" not in stack.world.requests


def test_a_program_that_is_written_again_is_tried_once(tmp_path: Path):
    """The second of the new ones is the one of before."""
    stack = Later(tmp_path)
    stack.first = 1
    assert kept(stack.again(_0=0.5, _1=0.4)) == program(1)
    assert stack.judged == [f"demo/1/get log/judge-{number}" for number in (0, 1, 2)]


def test_where_no_new_program_may_run_the_one_of_before_is_kept(tmp_path: Path):
    stack = Later(tmp_path)

    def new_ones_refused(check: CheckProgram) -> Checked:
        new = check.program.source.startswith(program(NEW)[:-2])
        return Checked(problems=[Problem(line=1, message="no such name")] if new else [])

    stack.bus.answer(CHECK, new_ones_refused)
    stack.first = NEW
    implemented = stack.again(program=0.5)
    assert kept(implemented) == program(1)
    assert implemented.line.verdict.reason == (
        "The program may not run: line 1: no such name The program get_log_2 of before is kept: "
        "Counted."
    )


def test_the_last_new_one_leaves_samples_for_the_one_of_before(tmp_path: Path):
    """Of 10,000 an episode may take 1,000, so the first tryout begins with five: half of them."""
    stack = Later(tmp_path)
    stack.again(samples=10_000, _0=0.2, _1=0.1, program=0.9)
    begun = [
        stack.world.requests[f"demo/1/get log/trial-{name}/play-0"].size
        for name in (0, 1, 2, "program")
    ]
    assert begun == [5, 4, 4, 9]
