"""Collects a policy's decisions in a training session, in storage that is allocated once.

TorchRL's Collector costs 400 to 1,000 us per vector step of 64 environments where this costs 250
(the network included), so the loop is our own; TorchRL learns from what it collects.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from messages.world import Opened, Stepped
from models.distribution import MaskedCategorical
from models.memory import Remembering
from nodes.times import spending

_OF_ENVIRONMENTS = (
    *("features", "mask", "choices", "log_probs"),
    *("reward", "steps", "terminated", "truncated"),
)


@dataclass
class EndedEpisode:
    environment: int
    success: bool
    total_reward: float  # undiscounted
    length: int  # primitive steps


@dataclass
class Rollout:
    """T decisions in each of B environments. Views of the collector's storage, valid until the next
    collection."""

    features: Tensor  # (T + 1, B, F): before each decision, and after the last one; see `Opened`
    mask: Tensor  # bool (T, B, N)
    choices: Tensor  # int64 (T, B)
    log_probs: Tensor  # float32 (T, B)
    reward: Tensor  # float32 (T, B), discounted inside a decision
    steps: Tensor  # int64 (T, B), primitive steps
    terminated: Tensor  # bool (T, B)
    truncated: Tensor  # bool (T, B)
    final_at: Tensor  # int64 (n, 2): decision and environment that ended an episode
    final_features: Tensor  # (n, F): the last ones of those episodes
    episodes: list[EndedEpisode]
    prefix_steps: int
    # float32 (B, M), of a policy with a memory: the memories of its networks before the first
    # decision, side by side; zero where that is the first one of an episode.
    memory: Tensor | None = None
    # int64 (B,), which environments of the session these are; None: all of them.
    rows: Tensor | None = None

    def copied(self) -> "Rollout":
        """A copy in storage of its own."""
        return replace(
            self,
            **{
                name: value.clone()
                for name, value in vars(self).items()
                if isinstance(value, Tensor)
            },
        )

    def of(self, present: np.ndarray[Any, Any]) -> "Rollout":
        """The rollout without the environments that are not ``present``, bool (B,): what was played
        in them is not known to its end. ``final_at`` names columns, ``episodes`` the session's
        environments."""
        if present.all():
            return self
        rows = torch.from_numpy(np.flatnonzero(present))
        column = torch.from_numpy(present.cumsum() - 1)
        kept = torch.from_numpy(present)[self.final_at[:, 1]]
        final_at = self.final_at[kept]
        final_at[:, 1] = column[final_at[:, 1]]
        return Rollout(
            **{name: getattr(self, name)[:, rows] for name in _OF_ENVIRONMENTS},
            final_at=final_at,
            final_features=self.final_features[kept],
            episodes=[each for each in self.episodes if present[each.environment]],
            prefix_steps=self.prefix_steps,
            memory=None if self.memory is None else self.memory[rows],
            rows=rows,
        )

    @property
    def decisions(self) -> int:
        return self.choices.numel()

    @property
    def samples(self) -> int:
        """Every primitive step counts."""
        return int(self.steps.sum())


class Collector:
    """Storage for rollouts of at most ``decisions`` decisions in ``size`` environments. ``seen``:
    the type of the features."""

    def __init__(
        self,
        *,
        size: int,
        features: int,
        choices: int,
        decisions: int,
        seen: torch.dtype = torch.float32,
    ) -> None:
        self.size = size
        self.decisions = decisions
        shape = (decisions, size)
        self.features = torch.zeros(decisions + 1, size, features, dtype=seen)
        self.mask = torch.zeros(decisions + 1, size, choices, dtype=torch.bool)
        self.choices = torch.zeros(shape, dtype=torch.int64)
        self.log_probs = torch.zeros(shape)
        self.reward = torch.zeros(shape)
        self.steps = torch.zeros(shape, dtype=torch.int64)
        self.terminated = torch.zeros(shape, dtype=torch.bool)
        self.truncated = torch.zeros(shape, dtype=torch.bool)
        self.filled = 0  # decisions in the storage; the row after them has the last features
        # Messages hold read-only arrays, which torch does not accept: they are copied to these.
        self._arrays = {
            name: getattr(self, name).numpy()
            for name in ("features", "mask", "reward", "steps", "terminated", "truncated")
        }

    def begin(self, opened: Opened) -> None:
        """A session was opened: collect from its first observations."""
        self.filled = 0
        self._arrays["features"][0] = opened.features
        self._arrays["mask"][0] = opened.mask

    def take_in(self, rows: slice, opened: Opened) -> None:
        """The session of these environments was opened: collect from its first observations."""
        self._arrays["features"][self.filled, rows] = opened.features
        self._arrays["mask"][self.filled, rows] = opened.mask

    def collect(
        self,
        step: Callable[[np.ndarray[Any, Any]], Stepped],
        actor: Callable[[Tensor], Tensor],
        generator: torch.Generator,
        go_on: Callable[[int, int], bool],
        device: torch.device,
    ) -> Rollout:
        """Decide and step until the storage is full or ``go_on(samples, prefix_steps)`` is False.
        ``actor``: logits of features; its memory, if it has one, is reset where episodes end.

        Raises:
            RuntimeError: the actor's output is not finite.
            whatever ``step`` raises; the collector must ``begin`` again then.
        """
        self.features[0] = self.features[self.filled]
        self.mask[0] = self.mask[self.filled]
        self.filled = 0
        remembering = actor if isinstance(actor, Remembering) else None
        memory = None if remembering is None else remembering.memory.clone().cpu()
        final_at: list[tuple[int, int]] = []
        final_features: list[np.ndarray[Any, Any]] = []
        episodes: list[EndedEpisode] = []
        samples = prefix_steps = 0
        while self.filled < self.decisions and go_on(samples, prefix_steps):
            t = self.filled
            with spending("network"), torch.no_grad():
                logits = actor(self.features[t].to(device)).cpu()
                distribution = MaskedCategorical(logits, self.mask[t])
                chosen = distribution.sample(generator=generator)
                self.choices[t] = chosen
                self.log_probs[t] = distribution.log_prob(chosen)
            stepped = step(chosen.numpy())
            for name in ("reward", "steps", "terminated", "truncated"):
                self._arrays[name][t] = getattr(stepped, name)
            self._arrays["features"][t + 1] = stepped.features
            self._arrays["mask"][t + 1] = stepped.mask
            for index, row in enumerate(stepped.final_rows.tolist()):
                final_at.append((t, row))
                final_features.append(np.array(stepped.final_features[index]))
                episodes.append(
                    EndedEpisode(
                        environment=row,
                        success=bool(stepped.success[row]),
                        total_reward=float(stepped.final_returns[index]),
                        length=int(stepped.final_lengths[index]),
                    )
                )
            if remembering is not None:
                remembering.forget(stepped.final_rows.tolist())
            samples += int(stepped.steps.sum())
            prefix_steps += stepped.prefix_steps
            self.filled += 1
        return self._rollout(final_at, final_features, episodes, prefix_steps, memory)

    def _rollout(
        self,
        final_at: list[tuple[int, int]],
        final_features: list[np.ndarray[Any, Any]],
        episodes: list[EndedEpisode],
        prefix_steps: int,
        memory: Tensor | None,
    ) -> Rollout:
        end = self.filled
        finals = self.features.new_zeros(len(final_features), self.features.shape[-1])
        for index, row in enumerate(final_features):
            finals[index] = torch.from_numpy(row)
        return Rollout(
            features=self.features[: end + 1],
            mask=self.mask[:end],
            choices=self.choices[:end],
            log_probs=self.log_probs[:end],
            reward=self.reward[:end],
            steps=self.steps[:end],
            terminated=self.terminated[:end],
            truncated=self.truncated[:end],
            final_at=torch.tensor(final_at, dtype=torch.int64).reshape(-1, 2),
            final_features=finals,
            episodes=episodes,
            prefix_steps=prefix_steps,
            memory=memory,
        )
