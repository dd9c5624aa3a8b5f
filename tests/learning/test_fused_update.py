"""The fused update takes TorchRL's steps: the same losses, gradients, moments and weights."""

import copy

import msgspec
import pytest
import torch

from models.distribution import MaskedCategorical
from models.flat_network import FlatNetwork, is_plain
from models.policy import ActorCritic, NetworkShape
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.checkpoints.state import TrainingState
from nodes.learner.collecting.rollout import Rollout
from nodes.learner.optimising.fused import fits
from nodes.learner.optimising.ppo import Ppo, even_sizes
from tests.learning.corridor_training import PARAMETERS, begin, iterate


@pytest.fixture(autouse=True)
def one_thread():
    """Networks of this size only wait for a second one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


FEATURES, CHOICES, DECISIONS, SIZE = 11, 7, 12, 8


def random_networks(seed: int, layers: int = 2) -> ActorCritic:
    generator = torch.Generator().manual_seed(seed)
    shape = NetworkShape(hidden=24, layers=layers)
    networks = ActorCritic([(5,), (6,)], CHOICES, shape, generator)
    with torch.no_grad():  # an actor that prefers something: its start is nearly even
        networks.actor[-1].weight.mul_(100.0)
    return networks


def random_rollout(networks: ActorCritic, seed: int) -> Rollout:
    """Decisions of a policy near this one, so that ratios are clipped in some; masks leave one
    choice at least."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator)

    features = normal(DECISIONS + 1, SIZE, FEATURES)
    mask = torch.rand((DECISIONS, SIZE, CHOICES), generator=generator) < 0.6
    mask[..., 0] |= ~mask.any(-1)
    with torch.no_grad():
        policy = MaskedCategorical(
            networks.actor(features[:-1]) + 0.3 * normal(DECISIONS, SIZE, CHOICES), mask
        )
    choices = policy.sample(generator=generator)
    ends = torch.rand((DECISIONS, SIZE), generator=generator) < 0.1
    final_at = ends.nonzero()
    return Rollout(
        features=features,
        mask=mask,
        choices=choices,
        log_probs=policy.log_prob(choices),
        reward=normal(DECISIONS, SIZE),
        steps=torch.randint(1, 5, (DECISIONS, SIZE), generator=generator),
        terminated=ends & (normal(DECISIONS, SIZE) > 0),
        truncated=ends,
        final_at=final_at,
        final_features=normal(len(final_at), FEATURES),
        episodes=[],
        prefix_steps=0,
    )


def both(changes: dict[str, object], clone: bool = False, layers: int = 2) -> dict[str, Ppo]:
    """The same policy, to be updated either way."""
    found: dict[str, Ppo] = {}
    for update in ("torchrl", "fused"):
        parameters = Hyperparameters(
            minibatch=24, epochs=3, reward_scale=1.0, target_kl=0.0, update=update
        )
        parameters = msgspec.structs.replace(parameters, **changes)
        ppo = Ppo(random_networks(0, layers), parameters, torch.Generator().manual_seed(1))
        if clone:
            ppo.clone = random_networks(9, layers).actor
        found[update] = ppo
    assert found["torchrl"].fused is None
    assert found["fused"].fused is not None
    return found


