"""Who trains, all in the same world, with the same batch and the same network: each learns for so
many rollouts in one process, and reports what that took.

`ours` is the learner without its bus. `by hand` is a loop of plain torch as CleanRL writes them.
`torchrl` is made of the parts that TorchRL's examples are made of. Stable-Baselines3 and
Sample Factory are in sb3_player.py and sample_factory_player.py, for an environment of their own.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.training.worlds import GAMMA, LocalSession, steps_spec
from messages.training import TrainingSpec
from messages.world import Stepped
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.checkpoints.state import Spaces, TrainingState
from nodes.learner.collecting.rollout import Collector
from nodes.learner.collecting.session import TrainingSession
from nodes.learner.collecting.session_plan import SessionPlan

PARAMETERS = Hyperparameters(target_kl=0.0, final_share=1.0, reward_scale=0.1)
"""The defaults; every epoch is done, so that all do the same work."""


@dataclass
class Spent:
    """Seconds spent for some samples: of CPU, and by the clock on the wall."""

    samples: int
    cpu: float
    wall: float


class Sampled:
    """A session of the world in this process, as a vector environment."""

    def __init__(self, spec: TrainingSpec | None = None, seed: int = 0) -> None:
        self.spec = spec or steps_spec(seed, 10**9)
        self.local = LocalSession()
        self.size = PARAMETERS.environments
        self.session = TrainingSession(
            self.local.call,
            SessionPlan(name="bench", spec=self.spec, gamma=GAMMA, size=self.size),
        )
        self.opened = self.session.open(0)
        self.features = self.opened.features.shape[1]
        self.choices = len(self.opened.choices)

    def step(self, choices: np.ndarray[Any, Any]) -> Stepped:
        return self.session.step(choices)


def timed(rollouts: Iterator[int]) -> Callable[[int], Spent]:
    """Samples of so many further rollouts, and what they took."""

    def run(count: int) -> Spent:
        cpu, wall = time.thread_time(), time.perf_counter()
        samples = sum(next(rollouts) for _ in range(count))
        return Spent(samples, time.thread_time() - cpu, time.perf_counter() - wall)

    return run


def learner_of(world: Sampled, parameters: Hyperparameters) -> tuple[TrainingState, Collector]:
    """A new policy and a collector, ready for the first rollout."""
    state = TrainingState(Spaces.of(world.opened), parameters, seed=0)
    state.begin(world.size)
    collector = Collector(
        size=world.size,
        features=world.features,
        choices=world.choices,
        decisions=parameters.decisions,
    )
    collector.begin(world.opened)
    return state, collector


def ours(update: str, world: Sampled | None = None) -> Iterator[int]:
    """The learner: its collector and its update, ``update`` of one kind."""
    world = world or Sampled()
    parameters = msgspec.structs.replace(PARAMETERS, update=update)
    state, collector = learner_of(world, parameters)
    while True:
        rollout = collector.collect(
            world.step,
            state.networks.actor,
            state.generator,
            lambda samples, prefix_steps: samples < parameters.rollout_samples,
            state.device,
        )
        state.learn(rollout, 0, 10**9)
        yield rollout.samples


def small_network(inputs: int, outputs: int) -> nn.Sequential:
    hidden = PARAMETERS.hidden
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(),
        nn.Linear(hidden, outputs),
    )  # fmt: skip


def by_hand() -> Iterator[int]:
    """Storage made once, a categorical of masked logits, GAE in a loop, shuffled minibatches, one
    fused Adam."""
    world = Sampled()
    p, size, length = PARAMETERS, world.size, PARAMETERS.decisions
    actor, critic = small_network(world.features, world.choices), small_network(world.features, 1)
    weights = [*actor.parameters(), *critic.parameters()]
    optimiser = torch.optim.Adam(weights, lr=p.learning_rate, fused=True)
    features = torch.zeros(length + 1, size, world.features)
    masks = torch.zeros(length + 1, size, world.choices, dtype=torch.bool)
    chosen = torch.zeros(length, size, dtype=torch.int64)
    log_probs, rewards, ends = (torch.zeros(length, size) for _ in range(3))
    features[0], masks[0] = _copied(world.opened.features), _copied(world.opened.mask)

    def policy(rows: Tensor, mask: Tensor) -> Tensor:
        return torch.log_softmax(actor(rows).masked_fill(~mask, -1e8), -1)

    while True:
        for t in range(length):
            with torch.no_grad():
                log_policy = policy(features[t], masks[t])
                chosen[t] = torch.multinomial(log_policy.exp(), 1).squeeze(1)
                log_probs[t] = log_policy.gather(1, chosen[t].unsqueeze(1)).squeeze(1)
            stepped = world.step(chosen[t].numpy())
            features[t + 1], masks[t + 1] = _copied(stepped.features), _copied(stepped.mask)
            rewards[t] = _copied(stepped.reward) * p.reward_scale
            ends[t] = _copied(stepped.terminated | stepped.truncated).float()
        with torch.no_grad():
            values = critic(features).squeeze(-1)
        advantages = torch.zeros(length, size)
        last = torch.zeros(size)
        for t in reversed(range(length)):
            left = 1.0 - ends[t]
            delta = rewards[t] + p.gamma * left * values[t + 1] - values[t]
            last = delta + p.gamma * p.gae_lambda * left * last
            advantages[t] = last
        targets = (advantages + values[:-1]).reshape(-1)
        advantage = ((advantages - advantages.mean()) / (advantages.std() + 1e-8)).reshape(-1)
        rows, mask = features[:-1].reshape(-1, world.features), masks[:-1].reshape(len(targets), -1)
        action, before = chosen.reshape(-1), log_probs.reshape(-1)
        for _ in range(p.epochs):
            for at in torch.randperm(len(targets)).split(p.minibatch):
                log_policy = policy(rows[at], mask[at])
                log_prob = log_policy.gather(1, action[at].unsqueeze(1)).squeeze(1)
                ratio = (log_prob - before[at]).exp()
                gain = torch.minimum(
                    ratio * advantage[at], ratio.clamp(1 - p.clip, 1 + p.clip) * advantage[at]
                )
                entropy = -(log_policy.exp() * log_policy).sum(-1)
                error = critic(rows[at]).squeeze(1) - targets[at]
                loss = (
                    p.critic_weight * error.square().mean()
                    - gain.mean()
                    - p.entropy_bonus * entropy.mean()
                )
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(weights, p.max_grad_norm)
                optimiser.step()
        features[0], masks[0] = features[length].clone(), masks[length].clone()
        yield length * size


def _copied(array: np.ndarray[Any, Any]) -> Tensor:
    return torch.from_numpy(np.array(array))
