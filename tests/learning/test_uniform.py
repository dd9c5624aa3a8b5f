"""The learner's baseline that draws its choices evenly and learns nothing."""

import msgspec
import pytest
import torch

from messages.program import Program
from models.distribution import MaskedCategorical
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.checkpoints.state import Spaces, TrainingState, stored_networks
from tests.learning.corridor import Corridors, corridor_spec
from tests.learning.corridor_training import training
from tests.learning.test_imitation import rollout

SPACES = Spaces(fields=[("a", 1)], choices=["x", "y", "z"])


def test_a_uniform_policy_chooses_evenly_counts_samples_and_learns_nothing() -> None:
    state = TrainingState(SPACES, Hyperparameters(uniform=True, reward_scale=1.0), 0)
    state.begin(2)
    before = {name: each.clone() for name, each in state.networks.state_dict().items()}
    steps = rollout([[0, 1], [2, 1], [1, 0]], [(1, 1, True, 5.0)])
    state.learn(steps, 2, 100)
    assert state.counters.samples == 6
    after = state.networks.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    mask = torch.tensor([[True, True, True], [True, False, True]])
    acting = stored_networks(state.checkpoint()).actor
    drawn = MaskedCategorical(acting(torch.tensor([[3.0], [-7.0]])), mask)
    assert torch.allclose(drawn.probs, torch.tensor([[1 / 3] * 3, [0.5, 0, 0.5]]))


def test_a_policy_that_is_not_uniform_learns_from_a_rollout() -> None:
    state = TrainingState(SPACES, Hyperparameters(reward_scale=1.0), 0)
    state.begin(2)
    before = {name: each.clone() for name, each in state.networks.state_dict().items()}
    state.learn(rollout([[0, 1], [2, 1], [1, 0]], [(1, 1, True, 5.0)]), 2, 100)
    after = state.networks.state_dict()
    assert not all(torch.equal(before[name], after[name]) for name in before)


RUN = Program(name="run", source="", max_steps=4)


@pytest.mark.parametrize(("clone", "imitation_every"), [([], 1), ([RUN], 0)])
def test_a_uniform_policy_imitates_neither_itself_nor_programs(tmp_path, clone, imitation_every):
    spec = msgspec.structs.replace(corridor_spec(budget=1500, stop_at=2.0), clone=clone)
    changes = {"uniform": True, "imitation_every": imitation_every, "clone_episodes": 8}
    made = training(tmp_path, Corridors(), spec, **changes)
    trained = made.run(lambda progress: None)
    assert trained.samples > 1000
    assert trained.prefix_samples == 0  # no demonstrations either
    assert made.state is not None
    with torch.no_grad():
        assert not made.state.networks.actor(torch.eye(14)).any()