def assert_same(found: dict[str, Ppo], tolerance: float = 2e-5) -> None:
    reference, fused = found["torchrl"], found["fused"]
    for (name, ours), theirs in zip(
        fused.networks.named_parameters(), reference.networks.parameters(), strict=True
    ):
        torch.testing.assert_close(ours, theirs, atol=tolerance, rtol=1e-4, msg=name)
        steps = [ppo.optimiser.state[p] for ppo, p in ((fused, ours), (reference, theirs))]
        # The reference keeps nothing for what it has never moved.
        if steps[1]:
            assert steps[0]["step"] == steps[1]["step"]
            for moment in ("exp_avg", "exp_avg_sq"):
                torch.testing.assert_close(
                    steps[0][moment], steps[1][moment], atol=tolerance, rtol=1e-3
                )
        else:
            assert steps[0]["step"] == 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("changes", "clone", "critic_only"),
    [
        ({}, False, False),
        ({"entropy_bonus": 0.0, "max_grad_norm": 0.0}, False, False),
        ({"entropy_bonus": 1.5, "clip": 0.05, "max_grad_norm": 0.05}, False, False),
        ({"normalise_advantages": False, "critic_weight": 2.0}, True, False),
        ({"minibatch": 0}, True, True),
        ({"time_limit": "terminal", "minibatch": 17}, True, False),
        ({"target_kl": 1e-6, "critic_goes_on": True}, False, False),
    ],
)
def test_a_fused_update_equals_torchrls(seed, changes, clone, critic_only):
    found = both(changes, clone)
    told = []
    for ppo in found.values():
        rollout = random_rollout(random_networks(0), seed)
        told.append(
            ppo.update(rollout, 0.7, to_clone=0.4 if clone else 0.0, critic_only=critic_only)
        )
    assert_same(found)
    reference, fused = (vars(each) for each in told)
    assert fused == pytest.approx(reference, rel=2e-3, abs=2e-5)
    assert reference["clip_fraction"] > 0.05  # what is compared is not the easy part alone
    if clone and not critic_only:
        assert reference["clone_kl"] > 0.1


@pytest.mark.parametrize("layers", [1, 3])
def test_a_fused_update_equals_torchrls_for_networks_of_any_depth(layers):
    found = both({}, layers=layers)
    for ppo in found.values():
        ppo.update(random_rollout(random_networks(0, layers), 5))
    assert_same(found)


def test_a_choice_that_was_never_possible_gets_no_gradient():
    ppo = both({"entropy_bonus": 2.0})["fused"]
    rollout = random_rollout(ppo.networks, 3)
    rollout.mask[..., 4] = False
    rollout.mask[..., 0] = True
    rollout.choices[rollout.choices == 4] = 0
    before = ppo.networks.actor[-1].weight[4].clone()
    ppo.update(rollout)
    assert torch.equal(ppo.networks.actor[-1].weight[4], before)
    assert all(weight.isfinite().all() for weight in ppo.networks.parameters())


def test_a_ratio_that_overflows_is_not_passed_over():
    """With TorchRL's loss torch refuses to draw from what comes of it."""
    ppo = both({})["fused"]
    rollout = random_rollout(ppo.networks, 3)
    rollout.log_probs[2, 3] = -200.0
    ppo.update(rollout)
    assert not all(weight.isfinite().all() for weight in ppo.networks.parameters())


def test_the_gradient_equals_autograds():
    networks = random_networks(2)
    features = torch.randn(40, FEATURES)
    downstream = torch.randn(40, CHOICES)
    networks.actor(features).backward(downstream)
    expected = [parameter.grad for parameter in networks.actor.parameters()]
    plain = copy.deepcopy(networks.actor)
    flat = FlatNetwork(plain)
    flat.attach()
    torch.testing.assert_close(flat.forward(features), networks.actor(features))
    flat.backward(downstream)
    for ours, theirs in zip(flat.views(flat.gradient), expected, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-4)


def test_loading_or_replacing_weights_of_the_module_changes_the_flat_weights():
    """Whatever loads, copies or moves the weights in between is seen by the next update."""
    networks = random_networks(2)
    flat = FlatNetwork(networks.actor)
    flat.attach()
    other = random_networks(3).actor
    networks.actor.load_state_dict(other.state_dict())
    features = torch.randn(4, FEATURES)
    torch.testing.assert_close(flat.forward(features), other(features))
    copied = copy.deepcopy(networks.actor)
    flat.weights.zero_()
    assert not networks.actor(features).any()
    torch.testing.assert_close(copied(features), other(features))  # a copy is not drawn along
    networks.actor[0].weight.data = torch.ones_like(networks.actor[0].weight)
    flat.attach()
    assert flat.weights[: networks.actor[0].weight.numel()].eq(1).all()


