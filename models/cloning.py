"""The term of the loss that keeps a policy close to the clone that it began as, for a while."""

from __future__ import annotations

from torch import Tensor


def kl_to_clone(clone_log_probs: Tensor, log_probs: Tensor) -> Tensor:
    """Mean over decisions of KL(clone, policy): how far the policy has moved from the clone.

    Args:
        clone_log_probs: float (..., N), of the clone, without a gradient.
        log_probs: float (..., N), of the policy, under the same mask.

    Both have the lowest float for an impossible choice. Such a choice counts as 0, and not as 0
    times the difference of two lowest floats.
    """
    probs = clone_log_probs.exp()
    difference = (clone_log_probs - log_probs).masked_fill(probs == 0, 0.0)
    return (probs * difference).sum(-1).mean()


def faded(weight: float, samples: int, fade: int) -> float:
    """``weight`` after so many samples: it falls linearly to 0 over ``fade`` samples."""
    return weight * max(0.0, 1.0 - samples / fade)
