"""Demonstrations and tryouts beside a training: their seeds, their draws and their steps."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.program import Program
from messages.training import Policy, Tryouts
from messages.world import STEP, Opened, OpenSession, SeedRange
from nodes.learner.checkpoints import checkpoint
from nodes.learner.training import Training
from tests.learning.corridor import Corridors, corridor_spec
from tests.learning.corridor_training import training

WALK = Program(name="walk", source="walk", max_steps=40)


class Recorded(Corridors):
    """Remembers what was opened, and what was chosen in each tryout."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: dict[str, OpenSession] = {}
        self.chosen: list[list[Any]] = []

    def open(self, request: OpenSession) -> Opened:
        self.opened[request.session.rpartition("/")[2]] = request
        if request.session.endswith("/tryout"):
            self.chosen.append([])
        return super().open(request)

    def call(self, service: Any, request: Any) -> Any:
        if service is STEP and request.session.endswith("/tryout"):
            self.chosen[-1].append(request.choices.tolist())
        return super().call(service, request)


def made(folder: Path, corridors: Corridors, budget: int = 300, **changes: Any) -> Training:
    spec = msgspec.structs.replace(corridor_spec(budget=budget, stop_at=2.0), **changes)
    return training(folder, corridors, spec, clone_episodes=8)


def test_demonstrations_are_played_on_the_last_seeds_of_the_training(tmp_path: Path) -> None:
    corridors = Recorded()
    one = made(tmp_path, corridors, clone=[WALK], seeds=SeedRange(first=1000, count=400))
    done = one.run(lambda progress: None)
    assert corridors.opened["demonstration"].seeds == SeedRange(first=1392, count=8)
    # Eight episodes of twelve steps from cell 0, or eleven from cell 1; all of them are counted.
    assert done.demonstrated[0].steps == done.prefix_samples == 4 * (12 + 11)


@pytest.mark.parametrize(("most", "episodes"), [(400, 5), (10_000, 8), (79, 0)])
def test_demonstrations_take_half_of_the_samples_at_most(
    tmp_path: Path, most: int, episodes: int
) -> None:
    one = made(tmp_path, Recorded(), clone=[WALK], most=most)
    done = one.run(lambda progress: None)
    assert sum(each.episodes for each in done.demonstrated) == episodes
    assert done.samples + done.prefix_samples <= most


def test_a_training_from_another_policy_has_no_demonstrations(tmp_path: Path) -> None:
    first = made(tmp_path / "first", Corridors())
    first.run(lambda progress: None)
    start = Policy(id="skill/x", checkpoint=str(first.folder / checkpoint.NAME))
    corridors = Recorded()
    done = made(tmp_path / "then", corridors, clone=[WALK], start=start).run(lambda progress: None)
    assert done.demonstrated == []
    assert set(corridors.opened) == {"train"}


def test_tryouts_of_the_same_weights_make_the_same_choices(tmp_path: Path) -> None:
    corridors = Recorded()
    tryouts = Tryouts(seeds=SeedRange(first=7000, count=4), every=1)
    one = made(tmp_path, corridors, tryouts=tryouts)
    one.parameters.learning_rate = 0.0
    done = one.run(lambda progress: None)
    assert len(done.tryouts) == len(corridors.chosen) > 2
    assert all(chosen == corridors.chosen[0] for chosen in corridors.chosen)


def test_a_tryout_is_due_only_where_the_last_one_still_fits_after_it(tmp_path: Path) -> None:
    tryouts = Tryouts(seeds=SeedRange(first=7000, count=4), every=10_000)
    one = made(tmp_path, Corridors(), tryouts=tryouts)
    state, _ = one._open(lambda: None)
    longest = 4 * one.spec.interface.horizon
    assert not one.side_sessions.tryout_is_due(state, 2 * longest - 1)
    assert one.side_sessions.tryout_is_due(state, 2 * longest)
    state.tried(0.5)
    assert not one.side_sessions.tryout_is_due(state, 100 * longest)  # it is too early
