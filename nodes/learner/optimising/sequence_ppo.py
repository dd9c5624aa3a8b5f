"""PPO for a policy with a memory: from sequences of decisions instead of single ones.

The memory before each sequence is computed once per update, from the memory at the start of the
rollout. Each epoch unrolls the networks from there; where an episode ends inside a sequence their
memory is reset. Gradients flow inside a sequence and not beyond. The loss itself is Ppo's, over the
decisions of a minibatch of whole sequences.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import Tensor, nn

from models.distribution import MaskedCategorical
from models.memory import MemoryNetwork
from models.policy import ActorCritic
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.collecting.rollout import Rollout
from nodes.learner.optimising.ppo import Ppo
from nodes.learner.optimising.sequences import Sequences, first_ones, unrolled


class Given(TensorDictModule):
    """A network's outputs as TorchRL's losses take them, when they were computed before."""

    def __init__(self, name: str, output: str) -> None:
        super().__init__(nn.Identity(), in_keys=[name], out_keys=[output])

    def forward(self, tensordict: TensorDict) -> TensorDict:
        return tensordict.set(self.out_keys[0], tensordict.get(self.in_keys[0]))


class SequencePpo(Ppo):
    """The update of networks with a memory; see `Ppo`."""

    def __init__(
        self, networks: ActorCritic, parameters: Hyperparameters, generator: torch.Generator
    ) -> None:
        super().__init__(networks, parameters, generator)
        self._sequences: Sequences | None = None  # of the present rollout
        self._before: tuple[Tensor, Tensor] | None = None  # the memories before each sequence
        # The clone's, of the session's environments, before the next rollout; beyond its end zeros.
        self._clone_memory: Tensor | None = None

    def begin(self) -> None:
        self._clone_memory = None

    def begin_in(self, environments: Sequence[int]) -> None:
        if self._clone_memory is not None:
            there = [each for each in environments if each < len(self._clone_memory)]
            self._clone_memory[there] = 0

    def _modules(self) -> tuple[TensorDictModule, TensorDictModule]:
        return Given("actor_outputs", "logits"), Given("critic_outputs", "state_value")

    def _values(self, rollout: Rollout) -> tuple[Tensor, Tensor]:
        actor, critic = self.networks.actor, self.networks.critic
        assert isinstance(actor, MemoryNetwork)
        assert isinstance(critic, MemoryNetwork)
        assert rollout.memory is not None
        memories = rollout.memory.to(self.device).split([actor.size, critic.size], -1)
        values, of_critic = unrolled(critic, rollout, memories[1])
        values = values.squeeze(-1)
        next_values = values[1:].clone()
        if len(rollout.final_at):
            at, environment = rollout.final_at.to(self.device).unbind(-1)
            # The old episode's last features, with the memory that it had.
            remembered = of_critic[at + 1, environment]
            final, _ = critic(rollout.final_features.to(self.device), remembered)
            next_values[at, environment] = final.squeeze(-1)
        _, of_actor = unrolled(actor, rollout, memories[0])
        self._cut(rollout, of_actor, of_critic)
        return values, next_values

    def _cut(self, rollout: Rollout, of_actor: Tensor, of_critic: Tensor) -> None:
        begins = first_ones(rollout)[:-1].to(self.device)
        length = min(self.parameters.sequence, len(begins))
        self._sequences = Sequences.of(begins, length)
        starts = slice(0, len(begins), length)
        self._before = (
            of_actor[:-1][starts].flatten(0, 1),
            of_critic[:-1][starts].flatten(0, 1),
        )

    def _clone_log_probs(self, rollout: Rollout, batch: TensorDict) -> Tensor:
        clone = self.clone
        assert isinstance(clone, MemoryNetwork)
        rows = rollout.rows
        if rows is None:
            rows = torch.arange(rollout.choices.shape[1])
        memory = self._clone_memory
        if memory is None:
            memory = torch.zeros(0, clone.size, device=self.device)
        missing = int(rows.max()) + 1 - len(memory)
        if missing > 0:
            memory = torch.cat([memory, memory.new_zeros(missing, clone.size)])
        logits, remembered = unrolled(clone, rollout, memory[rows])
        # The memory before the last features, with which the next rollout begins.
        ended = (rollout.terminated[-1] | rollout.truncated[-1]).to(self.device)
        memory[rows] = remembered[-2] * (~ended).unsqueeze(-1)
        self._clone_memory = memory
        flat = logits[:-1].reshape(batch.shape[0], -1)
        return MaskedCategorical(flat, batch["mask"]).log_probs

    def _minibatches(self, batch: TensorDict, size: int) -> Iterator[TensorDict]:
        sequences, before = self._sequences, self._before
        assert sequences is not None
        assert before is not None
        count = sequences.at.shape[1]
        # As many optimiser steps as without a memory. Sequences may be short, so the decisions
        # are counted, and a small rest would take a whole step.
        parts = -(-batch.shape[0] // size)
        order = torch.randperm(count, generator=self.generator).to(self.device)
        half = self.parameters.precision == "bfloat16"
        for which in order.tensor_split(min(parts, count)):
            part = sequences.take(which)
            minibatch: Any = batch[part.rows]
            with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=half):
                for name, memory in zip(("actor", "critic"), before, strict=True):
                    network = getattr(self.networks, name)
                    outputs = part.outputs(network, batch["features"], memory[which])
                    minibatch.set(f"{name}_outputs", outputs)
            yield minibatch

    def _logits(self, minibatch: TensorDict) -> Tensor:
        return minibatch["actor_outputs"]


def ppo_of(networks: ActorCritic, parameters: Hyperparameters, generator: torch.Generator) -> Ppo:
    """The update for these networks."""
    remembers = isinstance(networks.actor, MemoryNetwork)
    return (SequencePpo if remembers else Ppo)(networks, parameters, generator)
