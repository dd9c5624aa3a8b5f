"""Which iteration stands for a subtask in a plan of several."""

import pytest

from messages.plan import Iteration, Line, Samples, SubAction, SubtaskReport
from messages.verdict import Verdict
from messages.world import Condition
from nodes.planner.iteration_choice import chosen_iteration

FIND = SubAction(
    name="find",
    description="find one",
    method="code",
    success=Condition(kind="have", name="log"),
)


def played(number: int, tried: int, evaluated: int) -> Iteration:
    """An iteration with so many successes of 20 in its tryout and in its evaluation."""
    verdict = Verdict(success=False, success_rate=tried / 20, reason="", episodes=20)
    return Iteration(
        subtask="log",
        number=number,
        lines=[Line(sub_action=FIND, attempts=1, verdict=verdict)],
        stages=[],
        success_rate=evaluated / 20,
        episodes=20,
        samples=Samples(),
        seconds=1.0,
    )


def fell_short(chosen: int) -> SubtaskReport:
    return SubtaskReport(iterations=[], success=False, reason="dead loop", chosen=chosen)


def number_of(stands: Iteration | None) -> int | None:
    return stands and stands.number


@pytest.mark.parametrize(
    ("iterations", "stands"),
    [
        # A lucky tryout, which its evaluation does not bear out.
        ([played(0, tried=16, evaluated=16), played(1, tried=17, evaluated=12)], 0),
        ([played(0, tried=16, evaluated=16), played(1, tried=15, evaluated=18)], 1),
        ([played(0, tried=16, evaluated=16), played(1, tried=16, evaluated=16)], 1),
        ([played(0, tried=16, evaluated=0), played(1, tried=2, evaluated=1)], 1),
        ([played(0, tried=2, evaluated=0), played(1, tried=0, evaluated=0)], 1),
    ],
)
def test_where_all_fell_short_tryout_and_evaluation_choose_together(
    iterations: list[Iteration], stands: int
):
    assert number_of(chosen_iteration(fell_short(1), iterations)) == stands


def test_the_iteration_that_achieved_the_subtask_stands():
    achieved = SubtaskReport(iterations=[], success=True, reason="", chosen=1)
    iterations = [played(0, tried=20, evaluated=17), played(1, tried=15, evaluated=18)]
    assert number_of(chosen_iteration(achieved, iterations)) == 1


def test_what_validations_did_worse_with_is_not_chosen_again():
    iterations = [played(0, tried=10, evaluated=10), played(1, tried=19, evaluated=19)]
    assert number_of(chosen_iteration(fell_short(1), iterations, set_aside=[1])) == 0
    assert number_of(chosen_iteration(fell_short(1), iterations, set_aside=[0, 1])) == 1


def test_nothing_stands_where_nothing_was_implemented():
    report = SubtaskReport(iterations=[], success=False, reason="no answer")
    assert chosen_iteration(report, []) is None
