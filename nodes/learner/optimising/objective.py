"""PPO's clipped objective of a minibatch: its gradient in the logits, and what is reported of it.

With p the probabilities, A the advantage and r the ratio: the objective r A has the gradient
r A (one-hot - p), unless it is clipped; entropy H has -p (log p + H); the divergence from the
clone's c has p - c.

On a CPU a kernel computes it: the two dozen operations of torch on small tensors take three times
as long, a twelfth of an update.
"""

import math
from typing import Any, NamedTuple

import numba
import numpy as np
import torch
from torch import Tensor


class Weights(NamedTuple):
    """``lowest``, ``highest``: bounds of the log-ratio; ``bonus`` of the entropy; ``to_clone`` of
    the divergence from the clone, 0 where there is none."""

    lowest: float
    highest: float
    bonus: float
    to_clone: float


def objective_gradient(
    logits: Tensor, batch: dict[str, Tensor], weights: Weights, statistics: Tensor
) -> Tensor:
    """The gradient of the actor's loss in its logits (B, N), which are overwritten.

    Args:
        batch: see `FusedUpdate.minibatch`.
        statistics: its first five rows (5, B) are filled with each decision's loss, log-ratio,
            whether it was clipped, entropy, divergence.
    """
    if logits.device.type != "cpu" or logits.dtype != torch.float32:
        return _by_torch(logits, batch, weights, statistics)
    clone = batch["clone_log_probs"] if weights.to_clone else logits
    _kernel(
        logits.numpy(),
        batch["mask"].numpy(),
        batch["action"].numpy(),
        batch["action_log_prob"].numpy(),
        batch["advantage"].numpy(),
        clone.numpy(),
        np.array(weights, np.float32),
        statistics.numpy(),
    )
    return logits


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _kernel(
    logits: Any, mask: Any, action: Any, log_prob: Any, advantage: Any, clone: Any, weights: Any,
    statistics: Any,
) -> None:  # fmt: skip
    """Overwrites ``logits`` with the gradient. What is not finite stays so, as with autograd: the
    training has diverged then."""
    count, choices = logits.shape
    lowest, highest, bonus, to_clone = weights
    probs = np.empty(choices, np.float32)
    log_probs = np.empty(choices, np.float32)
    for row in range(count):
        largest = np.float32(-np.inf)
        for choice in range(choices):
            if mask[row, choice] and not logits[row, choice] <= largest:
                largest = logits[row, choice]
        total = np.float32(0.0)
        for choice in range(choices):
            probs[choice] = 0.0
            if mask[row, choice]:
                probs[choice] = math.exp(logits[row, choice] - largest)
                total += probs[choice]
        rest = largest + np.float32(math.log(total))
        entropy = np.float32(0.0)
        for choice in range(choices):
            probs[choice] /= total
            log_probs[choice] = logits[row, choice] - rest if mask[row, choice] else 0.0
            entropy -= probs[choice] * log_probs[choice]
        chosen = action[row]
        ratio = log_probs[chosen] - log_prob[row]
        within = lowest if ratio < lowest else highest if ratio > highest else ratio
        gain = np.float32(math.exp(ratio)) * advantage[row, 0]
        clipped_gain = np.float32(math.exp(within)) * advantage[row, 0]
        statistics[0, row] = -(clipped_gain if gain > clipped_gain else gain)
        statistics[1, row] = -ratio
        statistics[2, row] = within != ratio
        statistics[3, row] = entropy
        paid = gain * np.float32(gain <= clipped_gain)
        for choice in range(choices):
            slope = probs[choice] * (paid + bonus * (entropy + log_probs[choice]))
            logits[row, choice] = slope - paid if choice == chosen else slope
        if to_clone:
            apart = np.float32(0.0)
            for choice in range(choices):
                share = np.float32(math.exp(clone[row, choice]))
                # An impossible choice counts as 0.
                if share != 0.0:
                    apart += share * (clone[row, choice] - log_probs[choice])
                logits[row, choice] += to_clone * (probs[choice] - share)
            statistics[4, row] = apart
        for choice in range(choices):
            logits[row, choice] /= np.float32(count)


def _by_torch(
    logits: Tensor, batch: dict[str, Tensor], weights: Weights, statistics: Tensor
) -> Tensor:
    action, advantage = batch["action"].unsqueeze(1), batch["advantage"].squeeze(1)
    # The lowest float, as in MaskedCategorical: its probability is exactly 0.
    logits.masked_fill_(~batch["mask"], torch.finfo(logits.dtype).min)
    log_probs = torch.log_softmax(logits, -1)
    probs = log_probs.exp()
    log_ratio = log_probs.gather(1, action).squeeze(1) - batch["action_log_prob"]
    within = log_ratio.clamp(weights.lowest, weights.highest)
    gain = log_ratio.exp() * advantage
    clipped_gain = within.exp() * advantage
    torch.neg(torch.minimum(gain, clipped_gain), out=statistics[0])
    torch.neg(log_ratio, out=statistics[1])
    statistics[2] = within != log_ratio
    weighed = probs * log_probs
    entropy = torch.sum(weighed, 1, out=statistics[3]).neg_()

    # A ratio that overflowed becomes NaN here, as with autograd: the training has diverged.
    paid = gain * (gain <= clipped_gain)
    gradient = probs * torch.add(paid, entropy, alpha=weights.bonus).unsqueeze(1)
    if weights.bonus:
        gradient.add_(weighed, alpha=weights.bonus)
    gradient.scatter_add_(1, action, -paid.unsqueeze(1))
    if weights.to_clone:
        clone = batch["clone_log_probs"]
        shares = clone.exp()
        # An impossible choice counts as 0, not as 0 times the difference of two lowest floats.
        apart = (clone - log_probs).masked_fill_(shares == 0, 0.0).mul_(shares)
        torch.sum(apart, 1, out=statistics[4])
        gradient.add_(probs, alpha=weights.to_clone).sub_(shares, alpha=weights.to_clone)
    return gradient.div_(len(logits))
