"""A policy that begins as a clone, and is held to it for a while: the term of the loss."""

from __future__ import annotations

from torch import Tensor


def kl_to_clone(clone_log_probs: Tensor, log_probs: Tensor) -> Tensor:
    """Mean over decisions of KL(clone, policy): what is lost by taking the policy for the clone.

    Args:
        clone_log_probs: float (..., N), of the clone; no gradient goes there.
        log_probs: float (..., N), of the policy, under the same mask.

    Both have the lowest float where a choice is impossible. Its share is 0 there, not 0 times that.
    """
    probs = clone_log_probs.exp()
    difference = (clone_log_probs - log_probs).masked_fill(probs == 0, 0.0)
    return (probs * difference).sum(-1).mean()


def faded(weight: float, samples: int, fade: int) -> float:
    """``weight`` after so many samples: all of it at first, none from ``fade`` samples on."""
    return weight * max(0.0, 1.0 - samples / fade)
