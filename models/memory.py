"""A network with a memory: a GRU between its layers, updated once in each decision.

The memory is zero at the start of each episode. The actor and the critic of a policy have separate
memories, as they have separate layers.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class MemoryNetwork(nn.Module):
    """``before`` encodes features as ``hidden`` numbers between -1 and 1; from these the GRU
    updates its memory of ``size`` numbers; ``after`` reads both."""

    def __init__(self, before: nn.Sequential, cell: nn.GRUCell, after: nn.Sequential) -> None:
        super().__init__()
        self.before = before
        self.cell = cell
        self.after = after

    @property
    def size(self) -> int:
        return self.cell.hidden_size

    def forward(self, features: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """One decision: features (B, F) and memory (B, size) -> outputs (B, N) and the new
        memory."""
        seen = self.before(features)
        memory = self.cell(seen, memory)
        return self.after(torch.cat([seen, memory], -1)), memory

    def unroll(self, features: Tensor, memory: Tensor, begins: Tensor) -> tuple[Tensor, Tensor]:
        """T decisions, one after the other.

        Args:
            features: float (T, B, F); uint8 of pictures.
            memory: float (B, size), from before the first decision.
            begins: bool (T, B), True where a decision is the first one of an episode: the memory
                is reset before it.

        Returns:
            outputs (T, B, N), and the memory after each decision (T, B, size).
        """
        seen = self.before(features)
        kept = (~begins).to(seen.dtype).unsqueeze(-1)
        remembered: list[Tensor] = []
        for t in range(len(features)):
            memory = self.cell(seen[t], memory * kept[t])
            remembered.append(memory)
        after = torch.stack(remembered)
        return self.after(torch.cat([seen, after], -1)), after


def first_outputs(network: nn.Module, features: Tensor) -> Tensor:
    """The outputs of a network, with or without a memory, in the first decision of episodes:
    features (B, F) -> outputs (B, N)."""
    if isinstance(network, MemoryNetwork):
        memory = torch.zeros(len(features), network.size, device=features.device)
        return network(features, memory)[0]
    return network(features)


class Remembering:
    """Networks that run decision by decision in a batch of environments: each call maps features
    (B, F) to the first network's outputs and updates all memories.

    Attributes:
        memory: float (B, sum of sizes), before the next decision: the networks' side by side.
    """

    def __init__(self, *networks: MemoryNetwork) -> None:
        self._networks = networks
        self._sizes = [network.size for network in networks]
        self.memory = torch.zeros(0, sum(self._sizes))

    def begin(self, environments: int) -> None:
        """Episodes begin in all environments."""
        device = next(self._networks[0].parameters()).device
        self.memory = torch.zeros(environments, sum(self._sizes), device=device)

    def forget(self, rows: list[int]) -> None:
        """Episodes ended in these environments."""
        self.memory[rows] = 0

    def __call__(self, features: Tensor) -> Tensor:
        parts = self.memory.split(self._sizes, -1)
        results = [
            network(features, part) for network, part in zip(self._networks, parts, strict=True)
        ]
        self.memory = torch.cat([memory.float() for _, memory in results], -1)
        return results[0][0]
