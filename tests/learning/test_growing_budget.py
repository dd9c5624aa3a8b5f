"""A budget grows while the success rate still rises as it is spent."""

import msgspec
import pytest

from messages.training import Tryouts
from messages.world import SeedRange
from nodes.learner.still_rising import still_rises
from tests.learning.corridor import Corridors, corridor_spec
from tests.learning.corridor_training import training

LEARNING = [(10_000, 0.0), (50_000, 0.0), (90_000, 0.02), (100_000, 0.05)]
"""A training that has just begun to succeed: by 5 of the last 100 episodes."""


@pytest.mark.parametrize(
    ("curve", "full_at", "since"),
    [
        (LEARNING, 20_000, (50_000, 0.0)),
        ([*LEARNING[:-1], (100_000, 0.02)], 20_000, None),  # 2 of 100 after none may be chance
        ([(50_000, 0.5), (100_000, 0.6)], 20_000, None),  # and 60 after 50
        ([(50_000, 0.5), (100_000, 0.62)], 20_000, (50_000, 0.5)),
        ([(50_000, 0.5), (100_000, 0.3)], 20_000, None),
        # A window that is not full yet fills, which looks like a rise.
        (LEARNING, None, None),
        (LEARNING, 80_000, None),
        ([(60_000, 0.1), (70_000, 0.1), (100_000, 0.4)], 70_000, (70_000, 0.1)),
        ([(50_000, 0.5), (100_000, 1.0)], 20_000, None),  # there is nothing above it
        ([], None, None),
    ],
)
def test_whether_a_rate_rises_is_seen_in_two_windows_of_episodes(curve, full_at, since):
    assert still_rises(curve, full_at, window=100) == since


def begun(folder, grows_to=None, tryouts=None, **changed):
    """A training that has just learned a little when its budget is spent."""
    spec = corridor_spec(budget=2_000, stop_at=2.0, macro=False)
    spec = msgspec.structs.replace(spec, grows_to=grows_to, tryouts=tryouts)
    return training(folder, Corridors(), spec, window=20, learning_rate=3e-4, **changed)


def test_a_training_goes_on_past_its_budget_while_it_gets_better(tmp_path):
    short = begun(tmp_path / "short").run(lambda progress: None)
    assert short.samples <= 2_000
    assert short.reason == "the budget is spent"
    budgets = []
    one = begun(tmp_path / "grown", grows_to=48_000)
    grown = one.run(lambda progress: budgets.append(progress.budget))
    # It is the same training until then: weights and choices are drawn from the same seed.
    assert grown.curve[: len(short.curve)] == short.curve
    assert grown.success_rate > short.success_rate
    assert 2_000 < grown.samples < 48_000  # it ends once it does not get better any more
    assert budgets[0] == 2_000
    assert one.state is not None
    assert set(budgets) == {2_000 << times for times in range(one.state.counters.doubled + 1)}
    assert grown.reason == f"the budget is spent, which grew from 2000 samples to {budgets[-1]}"


def test_it_grows_no_further_than_it_may(tmp_path):
    grown = begun(tmp_path, grows_to=2_500).run(lambda progress: None)
    assert 2_000 < grown.samples <= 2_500


def test_random_play_never_goes_on(tmp_path):
    one = begun(tmp_path, grows_to=48_000, uniform=True)
    assert one.spec.grows_to is None
    assert one.run(lambda progress: None).samples <= 2_000


def test_a_training_that_was_killed_after_its_budget_grew_goes_on_with_it(tmp_path):
    class Killed(Exception):
        pass

    def kill(progress):
        if progress.samples > 2_200:
            raise Killed

    with pytest.raises(Killed):
        begun(tmp_path, grows_to=48_000).run(kill)
    budgets = []
    resumed = begun(tmp_path, grows_to=48_000).run(lambda progress: budgets.append(progress.budget))
    assert budgets[0] == 4_000
    assert resumed.samples >= 3_900


def test_from_where_it_grows_it_is_tried_out_and_ends_with_the_best_weights(tmp_path):
    seeds = SeedRange(first=5_000, count=10)
    tryouts = Tryouts(seeds=seeds, every=500, grown=True)
    one = begun(tmp_path / "grown", grows_to=48_000, tryouts=tryouts)
    grown = one.run(lambda progress: None)
    assert grown.tryouts[0][0] == 2_000  # where the budget was spent first
    assert len(grown.tryouts) > 2
    rates = dict(grown.tryouts)
    assert rates[grown.best] == max(rates.values())
    assert begun(tmp_path / "not", tryouts=tryouts).run(lambda progress: None).tryouts == []
