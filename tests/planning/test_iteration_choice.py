"""Which iteration stands for a subtask in a plan of several, and which performance was better."""

import msgspec
import pytest

from messages.plan import (
    GuardLine,
    GuardProposal,
    GuardTried,
    Iteration,
    Limits,
    Line,
    Performed,
    PerformedEpisode,
    Samples,
    StagesTried,
    SubAction,
    SubtaskReport,
)
from messages.verdict import Verdict
from messages.world import Condition
from nodes.planner.iteration_choice import chosen_iteration, lost_to_time, merit
from nodes.slow_agent.stopping import chosen

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


def guarded(iteration: Iteration, tried: int, episodes: int) -> Iteration:
    """The iteration with a learned guard, with which its stages had so many successes."""
    well = StagesTried(success_rate=tried / episodes, progress=0.0)
    line = GuardLine(
        proposal=GuardProposal(name="flee", method="rl", when="attacked"),
        made=True,
        attempts=1,
        tried=GuardTried(episodes=episodes, with_guard=well, without=well),
    )
    return msgspec.structs.replace(iteration, guards=[line])


def test_a_tryout_with_learned_guards_counts_by_its_own_episodes():
    """45 of 60 and 12 of 20 are 57 of 80, more than the 28 of 40 of the other."""
    steady = played(0, tried=14, evaluated=14)
    compared = guarded(played(1, tried=20, evaluated=12), tried=45, episodes=60)
    assert number_of(chosen_iteration(fell_short(0), [steady, compared])) == 1


def test_a_tryout_with_learned_guards_of_too_few_episodes_displaces_no_iteration():
    steady = played(0, tried=16, evaluated=16)
    few = guarded(played(1, tried=16, evaluated=16), tried=2, episodes=2)
    limits = Limits(success_rate=1.0)
    assert number_of(chosen([steady, few], limits)) == 0
    assert number_of(chosen([steady, guarded(few, tried=20, episodes=20)], limits)) == 1


def test_the_iteration_that_achieved_the_subtask_stands():
    achieved = SubtaskReport(iterations=[], success=True, reason="", chosen=1)
    iterations = [played(0, tried=20, evaluated=17), played(1, tried=15, evaluated=18)]
    assert number_of(chosen_iteration(achieved, iterations)) == 1


def test_what_validations_did_worse_with_is_not_chosen_again():
    iterations = [played(0, tried=10, evaluated=10), played(1, tried=19, evaluated=19)]
    assert number_of(chosen_iteration(fell_short(1), iterations, set_aside=[1])) == 0
    assert number_of(chosen_iteration(fell_short(1), iterations, set_aside=[0, 1])) == 1


def test_an_iteration_of_too_few_episodes_does_not_displace_another_one():
    often, lucky = played(0, tried=16, evaluated=16), played(1, tried=20, evaluated=20)
    (line,) = lucky.lines
    for episodes, stands in ((2, 0), (3, 1)):  # in its tryout, and two in its evaluation
        verdict = msgspec.structs.replace(line.verdict, episodes=episodes)
        line = msgspec.structs.replace(line, verdict=verdict)
        few = msgspec.structs.replace(lucky, lines=[line], episodes=2)
        assert number_of(chosen_iteration(fell_short(1), [often, few])) == stands


def performed(*ended: str, **milestones: int) -> Performed:
    episodes = [
        PerformedEpisode(
            environment=0,
            seed=0,
            success=each == "success",
            steps=10,
            ended=each,  # pyright: ignore[reportArgumentType]
        )
        for each in ended
    ]
    rate = ended.count("success") / len(ended)
    return Performed(success_rate=rate, episodes=episodes, milestones=milestones, steps=100)


@pytest.mark.parametrize(
    ("ended", "to_time"),
    [
        (["horizon", "death"], True),
        (["horizon", "death", "gave_up"], False),
        (["horizon", "success", "success"], True),  # of those that it lost
        (["success"], False),
    ],
)
def test_a_performance_was_lost_to_time_where_half_of_its_losses_used_up_their_steps(
    ended: list[str], to_time: bool
):
    assert lost_to_time(performed(*ended)) == to_time


def test_of_performances_with_the_same_rate_the_one_that_came_further_is_better():
    nearer, further = (performed("success", "death", log=2, planks=n) for n in (0, 1))
    assert merit(further) > merit(nearer)
    assert merit(performed("success", "success")) > merit(further)


def test_nothing_stands_where_nothing_was_implemented():
    report = SubtaskReport(iterations=[], success=False, reason="no answer")
    assert chosen_iteration(report, []) is None
