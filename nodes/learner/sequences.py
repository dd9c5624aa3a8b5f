"""Decisions cut into sequences, from which a policy with a memory learns.

Of a rollout they are at most ``Hyperparameters.sequence`` decisions of one environment, of
trajectories that are imitated whole episodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from models.memory import MemoryNetwork
from nodes.learner.rollout import Rollout


@dataclass
class Sequences:
    """Decisions cut into sequences of at most L; those of a shorter one are its first.

    Attributes:
        at: int64 (L, S), which decision of a flat batch it is; where there is none, any.
        there: bool (L, S), whether there is one.
        begins: bool (L, S), whether it is the first one of an episode.
    """

    at: Tensor
    there: Tensor
    begins: Tensor

    @staticmethod
    def of(begins: Tensor, length: int) -> "Sequences":
        """Of T decisions in each of B environments, flat by decision, then environment: ``begins``
        (T, B)."""
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
        """Of whole episodes, whose decisions follow one another."""
        longest = max(lengths)
        steps = torch.arange(longest).unsqueeze(1)
        counts = torch.tensor(lengths)
        at = (counts.cumsum(0) - counts) + torch.minimum(steps, counts - 1)
        return Sequences(at, steps < counts, (steps == 0).expand(longest, len(lengths)))

    def take(self, which: Tensor) -> "Sequences":
        return Sequences(self.at[:, which], self.there[:, which], self.begins[:, which])

    @property
    def rows(self) -> Tensor:
        """Which decisions of the flat batch they are, in the order of `outputs`."""
        return self.at[self.there]

    def outputs(self, network: MemoryNetwork, features: Tensor, memory: Tensor) -> Tensor:
        """A network's outputs (rows, N). ``features`` (decisions, F) of the flat batch; ``memory``
        (S, size), of before each sequence."""
        shown, begins = features[self.at].to(memory.device), self.begins.to(memory.device)
        found, _ = network.unroll(shown, memory, begins)
        return found[self.there.to(memory.device)]


def unrolled(network: nn.Module, rollout: Rollout, memory: Tensor) -> tuple[Tensor, Tensor]:
    """What a network with a memory gives for all T + 1 features of a rollout (T + 1, B, N), and
    what it remembered before each of them (T + 1, B, size), ends of episodes not counted: there it
    has still what was remembered of the old one. ``memory`` (B, size): before the first."""
    assert isinstance(network, MemoryNetwork)
    features, begins = rollout.features.to(memory.device), first_ones(rollout).to(memory.device)
    outputs, after = network.unroll(features, memory, begins)
    return outputs, torch.cat([memory.unsqueeze(0), after])


def first_ones(rollout: Rollout) -> Tensor:
    """Bool (T + 1, B): whether features are the first ones of an episode that begins inside the
    rollout. (What is remembered when it begins is zero where an episode begins with it.)"""
    done = rollout.terminated | rollout.truncated
    return torch.cat([torch.zeros_like(done[:1]), done])
