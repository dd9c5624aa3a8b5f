"""Self-imitation: good trajectories are kept, and every few iterations the actor is trained to
repeat them.

As published: a trajectory is kept if it was successful or if its return is over the mean of all
returns so far plus two standard deviations; every n iterations the actor is trained for one epoch,
by cross-entropy, on the decisions of the kept ones. A macro is a decision like any other. One thing
was not published and is this project's choice: a new trajectory replaces the oldest.
"""

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from models.distribution import MaskedCategorical
from models.memory import MemoryNetwork
from models.policy import floats_of
from nodes.learner.collecting.rollout import Rollout
from nodes.learner.optimising.sequences import Sequences


@dataclass
class Trajectory:
    """The T decisions of one episode."""

    features: Tensor  # float32 (T, F); uint8 of pictures
    mask: Tensor  # bool (T, N)
    choices: Tensor  # int64 (T,)

    @staticmethod
    def joined(parts: Sequence["Trajectory"]) -> "Trajectory":
        """One after the other."""
        features = [part.features for part in parts]
        if len({each.dtype for each in features}) > 1:  # a checkpoint may have pictures as floats
            features = [floats_of(each) for each in features]
        return Trajectory(
            features=torch.cat(features),
            mask=torch.cat([part.mask for part in parts]),
            choices=torch.cat([part.choices for part in parts]),
        )


class Trajectories:
    """The kept trajectories, at most ``size``, and the decisions of the running episodes.

    A new session drops the running episodes. The kept trajectories are in files beside the
    checkpoint (trajectory_files.py).
    """

    def __init__(self, size: int) -> None:
        self.kept: deque[Trajectory] = deque(maxlen=size)
        self.ever = 0  # how many were kept so far, replaced ones included
        self._running: list[list[Trajectory]] = []
        self._returns = 0  # how many there were, their mean, and their squared deviations from it
        self._mean = 0.0
        self._deviations = 0.0

    def begin(self, environments: int) -> None:
        """A session was opened: an episode begins in each environment."""
        self._running = [[] for _ in range(environments)]

    def begin_in(self, environments: Iterable[int]) -> None:
        """What was under way in these is lost; an episode begins, or the environment is absent."""
        for environment in environments:
            self._running[environment] = []

    def add(self, rollout: Rollout) -> None:
        """Take the decisions of a rollout, and judge the episodes that ended in it."""
        columns = rollout.choices.shape[1]
        rows = range(columns) if rollout.rows is None else rollout.rows.tolist()
        begun = [0] * columns
        ends = zip(rollout.final_at.tolist(), rollout.episodes, strict=True)
        for (at, column), episode in ends:
            environment = rows[column]
            self._take(rollout, column, environment, begun[column], at + 1)
            begun[column] = at + 1
            parts, self._running[environment] = self._running[environment], []
            if episode.success or self._outstanding(episode.total_reward):
                self.kept.append(Trajectory.joined(parts))
                self.ever += 1
            self._count(episode.total_reward)
        for column, start in enumerate(begun):
            self._take(rollout, column, rows[column], start, rollout.choices.shape[0])

    def _take(self, rollout: Rollout, column: int, environment: int, start: int, end: int) -> None:
        if end > start:  # a rollout is a view of storage that is written over: copies
            part = Trajectory(
                features=rollout.features[start:end, column].clone(),
                mask=rollout.mask[start:end, column].clone(),
                choices=rollout.choices[start:end, column].clone(),
            )
            self._running[environment].append(part)

    def _outstanding(self, total_reward: float) -> bool:
        if self._returns < 2:
            return False
        deviation = math.sqrt(self._deviations / self._returns)
        return total_reward > self._mean + 2.0 * deviation

    def _count(self, total_reward: float) -> None:
        self._returns += 1
        difference = total_reward - self._mean
        self._mean += difference / self._returns
        self._deviations += difference * (total_reward - self._mean)

    def state_dict(self) -> dict[str, Any]:
        """All but the kept trajectories."""
        return {
            "ever": self.ever,
            "returns": self._returns,
            "mean": self._mean,
            "deviations": self._deviations,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.ever = state.get("ever", 0)  # older checkpoints had the trajectories inside
        self._returns = state["returns"]
        self._mean = state["mean"]
        self._deviations = state["deviations"]


def cross_entropy(actor: nn.Module, features: Tensor, mask: Tensor, choices: Tensor) -> Tensor:
    """Mean over decisions of the negative log-probability of the choice."""
    return -MaskedCategorical(actor(features), mask).log_prob(choices).mean()


def losses(
    actor: nn.Module, trajectories: Sequence[Trajectory], generator: torch.Generator, minibatch: int
) -> Iterator[tuple[Tensor, int]]:
    """One epoch over all decisions, in minibatches of ``minibatch`` decisions (0: all at once).
    Yields each minibatch's cross-entropy under the present actor and its number of decisions."""
    if isinstance(actor, MemoryNetwork):
        yield from _losses_of_episodes(actor, trajectories, generator, minibatch)
        return
    device = next(actor.parameters()).device
    whole = Trajectory.joined(trajectories)
    count = len(whole.choices)
    for rows in torch.randperm(count, generator=generator).split(minibatch or count):
        loss = cross_entropy(
            actor,
            whole.features[rows].to(device),
            whole.mask[rows].to(device),
            whole.choices[rows].to(device),
        )
        yield loss, len(rows)


def _losses_of_episodes(
    actor: MemoryNetwork,
    trajectories: Sequence[Trajectory],
    generator: torch.Generator,
    minibatch: int,
) -> Iterator[tuple[Tensor, int]]:
    """The same in minibatches of whole episodes, at least ``minibatch`` decisions each, because the
    memory depends on everything before in the episode."""
    device = next(actor.parameters()).device
    order = torch.randperm(len(trajectories), generator=generator).tolist()
    group: list[Trajectory] = []
    count = 0
    for place, number in enumerate(order):
        group.append(trajectories[number])
        count += len(trajectories[number].choices)
        if place + 1 < len(order) and (not minibatch or count < minibatch):
            continue
        parts = Sequences.of_lengths([len(each.choices) for each in group])
        whole = Trajectory.joined(group)
        blank = torch.zeros(len(group), actor.size, device=device)
        logits = parts.outputs(actor, whole.features, blank)
        mask, choices = whole.mask[parts.rows].to(device), whole.choices[parts.rows].to(device)
        yield -MaskedCategorical(logits, mask).log_prob(choices).mean(), count
        group, count = [], 0


def imitate(
    trajectories: Trajectories,
    actor: nn.Module,
    optimiser: torch.optim.Optimizer,
    generator: torch.Generator,
    *,
    minibatch: int,
    max_grad_norm: float,
) -> float:
    """One epoch over all kept decisions in minibatches, see `losses`, on the actor alone.
    Returns the mean loss, 0 where nothing is kept."""
    if not trajectories.kept:
        return 0.0
    total, count = 0.0, 0
    for loss, decisions in losses(actor, list(trajectories.kept), generator, minibatch):
        optimiser.zero_grad(set_to_none=True)  # what has no gradient, the critic, is left alone
        loss.backward()
        if max_grad_norm:
            nn.utils.clip_grad_norm_(actor.parameters(), max_grad_norm)
        optimiser.step()
        total += loss.item() * decisions
        count += decisions
    return total / count
