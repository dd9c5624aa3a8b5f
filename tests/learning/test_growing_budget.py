"""A budget grows while the success rate still rises as it is spent."""

import msgspec
import pytest

from messages.training import Tryouts
from messages.world import SeedRange
from nodes.learner.ending.still_rising import Ended, still_rises
from tests.learning.corridor import Corridors, corridor_spec
from tests.learning.corridor_training import training

NONE, FEW = (50_000, 300, 0), (75_000, 450, 0)


@pytest.mark.parametrize(
    ("ended", "rates"),
    [
        # A training that has just begun to succeed: none of 150 episodes, then 5 of 150.
        ([NONE, FEW, (100_000, 600, 5)], (0.0, 5 / 150)),
        ([NONE, FEW, (100_000, 600, 2)], None),  # which may be chance
        ([(50_000, 300, 100), (75_000, 450, 175), (100_000, 600, 265)], (75 / 150, 90 / 150)),
        ([(50_000, 300, 100), (75_000, 450, 175), (100_000, 600, 250)], None),
        ([(50_000, 300, 100), (75_000, 450, 175), (100_000, 600, 210)], None),  # it gets worse
        ([(50_000, 300, 290), (75_000, 450, 440), (100_000, 600, 590)], None),  # and level at 1
        # Long episodes: those that ended are few, and still enough.
        ([(50_000, 40, 2), (75_000, 60, 8), (100_000, 80, 25)], (6 / 20, 17 / 20)),
        ([(50_000, 10, 0), (75_000, 15, 0), (100_000, 20, 5)], None),
        ([], None),
    ],
)
def test_whether_a_rate_rises_is_seen_in_the_last_two_quarters_of_the_samples(ended, rates):
    assert still_rises([Ended(*each) for each in ended]) == rates


def begun(folder, grows_to=None, tryouts=None, **changed):
    """A training that has just learned a little when its budget is spent."""
    spec = corridor_spec(budget=3_000, stop_at=2.0, macro=False)
    spec = msgspec.structs.replace(spec, grows_to=grows_to, tryouts=tryouts)
    return training(folder, Corridors(), spec, window=20, learning_rate=1e-4, **changed)


def test_a_training_goes_on_past_its_budget_while_it_gets_better(tmp_path):
    short = begun(tmp_path / "short").run(lambda progress: None)
    assert 3_000 <= short.samples < 3_000 + 16
    assert short.reason == "the budget is spent"
    budgets = []
    one = begun(tmp_path / "grown", grows_to=48_000)
    grown = one.run(lambda progress: budgets.append(progress.budget))
    # It is the same training until then: weights and choices are drawn from the same seed.
    assert grown.curve[: len(short.curve)] == short.curve
    assert grown.success_rate > short.success_rate
    assert 3_000 < grown.samples < 48_000  # it ends once it does not get better any more
    assert budgets[0] == 3_000
    assert one.state is not None
    assert set(budgets) == {3_000 << times for times in range(one.state.counters.doubled + 1)}
    assert grown.reason == f"the budget is spent, which grew from 3000 samples to {budgets[-1]}"


def test_it_grows_no_further_than_it_may(tmp_path):
    grown = begun(tmp_path, grows_to=3_500).run(lambda progress: None)
    assert 3_500 <= grown.samples < 3_500 + 16  # and the last decision


def test_random_play_never_goes_on(tmp_path):
    one = begun(tmp_path, grows_to=48_000, uniform=True)
    assert one.spec.grows_to is None
    assert one.run(lambda progress: None).samples < 3_000 + 16


def test_a_training_that_was_killed_after_its_budget_grew_goes_on_with_it(tmp_path):
    class Killed(Exception):
        pass

    def kill(progress):
        if progress.samples > 3_200:
            raise Killed

    with pytest.raises(Killed):
        begun(tmp_path, grows_to=48_000).run(kill)
    budgets = []
    resumed = begun(tmp_path, grows_to=48_000).run(lambda progress: budgets.append(progress.budget))
    assert budgets[0] == 6_000
    assert resumed.samples >= 5_900


def test_from_where_it_grows_it_is_tried_out_and_ends_with_the_best_weights(tmp_path):
    seeds = SeedRange(first=5_000, count=10)
    tryouts = Tryouts(seeds=seeds, every=500, grown=True)
    one = begun(tmp_path / "grown", grows_to=48_000, tryouts=tryouts)
    grown = one.run(lambda progress: None)
    assert grown.tryouts[0][0] == 3_000  # where the budget was spent first
    assert len(grown.tryouts) > 2
    assert grown.best is not None
    rates = dict(grown.tryouts)
    assert rates[grown.best] == max(rates.values())
    assert begun(tmp_path / "not", tryouts=tryouts).run(lambda progress: None).tryouts == []
