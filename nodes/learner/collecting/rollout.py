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

from messages.roll_out import RolledOut, rolled_out
from messages.world import Opened, Stepped
from models.distribution import MaskedCategorical
from models.memory import Remembering
from nodes.times import spending

_OF_ENVIRONMENTS = (
    *("features", "mask", "choices", "log_probs"),
    *("reward", "steps", "terminated", "truncated"),
)


_OF_STEPS = ("reward", "steps", "terminated", "truncated")


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


class _Ends:
    """The ends of episodes in a rollout."""

    def __init__(self) -> None:
        self.at: list[np.ndarray[Any, Any]] = []  # each int64 (n, 2)
        self.features: list[np.ndarray[Any, Any]] = []  # each (n, F)
        self.episodes: list[EndedEpisode] = []

    def add(
        self,
        at: np.ndarray[Any, Any],
        success: np.ndarray[Any, Any],
        answer: RolledOut,
    ) -> None:
        """``at`` int64 (n, 2): decision and environment, ``success`` bool (n,)."""
        if not len(at):
            return
        self.at.append(at)
        self.features.append(np.array(answer.final_features))
        returns, lengths = answer.final_returns.tolist(), answer.final_lengths.tolist()
        for row, won, total, length in zip(
            at[:, 1].tolist(), success.tolist(), returns, lengths, strict=True
        ):
            self.episodes.append(
                EndedEpisode(environment=row, success=won, total_reward=total, length=length)
            )


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
            for name in (*_OF_STEPS, "features", "mask", "choices", "log_probs")
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
        remembering = actor if isinstance(actor, Remembering) else None
        memory = None if remembering is None else remembering.memory.clone().cpu()

        def play(decision: int, samples: int, prefix_steps: int) -> RolledOut:
            with spending("network"), torch.no_grad():
                logits = actor(self.features[decision].to(device)).cpu()
                distribution = MaskedCategorical(logits, self.mask[decision])
                chosen = distribution.sample(generator=generator)
                log_probs = distribution.log_prob(chosen).numpy()
            stepped = step(chosen.numpy())
            if remembering is not None:
                remembering.forget(stepped.final_rows.tolist())
            return rolled_out([chosen.numpy()], [log_probs], [stepped])

        return replace(self.collect_played(play, go_on), memory=memory)

    def collect_played(
        self,
        play: Callable[[int, int, int], RolledOut],
        go_on: Callable[[int, int], bool],
    ) -> Rollout:
        """Collect what ``play(decision, samples, prefix_steps)`` returns, the next decisions by the
        number of the first one and what was spent before it, until the storage is full or
        ``go_on(samples, prefix_steps)`` is False.

        Raises:
            whatever ``play`` raises; the collector must ``begin`` again then.
        """
        self.features[0] = self.features[self.filled]
        self.mask[0] = self.mask[self.filled]
        self.filled = 0
        ends = _Ends()
        samples = prefix_steps = 0
        while self.filled < self.decisions and go_on(samples, prefix_steps):
            t = self.filled
            rolled = play(t, samples, prefix_steps)
            end = t + len(rolled.choices)
            for name in (*_OF_STEPS, "choices", "log_probs"):
                self._arrays[name][t:end] = getattr(rolled, name)
            self._arrays["features"][t + 1 : end + 1] = rolled.features
            self._arrays["mask"][t + 1 : end + 1] = rolled.mask
            decisions, rows = rolled.final_at.T
            ends.add(rolled.final_at + np.array([t, 0]), rolled.success[decisions, rows], rolled)
            samples += int(rolled.steps.sum())
            prefix_steps += rolled.prefix_steps
            self.filled = end
        return self._rollout(ends, prefix_steps)

    def _rollout(self, ends: "_Ends", prefix_steps: int) -> Rollout:
        end = self.filled
        finals = self.features.new_zeros(len(ends.episodes), self.features.shape[-1])
        if ends.episodes:
            finals[:] = torch.from_numpy(np.concatenate(ends.features))
        return Rollout(
            features=self.features[: end + 1],
            mask=self.mask[:end],
            choices=self.choices[:end],
            log_probs=self.log_probs[:end],
            reward=self.reward[:end],
            steps=self.steps[:end],
            terminated=self.terminated[:end],
            truncated=self.truncated[:end],
            final_at=torch.from_numpy(np.concatenate([np.zeros((0, 2), np.int64), *ends.at])),
            final_features=finals,
            episodes=ends.episodes,
            prefix_steps=prefix_steps,
        )
