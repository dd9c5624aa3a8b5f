"""The kernel of PPO's objective computes what torch's operations do."""

import math

import pytest
import torch
from torch import Tensor

from nodes.learner.optimising import objective
from nodes.learner.optimising.objective import Weights, objective_gradient

ROWS, CHOICES = 64, 7


def batch(seed: int, spread: float = 1.0) -> tuple[Tensor, dict[str, Tensor]]:
    """Logits and the rest of a minibatch; some choices are excluded."""
    chance = torch.Generator().manual_seed(seed)
    mask = torch.rand(ROWS, CHOICES, generator=chance) < 0.7
    action = torch.randint(CHOICES, (ROWS,), generator=chance)
    mask[torch.arange(ROWS), action] = True
    lowest = torch.finfo(torch.float32).min
    clone = torch.randn(ROWS, CHOICES, generator=chance).masked_fill(~mask, lowest)
    return spread * torch.randn(ROWS, CHOICES, generator=chance), {
        "mask": mask,
        "action": action,
        "action_log_prob": -2.0 * torch.rand(ROWS, generator=chance),
        "advantage": torch.randn(ROWS, 1, generator=chance),
        "clone_log_probs": torch.log_softmax(clone, -1),
    }


def both(logits: Tensor, given: dict[str, Tensor], weights: Weights) -> None:
    ours, theirs = torch.zeros(6, ROWS), torch.zeros(6, ROWS)
    gradient = objective_gradient(logits.clone(), given, weights, ours)
    expected = objective._by_torch(logits.clone(), given, weights, theirs)
    torch.testing.assert_close(gradient, expected, rtol=1e-4, atol=1e-7, equal_nan=True)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("spread", [0.1, 3.0, 30.0])
@pytest.mark.parametrize(
    "weights",
    [
        Weights(math.log(0.8), math.log(1.2), 0.01, 0.0),
        Weights(-math.inf, math.log(2.0), 0.0, 0.0),
        Weights(math.log(0.8), math.log(1.2), 0.5, 0.3),
    ],
    ids=["clipped", "a wide clip", "a clone"],
)
def test_it_equals_torchs_operations(seed: int, spread: float, weights: Weights) -> None:
    both(*batch(seed, spread), weights)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_finite_stays_so(bad: float) -> None:
    logits, given = batch(0)
    logits[3, given["action"][3]] = bad
    both(logits, given, Weights(math.log(0.8), math.log(1.2), 0.01, 0.0))
    given["action_log_prob"][5] = -200.0  # a ratio that overflows
    given["advantage"][5] = 1.0
    both(logits, given, Weights(math.log(0.8), math.log(1.2), 0.01, 0.0))
    given["advantage"][5] = -1.0
    both(logits, given, Weights(math.log(0.8), math.log(1.2), 0.01, 0.0))


def test_a_choice_that_is_the_only_one_has_no_gradient() -> None:
    logits, given = batch(1)
    given["mask"][:] = False
    given["mask"][torch.arange(ROWS), given["action"]] = True
    weights = Weights(-1.0, 1.0, 0.1, 0.0)
    found = objective_gradient(logits.clone(), given, weights, torch.zeros(6, ROWS))
    assert found.abs().max() < 1e-7
