"""Self-imitation: which trajectories are kept, the loss by hand, and that it survives a kill."""

import math

import msgspec
import pytest
import torch

from messages.bus import ServiceError
from models.policy import NetworkShape, actor
from nodes.learner.checkpoints import checkpoint
from nodes.learner.checkpoints import state as state_module
from nodes.learner.checkpoints.state import Spaces, TrainingState
from nodes.learner.checkpoints.trajectory_files import TrajectoryFiles
from nodes.learner.collecting.rollout import EndedEpisode, Rollout
from nodes.learner.optimising.imitation import Trajectories, Trajectory, cross_entropy, imitate
from tests.learning.corridor import Corridors
from tests.learning.corridor_training import PARAMETERS, begin, iterate, training


def rollout(choices, ends, first_feature=0.0):
    """A rollout of the choices [decision][environment]; ``ends``: (decision, environment, success,
    return). Decision t of environment b sees the one feature ``first_feature + t + 100 b``."""
    chosen = torch.tensor(choices)
    length, size = chosen.shape
    features = torch.zeros(length + 1, size, 1)
    for t in range(length + 1):
        for b in range(size):
            features[t, b] = first_feature + t + 100 * b
    return Rollout(
        features=features,
        mask=torch.ones(length, size, 3, dtype=torch.bool),
        choices=chosen,
        log_probs=torch.zeros(length, size),
        reward=torch.zeros(length, size),
        steps=torch.ones(length, size, dtype=torch.int64),
        terminated=torch.zeros(length, size, dtype=torch.bool),
        truncated=torch.zeros(length, size, dtype=torch.bool),
        final_at=torch.tensor([end[:2] for end in ends], dtype=torch.int64).reshape(-1, 2),
        final_features=torch.zeros(len(ends), 1),
        episodes=[EndedEpisode(end[1], end[2], end[3], 1) for end in ends],
        prefix_steps=0,
    )


def seen(trajectory):
    return trajectory.features.squeeze(-1).tolist(), trajectory.choices.tolist()


def test_a_successful_trajectory_is_kept_over_rollouts_and_a_failed_one_is_not():
    kept = Trajectories(500)
    kept.begin(2)
    kept.add(rollout([[0, 1], [2, 1], [1, 0]], [(1, 1, False, -3.0)]))
    assert not kept.kept
    kept.add(rollout([[1, 2], [0, 0]], [(0, 0, True, 9.0), (1, 1, True, 8.0)], first_feature=10))
    assert [seen(trajectory) for trajectory in kept.kept] == [
        ([0, 1, 2, 10], [0, 2, 1, 1]),
        ([102, 110, 111], [0, 2, 0]),  # what began after the episode that failed
    ]


def test_a_return_over_the_mean_and_two_deviations_is_kept():
    returns = [1.0, 3.0, 1.0, 3.0, 4.0, 4.5]
    kept = Trajectories(500)
    kept.begin(1)
    for value in returns:
        kept.add(rollout([[0]], [(0, 0, False, value)]))
    # Of 1, 3, 1, 3 the mean is 2 and the deviation 1: 4 is not over 4. With it the mean is 2.4
    # and the deviation 1.2: 4.5 is under 4.8.
    assert not kept.kept
    kept.add(rollout([[0]], [(0, 0, False, 6.0)]))
    assert len(kept.kept) == 1


def test_a_new_trajectory_replaces_the_oldest():
    kept = Trajectories(2)
    kept.begin(1)
    for choice in (0, 1, 2):
        kept.add(rollout([[choice]], [(0, 0, True, 1.0)]))
    assert [trajectory.choices.tolist() for trajectory in kept.kept] == [[1], [2]]


def test_the_loss_of_imitation_equals_one_computed_by_hand():
    """Logits (0, log 3, log 4) in one row with all choices, and with the last one masked in the
    other: probabilities 3/8, and 1/4."""
    network = torch.nn.Linear(1, 3, bias=False)
    with torch.no_grad():
        network.weight.copy_(torch.tensor([[0.0], [math.log(3)], [math.log(4)]]))
    mask = torch.tensor([[True, True, True], [True, True, False]])
    loss = cross_entropy(network, torch.ones(2, 1), mask, torch.tensor([1, 0]))
    assert loss.item() == pytest.approx((math.log(8 / 3) + math.log(4)) / 2)


def trained_corridors(imitation_every: int) -> TrainingState:
    """After four iterations in eight corridors."""
    session, collector, _ = begin()
    parameters = msgspec.structs.replace(PARAMETERS, imitation_every=imitation_every)
    state = TrainingState(Spaces.of(session.open(0)), parameters, seed=3)
    state.begin(8)
    collector.begin(session.open(0))
    iterate(session, collector, state, 4)
    return state


def test_imitation_makes_kept_choices_more_probable_and_leaves_the_critic_unchanged():
    state = trained_corridors(2)
    assert state.trajectories.kept
    assert state.imitation_loss > 0
    # A macro is a decision like any other: 3 is the corridor's.
    assert any((trajectory.choices == 3).any() for trajectory in state.trajectories.kept)

    critic = {name: weight.clone() for name, weight in state.networks.critic.state_dict().items()}
    whole = Trajectory.joined(state.trajectories.kept)

    def loss():
        with torch.no_grad():
            told = cross_entropy(state.networks.actor, whole.features, whole.mask, whole.choices)
        return told.item()

    before = loss()
    imitate(
        state.trajectories,
        state.networks.actor,
        state.ppo.optimiser,
        state.generator,
        minibatch=32,
        max_grad_norm=0.5,
    )
    assert loss() < before
    for name, weight in state.networks.critic.state_dict().items():
        assert torch.equal(weight, critic[name]), name


