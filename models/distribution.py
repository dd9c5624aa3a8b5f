"""The policy's distribution: a categorical over choices of which some are masked out.

It is ``torch.distributions``-like, so that TorchRL's ``ProbabilisticActor`` and ``ClipPPOLoss``
take it, and packed: sample, log-probability and entropy are read from one log-softmax.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.distributions import Distribution, constraints


class MaskedCategorical(Distribution):
    """Choices ``0 .. N-1``; where ``mask`` is False the probability is zero.

    Args:
        logits: float (..., N), of any precision.
        mask: bool (..., N), True where the choice may be taken.

    Raises:
        ValueError: a row of the mask leaves no choice.
    """

    has_rsample = False

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        return {}

    @property
    def support(self) -> constraints.Constraint:
        return constraints.integer_interval(0, self.log_probs.shape[-1] - 1)

    def __init__(self, logits: Tensor, mask: Tensor) -> None:
        impossible = ~mask.any(-1)
        if impossible.any():
            row = impossible.reshape(-1).nonzero()[0].item()
            raise ValueError(
                f"The mask of row {row} leaves no choice: every entry is False. "
                "A mask must always leave at least one action."
            )
        self.mask = mask
        logits = logits.float()  # bfloat16 would change a ratio of probabilities by a hundredth
        # The lowest float instead of -inf: its probability underflows to exactly zero, and
        # p * log p stays 0 instead of NaN, forwards and backwards.
        lowest = torch.finfo(logits.dtype).min
        self.log_probs = torch.log_softmax(logits.masked_fill(~mask, lowest), -1)
        super().__init__(logits.shape[:-1], validate_args=False)

    @property
    def probs(self) -> Tensor:
        return self.log_probs.exp()

    @property
    def mode(self) -> Tensor:
        """The most probable choice, int64 (...).

        Raises:
            RuntimeError: a logit of a possible choice is not finite.
        """
        self._check_finite()
        return self.log_probs.argmax(-1)

    @property
    def deterministic_sample(self) -> Tensor:
        """What TorchRL calls the mode."""
        return self.mode

    def sample(
        self, sample_shape: Sequence[int] = (), generator: torch.Generator | None = None
    ) -> Tensor:
        """Draw choices, int64 (*sample_shape, ...). ``generator``: of the logits' device, torch's
        global one if not given.

        Raises:
            RuntimeError: as `mode`.
        """
        self._check_finite()
        with torch.no_grad():
            count = math.prod(sample_shape)
            rows = self.probs.reshape(-1, self.log_probs.shape[-1])
            drawn = torch.multinomial(rows, count, replacement=True, generator=generator)
            return drawn.T.reshape(*sample_shape, *self.batch_shape)

    def _check_finite(self) -> None:
        """Only a choice needs this: a loss that is not finite shows by itself."""
        if not (self.log_probs.isfinite() | ~self.mask).all():
            raise RuntimeError(
                "The policy's output is not finite: a choice could be one that the mask excludes."
            )

    def log_prob(self, value: Tensor) -> Tensor:
        return self.log_probs.gather(-1, value.long().unsqueeze(-1)).squeeze(-1)

    def entropy(self) -> Tensor:
        return -(self.probs * self.log_probs).sum(-1)
