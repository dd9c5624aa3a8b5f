"""The limits by which a training ends, one by one."""

import logging
from typing import Any

import msgspec
import pytest

from messages.program import Program
from messages.training import Policy, Tryouts
from messages.world import Lead, SeedRange
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.checkpoints.state import Spaces, TrainingState
from nodes.learner.ending.limits import TrainingLimits
from nodes.learner.spec_measures import longest_reset
from tests.learning.corridor import corridor_spec

WINDOW = 4


def limits(reset: int = 0, **changes: Any) -> TrainingLimits:
    """Of one environment in the corridor: decisions of 4 steps at most, episodes of 40."""
    spec = msgspec.structs.replace(corridor_spec(budget=1_000), **changes)
    return TrainingLimits(spec, 1, WINDOW, reset, logging.getLogger("test"))


def state(*successes: bool) -> TrainingState:
    """After these episodes."""
    spaces = Spaces(fields=[("a", 1)], choices=["x", "y"])
    made = TrainingState(spaces, Hyperparameters(window=WINDOW, reward_scale=1.0), 0)
    made.episodes.begin(1)
    for success in successes:
        made.episodes.end(0, success, 1.0, 10)
    return made


@pytest.mark.parametrize(
    ("stop_at", "successes", "stops"),
    [
        (1.0, [True] * 4, True),
        (0.75, [True, True, True, False], True),
        (0.75, [True, True, False, False], False),
        (0.5, [True] * 3, False),  # so few are no window
    ],
)
def test_a_training_ends_at_the_success_rate_of_a_whole_window(
    stop_at: float, successes: list[bool], stops: bool
) -> None:
    now = state(*successes)
    limits(stop_at=stop_at).stop_when_good(now)
    assert bool(now.stopped) == stops


def test_a_last_tryout_is_kept_back_once_there_is_another_one_to_compare_it_with() -> None:
    tryouts = Tryouts(seeds=SeedRange(first=0, count=5), every=100)
    of_training, now = limits(reset=3, most=2_000, tryouts=tryouts), state()
    assert of_training.room_to_learn(now) == 2_000
    now.tried(0.5, steps=60)
    assert of_training.room(now) == 1_940
    assert of_training.room_to_learn(now) == 1_940 - 5 * (40 + 3)


def test_a_training_can_still_learn_after_its_demonstrations() -> None:
    """They may take half of its samples, and no decision would fit in as many environments as the
    samples are enough for without them."""
    cloned = [Program(name="walk", source="")]

    def sized(most: int, **changes: Any) -> TrainingLimits:
        spec = msgspec.structs.replace(corridor_spec(budget=1_000), most=most, **changes)
        return TrainingLimits(spec, 64, WINDOW, 0, logging.getLogger("test"))

    assert sized(100).size == 25
    assert sized(100, clone=cloned).size == 12
    start = Policy(id="earlier", checkpoint="checkpoint.pt")
    assert sized(100, clone=cloned, start=start).size == 25  # which clones nothing
    assert sized(7, clone=cloned).size == 1


def test_what_a_decision_may_take_has_the_reset_after_the_end_of_its_episode() -> None:
    assert limits(reset=3, most=2_000).next_step == 4 + 3


def test_a_reset_may_take_what_all_stages_before_it_may_take() -> None:
    walk, turn = (Program(name="p", source="", max_steps=steps) for steps in (5, 7))
    interface = corridor_spec().interface  # of a policy, with a horizon of 40
    lead = [Lead(program=turn), Lead(interface=interface)]
    assert longest_reset([walk], lead) == 5 + 7 + 40


def test_a_budget_doubles_up_to_what_it_may_grow_to() -> None:
    now, growing = state(), limits(grows_to=7_000)
    budgets: list[int] = []
    for now.counters.doubled in range(5):
        budgets.append(growing.budget(now))
    assert budgets == [1_000, 2_000, 4_000, 7_000, 7_000]