@pytest.mark.parametrize(("minibatch", "updates"), [(0, 1), (4, 3), (5, 2), (100, 1)])
def test_an_epoch_of_imitation_has_an_update_for_each_minibatch(minibatch, updates):
    session, _, _ = begin()
    parameters = msgspec.structs.replace(
        PARAMETERS, imitation_every=1, imitation_minibatch=minibatch
    )
    state = TrainingState(Spaces.of(session.open(0)), parameters, seed=3)
    ten = Trajectory(
        features=torch.zeros(10, sum(state.spaces.sizes)),
        mask=torch.ones(10, len(state.spaces.choices), dtype=torch.bool),
        choices=torch.zeros(10, dtype=torch.int64),
    )
    state.trajectories.kept.append(ten)
    steps = []
    state.ppo.optimiser.register_step_post_hook(lambda *_: steps.append(1))
    assert state.imitate_if_due()
    assert len(steps) == updates


def trained(kept: TrajectoryFiles, state: TrainingState) -> dict:
    """What a training does when it saves: see Training._save."""
    contents = state.checkpoint()
    contents["trajectories"]["files"] = kept.save(state.trajectories)
    checkpoint.save(kept.folder, contents)
    kept.tidy()
    return contents


def test_a_resumed_training_has_the_same_trajectories(tmp_path):
    session, collector, _ = begin()
    parameters = msgspec.structs.replace(PARAMETERS, imitation_every=2, imitation_trajectories=12)
    state = TrainingState(Spaces.of(session.open(0)), parameters, seed=3)
    state.begin(8)
    collector.begin(session.open(0))
    files = TrajectoryFiles(tmp_path)
    sizes = []
    for _ in range(6):  # more are kept than there is room for
        iterate(session, collector, state, 2)
        trained(files, state)
        sizes.append((tmp_path / checkpoint.NAME).stat().st_size)
    assert state.trajectories.ever > 2 * 12
    assert max(sizes) - min(sizes) < 4096  # what is kept is not in the checkpoint

    for name in (checkpoint.NAME, checkpoint.PREVIOUS):  # and the one before has all that it needs
        found = checkpoint.read(tmp_path / name)
        resumed = TrainingState(state.spaces, parameters, seed=99, checkpoint=found)
        again = TrajectoryFiles(tmp_path)
        assert again.load(resumed.trajectories, found["trajectories"]["files"]) == ""
        assert len(resumed.trajectories.kept) == 12
        if name == checkpoint.NAME:
            assert [seen_all(t) for t in resumed.trajectories.kept] == [
                seen_all(t) for t in state.trajectories.kept
            ]
            assert resumed.trajectories.state_dict() == state.trajectories.state_dict()
            assert resumed.imitation_loss == state.imitation_loss > 0
    # Goes on from the one before, as after a torn newest: what is new then is all that is written.
    resumed.begin(8)
    iterate(session, collector, resumed, 2)
    contents = trained(again, resumed)
    named = {name for name, _ in contents["trajectories"]["files"]}
    last = TrainingState(state.spaces, parameters, seed=99, checkpoint=contents)
    assert not TrajectoryFiles(tmp_path).load(last.trajectories, contents["trajectories"]["files"])
    assert [seen_all(t) for t in last.trajectories.kept] == [
        seen_all(t) for t in resumed.trajectories.kept
    ]
    trained(again, resumed)  # nothing new: what only older ones named is gone
    assert {path.name for path in tmp_path.glob("trajectories-*")} == named


def test_a_damaged_file_of_trajectories_is_dropped_with_a_warning(tmp_path):
    kept = Trajectories(3)
    kept.kept.append(
        Trajectory(torch.ones(2, 1), torch.ones(2, 3, dtype=torch.bool), torch.ones(2))
    )
    kept.ever = 1
    files = TrajectoryFiles(tmp_path)
    listed = files.save(kept)
    path = tmp_path / listed[0][0]
    path.write_bytes(path.read_bytes()[:100])
    resumed = Trajectories(3)
    resumed.load_state_dict(kept.state_dict())
    assert f"The checkpoint {path} can't be read: " in (
        said := TrajectoryFiles(tmp_path).load(resumed, listed)
    )
    assert said.endswith(".")  # it stands before other sentences
    assert not resumed.kept


def seen_all(trajectory):
    return trajectory.features.tolist(), trajectory.mask.tolist(), trajectory.choices.tolist()


def test_an_imitation_that_diverges_ends_the_training_before_it_is_saved(tmp_path, monkeypatch):
    def diverge(trajectories, actor, *rest, **options) -> float:
        with torch.no_grad():
            next(iter(actor.parameters())).fill_(math.nan)
        return math.nan

    monkeypatch.setattr(state_module, "imitate", diverge)
    made = training(tmp_path, Corridors(), imitation_every=1)
    with pytest.raises(ServiceError, match="diverged after"):
        made.run(lambda progress: None)
    assert checkpoint.load(made.folder)[0] is None


def test_without_a_trajectory_imitation_changes_nothing():
    network = actor([(2,)], 3, NetworkShape(hidden=4))
    optimiser = torch.optim.Adam(network.parameters())
    kept = Trajectories(5)
    generator = torch.Generator()
    assert imitate(kept, network, optimiser, generator, minibatch=0, max_grad_norm=0) == 0.0
