"""Advantages where one decision may last several primitive steps (options, semi-MDP).

A decision that took k primitive steps has the reward ``r = sum of gamma^i r_i, i < k`` and is
followed by gamma^k V(s'). TorchRL's GAE does this when given k as ``steps_to_next_obs``. The
derivation is in docs/options.md; tests/learning/test_options.py compares it with a plain loop.
"""

from __future__ import annotations

import torch
from tensordict import TensorDict
from torch import Tensor
from torchrl.objectives.value import GAE


def option_advantage(
    *,
    reward: Tensor,
    steps: Tensor,
    terminated: Tensor,
    truncated: Tensor,
    value: Tensor,
    next_value: Tensor,
    gamma: float,
    lmbda: float,
) -> tuple[Tensor, Tensor]:
    """Generalised advantages and value targets of decisions.

    Args:
        reward: float (T, B), already discounted inside a decision.
        steps: int (T, B), primitive steps k >= 1 of each decision.
        terminated: bool (T, B), the episode ended by success or death: its future is worth 0.
        truncated: bool (T, B), a time limit ended the episode: its future is ``next_value``.
        value: float (T, B), V of the state in which the decision was taken.
        next_value: float (T, B), V of the state after it; where an episode ended, of its last one.
        gamma: discount per primitive step.
        lmbda: trace decay per decision.

    Returns:
        advantage (T, B) and value target (T, B), with
        ``delta = r + gamma^k (1 - terminated) V(s') - V(s)`` and
        ``A = delta + gamma^k lmbda (1 - terminated or truncated) A'``.
    """
    if reward.dim() != 2:
        raise ValueError(f"Rewards must be (decisions, environments), not {tuple(reward.shape)}.")
    if not reward.numel():
        raise ValueError("There are no decisions to compute advantages of.")

    def by_environment(tensor: Tensor) -> Tensor:
        return tensor.T.unsqueeze(-1)  # GAE reads (B, T, 1)

    batch = TensorDict(
        {
            "state_value": by_environment(value),
            "steps_to_next_obs": by_environment(steps),
            "next": {
                "reward": by_environment(reward),
                "state_value": by_environment(next_value),
                "done": by_environment(terminated | truncated),
                "terminated": by_environment(terminated),
            },
        },
        batch_size=reward.T.shape,
    )
    # The vectorised form takes 30 times as long when the discount differs from step to step.
    GAE(gamma=gamma, lmbda=lmbda, value_network=None, vectorized=False, device=reward.device)(batch)
    advantage: Tensor = batch["advantage"].squeeze(-1).T
    target: Tensor = batch["value_target"].squeeze(-1).T
    return advantage.contiguous(), target.contiguous()


def normalised(advantage: Tensor) -> Tensor:
    """Advantages of mean 0 and standard deviation 1; a constant batch becomes zeros."""
    return (advantage - advantage.mean()) / (advantage.std(correction=0) + 1e-8)


def explained_variance(value: Tensor, target: Tensor) -> float:
    """1 where the critic predicts all returns, 0 where it is no better than their mean."""
    spread = torch.var(target, correction=0)
    if spread == 0:
        return 0.0
    return float(1 - torch.var(target - value, correction=0) / spread)
