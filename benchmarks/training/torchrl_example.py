"""PPO of what TorchRL's examples are made of: Collector, ReplayBuffer, GAE, ClipPPOLoss."""

from collections.abc import Iterator

import numpy as np
import torch
from tensordict import TensorDict, TensorDictBase
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.data import Categorical, Composite, LazyTensorStorage, ReplayBuffer, Unbounded
from torchrl.data.replay_buffers.samplers import SamplerWithoutReplacement
from torchrl.envs import EnvBase
from torchrl.modules import ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value.advantages import GAE

from benchmarks.training.learners import PARAMETERS, Sampled, small_network


class Environments(EnvBase):
    """The session as TorchRL's batch. It resets by itself, so `_reset` shows what is there."""

    def __init__(self, world: Sampled) -> None:
        super().__init__(batch_size=torch.Size([world.size]))
        self.world = world
        batch = self.batch_size
        seen = Unbounded(shape=torch.Size([*batch, world.features]))
        self.observation_spec = Composite(observation=seen, shape=batch)
        self.action_spec = Categorical(world.choices, shape=batch)
        self.reward_spec = Unbounded(shape=torch.Size([*batch, 1]))
        self._now = torch.from_numpy(np.array(world.opened.features))

    def _reset(self, tensordict: TensorDictBase | None = None, **_: object) -> TensorDict:
        return TensorDict({"observation": self._now}, batch_size=self.batch_size)

    def _step(self, tensordict: TensorDictBase) -> TensorDict:
        stepped = self.world.step(np.asarray(tensordict["action"]))
        self._now = torch.from_numpy(np.array(stepped.features))
        terminated = torch.from_numpy(np.array(stepped.terminated)).unsqueeze(-1)
        truncated = torch.from_numpy(np.array(stepped.truncated)).unsqueeze(-1)
        return TensorDict(
            {
                "observation": self._now,
                "reward": torch.from_numpy(np.array(stepped.reward)).unsqueeze(-1)
                * PARAMETERS.reward_scale,
                "terminated": terminated,
                "truncated": truncated,
                "done": terminated | truncated,
            },
            batch_size=self.batch_size,
        )

    def _set_seed(self, seed: int | None) -> None:
        return None


def torchrl_example() -> Iterator[int]:
    """A learner as `learners.by_hand`, without masks."""
    world, p = Sampled(), PARAMETERS
    frames = world.size * p.decisions
    actor = ProbabilisticActor(
        TensorDictModule(
            small_network(world.features, world.choices),
            in_keys=["observation"],
            out_keys=["logits"],
        ),
        in_keys=["logits"],
        distribution_class=torch.distributions.Categorical,
        return_log_prob=True,
    )
    critic = ValueOperator(small_network(world.features, 1), in_keys=["observation"])
    collector = Collector(
        Environments(world), actor, frames_per_batch=frames, total_frames=-1, device="cpu"
    )
    buffer = ReplayBuffer(
        storage=LazyTensorStorage(frames), sampler=SamplerWithoutReplacement(),
        batch_size=p.minibatch,
    )  # fmt: skip
    advantage = GAE(gamma=p.gamma, lmbda=p.gae_lambda, value_network=critic, average_gae=True)
    loss = ClipPPOLoss(
        actor, critic, clip_epsilon=p.clip, entropy_coeff=p.entropy_bonus,
        critic_coeff=p.critic_weight, loss_critic_type="l2",
    )  # fmt: skip
    weights = list(loss.parameters())
    optimiser = torch.optim.Adam(weights, lr=p.learning_rate, fused=True)
    for data in collector:
        with torch.no_grad():
            advantage(data)
        for _ in range(p.epochs):
            buffer.extend(data.reshape(-1))
            for _ in range(frames // p.minibatch):
                losses = loss(buffer.sample())
                total = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                optimiser.zero_grad()
                total.backward()
                torch.nn.utils.clip_grad_norm_(weights, p.max_grad_norm)
                optimiser.step()
        yield frames