def test_a_checkpoint_of_one_kind_of_update_resumes_with_the_other(tmp_path):
    """A checkpoint of either is one of the other: weights, moments and steps."""
    ends = {}
    for order in (("torchrl",) * 3, ("fused", "torchrl", "fused"), ("torchrl", "fused", "torchrl")):
        session, collector, _ = begin()
        kept: dict[str, object] | None = None
        for update in order:
            parameters = msgspec.structs.replace(PARAMETERS, update=update)
            state = TrainingState(_.spaces, parameters, seed=3, checkpoint=kept)
            if kept is None:
                state.episodes.begin(8)
            iterate(session, collector, state, 1)
            torch.save(state.checkpoint(), tmp_path / "kept.pt")
            kept = torch.load(tmp_path / "kept.pt", weights_only=True)
        ends[order] = (state.networks.state_dict(), state.ppo.optimiser.state_dict()["state"])
    weights, moments = ends.pop(("torchrl",) * 3)
    for other, others in ends.values():
        torch.testing.assert_close(dict(other), dict(weights), atol=1e-5, rtol=1e-3)
        for number, state in moments.items():
            torch.testing.assert_close(others[number], state, atol=1e-5, rtol=1e-3)


@pytest.mark.parametrize("seed", range(2))
def test_fused_updates_learn_from_as_few_samples_as_torchrls(seed):
    """From nothing to the corridor's end, over hundreds of minibatches: rounding may change a draw
    some day, and not how fast it learns."""
    reached = {}
    for update in ("torchrl", "fused"):
        session, collector, toy = begin()
        parameters = msgspec.structs.replace(PARAMETERS, update=update, window=30)
        state = TrainingState(toy.spaces, parameters, seed=seed)
        state.episodes.begin(8)
        iterate(session, collector, state, 12)
        reached[update] = next(samples for samples, rate in state.curve if rate >= 0.8)
        assert state.curve[-1][1] >= 0.9
    assert reached["fused"] == pytest.approx(reached["torchrl"], rel=0.25)


def test_steps_of_the_optimiser_between_fused_updates_are_kept():
    """Self-imitation steps the actor alone, between two updates."""
    found = both({})
    for ppo in found.values():
        ppo.update(random_rollout(random_networks(0), 1))
        for _ in range(3):
            ppo.optimiser.zero_grad(set_to_none=True)
            ppo.networks.actor(torch.ones(5, FEATURES)).square().sum().backward()
            ppo.optimiser.step()
        ppo.optimiser.zero_grad(set_to_none=True)
        ppo.update(random_rollout(random_networks(0), 2))
    assert_same(found, tolerance=1e-4)
    steps = [ppo.optimiser.state[ppo.networks.actor[0].bias]["step"] for ppo in found.values()]
    critics = [ppo.optimiser.state[ppo.networks.critic[0].bias]["step"] for ppo in found.values()]
    assert steps[1] == critics[1] + 3


def test_networks_that_the_fused_update_does_not_cover_use_torchrls():
    parameters = Hyperparameters()
    plain = random_networks(0)
    assert is_plain(plain.actor)
    assert fits(plain, parameters)
    assert not fits(plain, msgspec.structs.replace(parameters, update="torchrl"))
    assert not fits(plain, msgspec.structs.replace(parameters, precision="bfloat16"))
    encoded = ActorCritic([(5,), (6,)], CHOICES, NetworkShape(encoder=8))
    pictures = ActorCritic([(3, 36, 36)], CHOICES, NetworkShape())
    assert not fits(encoded, parameters)
    assert not fits(pictures, parameters)
    for networks in (encoded, ActorCritic([(11,)], CHOICES, NetworkShape()).double()):
        ppo = Ppo(networks, parameters, torch.Generator().manual_seed(0))
        assert ppo.fused is None


def test_minibatches_are_equal_but_for_one() -> None:
    """A rest of one decision would move the weights as far as a whole minibatch does."""
    assert even_sizes(1025, 256) == [205] * 5
    assert even_sizes(1024, 256) == [256] * 4
    assert even_sizes(10, 4) == [4, 3, 3]
    assert even_sizes(3, 256) == [3]
