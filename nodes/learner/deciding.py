"""A trained policy's choices in a batch of environments, where nothing is learned from them."""

from typing import Any

import numpy as np
import torch
from torch import nn

from models.distribution import MaskedCategorical
from models.memory import MemoryNetwork, Remembering
from nodes.times import spending


class Deciding:
    """``generator`` draws the choices; with ``greedy`` they are the most probable ones."""

    def __init__(self, actor: nn.Module, generator: torch.Generator, greedy: bool = False) -> None:
        self._remembering = Remembering(actor) if isinstance(actor, MemoryNetwork) else None
        self._logits = self._remembering or actor
        self._device = next(actor.parameters()).device
        self._generator = generator
        self._greedy = greedy

    def begin(self, environments: int) -> None:
        """Begin the policy's turn in all environments: its memory is reset."""
        if self._remembering is not None:
            self._remembering.begin(environments)

    def choose(
        self, features: np.ndarray[Any, Any], mask: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        """A choice for each environment: int64 (B,). ``features`` (B, F), ``mask`` (B, N), which
        leaves at least one choice in each row."""
        with spending("network"), torch.no_grad():
            logits = self._logits(torch.from_numpy(np.array(features)).to(self._device))
            distribution = MaskedCategorical(logits.cpu(), torch.from_numpy(np.array(mask)))
            if self._greedy:
                return distribution.mode.numpy()
            return distribution.sample(generator=self._generator).numpy()
