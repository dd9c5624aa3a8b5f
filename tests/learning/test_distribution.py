"""The masked categorical: probabilities, gradients, and masks that leave nothing."""

import numpy as np
import pytest
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch.distributions import Categorical
from torchrl.modules import ProbabilisticActor

from messages.world import Actor, Field
from models.actor import PlainActor, layer_of
from models.distribution import MaskedCategorical


def test_without_a_mask_it_is_the_ordinary_categorical():
    logits = torch.randn(6, 5, generator=torch.Generator().manual_seed(0))
    ours = MaskedCategorical(logits, torch.ones(6, 5, dtype=torch.bool))
    torchs = Categorical(logits=logits)
    choices = torchs.sample()
    torch.testing.assert_close(ours.log_prob(choices), torchs.log_prob(choices))
    torch.testing.assert_close(ours.entropy(), torchs.entropy())
    assert torch.equal(ours.mode, logits.argmax(-1))


def test_probabilities_are_of_32_bits_where_the_network_has_16():
    logits = torch.tensor([0.0, 1.0, -1.0], dtype=torch.bfloat16)
    distribution = MaskedCategorical(logits, torch.ones(3, dtype=torch.bool))
    # log(1 + e + 1 / e) = 1.40761; of 16 bits the nearest number is 1.40625.
    expected = torch.tensor([-1.40761, -0.40761, -2.40761])
    torch.testing.assert_close(distribution.log_probs, expected, atol=1e-5, rtol=0)


def test_masked_choices_are_never_drawn():
    logits = torch.zeros(4000, 4)
    logits[:, 1] = 50.0  # would always win
    mask = torch.tensor([True, False, True, False]).expand(4000, 4)
    distribution = MaskedCategorical(logits, mask)
    drawn = distribution.sample(generator=torch.Generator().manual_seed(1))
    assert set(drawn.tolist()) == {0, 2}
    assert 1800 < (drawn == 0).sum().item() < 2200
    assert distribution.probs[0].tolist() == [0.5, 0.0, 0.5, 0.0]
    torch.testing.assert_close(distribution.entropy(), torch.full((4000,), 2.0).log())


def test_gradients_are_finite_and_leave_masked_logits_alone():
    logits = torch.randn(3, 4, requires_grad=True)
    mask = torch.tensor([[True, False, True, True], [False, True, False, False], [True] * 4])
    distribution = MaskedCategorical(logits, mask)
    (distribution.entropy().sum() + distribution.log_prob(distribution.mode).sum()).backward()
    assert logits.grad is not None
    assert logits.grad.isfinite().all()
    assert (logits.grad[~mask] == 0).all()


def test_the_only_choice_left_is_drawn_with_probability_one():
    mask = torch.tensor([[False, False, True]])
    distribution = MaskedCategorical(torch.randn(1, 3), mask)
    assert distribution.sample().item() == 2
    assert distribution.log_prob(torch.tensor([2])).item() == 0
    assert distribution.entropy().item() == 0


def test_no_choice_left_is_refused():
    mask = torch.ones(3, 2, dtype=torch.bool)
    mask[1] = False
    with pytest.raises(ValueError, match="row 1 leaves no choice"):
        MaskedCategorical(torch.zeros(3, 2), mask)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_nothing_is_chosen_by_numbers_that_are_not_finite(value: float):
    mask = torch.tensor([[False, True, False]])
    logits = torch.tensor([[0.0, value, 0.0]])
    distribution = MaskedCategorical(logits, mask)
    with pytest.raises(RuntimeError, match="output is not finite"):
        _ = distribution.mode
    with pytest.raises(RuntimeError, match="output is not finite"):
        distribution.sample()
    made = Actor(
        fields=[Field(name="x", size=1)],
        choices=["a", "b", "c"],
        layers=[layer_of(np.eye(3, 1), np.zeros(3))],
    )
    plain = PlainActor(made)
    for drawn in (None, np.asarray(0.5)):
        finite = pytest.raises(RuntimeError, match="output is not finite")
        with np.errstate(invalid="ignore"), finite:
            plain.choose(np.array([value], np.float32), mask[0].numpy(), drawn)


def test_an_actor_without_torch_draws_choices_by_their_share_and_none_masked():
    made = Actor(
        fields=[Field(name="x", size=1)],
        choices=["a", "b", "c", "d"],
        layers=[layer_of(np.array([[9.0], [1.0], [0.0], [9.0]]), np.zeros(4))],
    )
    plain, mask = PlainActor(made), np.array([False, True, True, False])
    seen, drawn = np.ones(1, np.float32), np.random.default_rng(0).random(2000)
    chosen = [int(plain.choose(seen, mask, np.asarray(one))) for one in drawn]
    assert set(chosen) == {1, 2}
    assert chosen.count(1) / 2000 == pytest.approx(np.e / (np.e + 1), abs=0.03)
    assert plain.choose(seen, mask, None) == 1
    batch, masks = np.ones((2000, 1), np.float32), np.tile(mask, (2000, 1))
    assert plain.choose(batch, masks, drawn).tolist() == chosen
    assert set(plain.choose(batch, masks, None).tolist()) == {1}


def test_generators_with_the_same_seed_draw_the_same_choices():
    logits, mask = torch.randn(64, 9), torch.ones(64, 9, dtype=torch.bool)
    first, second = (
        MaskedCategorical(logits, mask).sample(generator=torch.Generator().manual_seed(3))
        for _ in range(2)
    )
    assert torch.equal(first, second)


def test_a_torchrl_actor_draws_no_masked_choice():
    actor = ProbabilisticActor(
        TensorDictModule(torch.nn.Linear(3, 4), in_keys=["features"], out_keys=["logits"]),
        in_keys=["logits", "mask"],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    mask = torch.tensor([True, False, True, True]).expand(10, 4)
    out = actor(TensorDict({"features": torch.randn(10, 3), "mask": mask}, [10]))
    assert out["action"].shape == (10,)
    assert out["action_log_prob"].shape == (10,)
    assert not (out["action"] == 1).any()
