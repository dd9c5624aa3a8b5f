"""Sequences of decisions, from which a policy with a memory learns.

From a rollout a sequence is at most ``Hyperparameters.sequence`` decisions of one environment, from
trajectories that are imitated a whole episode.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from models.memory import MemoryNetwork
from nodes.learner.collecting.rollout import Rollout


@dataclass
class Sequences:
    """S sequences of at most L decisions; shorter ones are padded at the end.

    Attributes:
        at: int64 (L, S), the index of the decision in a flat batch; any index for padding.
        there: bool (L, S), False for padding.
        begins: bool (L, S), whether it is the first decision of an episode.
    """

    at: Tensor
    there: Tensor
    begins: Tensor

    @staticmethod
    def of(begins: Tensor, length: int) -> "Sequences":
        """Sequences of T decisions in each of B environments, in a batch that is flat by decision,
        then environment. ``begins`` (T, B)."""
        decisions, size = begins.shape
        count = -(-decisions // length)
        at = torch.arange(count * length * size, device=begins.device)
        there = (at < decisions * size).reshape(count, length, size)
        at = at.clamp(max=decisions * size - 1).reshape(count, length, size)

        def by_sequence(each: Tensor) -> Tensor:
            return each.transpose(0, 1).reshape(length, count * size)

        begun = begins.reshape(-1)[at]
        return Sequences(by_sequence(at), by_sequence(there), by_sequence(begun))

    @staticmethod
    def of_lengths(lengths: Sequence[int]) -> "Sequences":
        """One sequence for each of several whole episodes, which follow one another in a flat
        batch."""
        longest = max(lengths)
        steps = torch.arange(longest).unsqueeze(1)
        counts = torch.tensor(lengths)
        at = (counts.cumsum(0) - counts) + torch.minimum(steps, counts - 1)
        return Sequences(at, steps < counts, (steps == 0).expand(longest, len(lengths)))

    def take(self, which: Tensor) -> "Sequences":
        return Sequences(self.at[:, which], self.there[:, which], self.begins[:, which])

    @property
    def rows(self) -> Tensor:
        """The indices of the decisions in the flat batch, in the order of `outputs`."""
        return self.at[self.there]

    def outputs(self, network: MemoryNetwork, features: Tensor, memory: Tensor) -> Tensor:
        """A network's outputs (rows, N). ``features`` (decisions, F) of the flat batch; ``memory``
        (S, size) before each sequence."""
        shown, begins = features[self.at].to(memory.device), self.begins.to(memory.device)
        found, _ = network.unroll(shown, memory, begins)
        return found[self.there.to(memory.device)]


def unrolled(network: nn.Module, rollout: Rollout, memory: Tensor) -> tuple[Tensor, Tensor]:
    """The outputs of a network with a memory for all T + 1 features of a rollout (T + 1, B, N), and
    its memory before each of them and after the last (T + 2, B, size). Where an episode ended, that
    memory is still the old episode's. ``memory`` (B, size): before the first."""
    assert isinstance(network, MemoryNetwork)
    features, begins = rollout.features.to(memory.device), first_ones(rollout).to(memory.device)
    outputs, after = network.unroll(features, memory, begins)
    return outputs, torch.cat([memory.unsqueeze(0), after])


def first_ones(rollout: Rollout) -> Tensor:
    """Bool (T + 1, B): whether features are the first ones of an episode that begins inside the
    rollout. (For one that begins with the rollout the memory is zero already.)"""
    done = rollout.terminated | rollout.truncated
    return torch.cat([torch.zeros_like(done[:1]), done])
