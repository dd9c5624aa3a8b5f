"""python -m benchmarks.training.sample_factory_player ROLLOUTS: Sample Factory's APPO, synchronous
and in one process (``serial_mode``), in an environment of packages of its own. Prints samples,
seconds of CPU and seconds as JSON, the first rollout left out."""

import json
import sys
import tempfile
import time
from typing import Any

import gymnasium
import numpy as np
import torch
from sample_factory.algo.utils.make_env import BatchedListToDictWrapper
from sample_factory.cfg.arguments import parse_full_cfg, parse_sf_args
from sample_factory.envs.env_utils import register_env
from sample_factory.train import run_rl

from benchmarks.training.learners import PARAMETERS, Sampled

NAME = "bench"
BEGUN: list[tuple[float, float]] = []
"""Seconds of CPU and of the clock at the start of each rollout."""
Settings = dict[str, Any]


class Environments(gymnasium.Env[Any, Any]):
    """The session, which resets by itself, as a batched environment of as many agents."""

    is_multiagent = True

    def __init__(self, world: Sampled) -> None:
        self.num_agents = world.size
        seen = gymnasium.spaces.Box(-np.inf, np.inf, (world.features,))
        self.observation_space = gymnasium.spaces.Dict(obs=seen)
        self.action_space = gymnasium.spaces.Discrete(world.choices)
        self._world = world
        self._steps = 0

    def reset(self, *, seed: int | None = None, options: Settings | None = None) -> Any:
        return {"obs": np.array(self._world.opened.features)}, [{} for _ in range(self.num_agents)]

    def step(self, action: Any) -> Any:
        if self._steps % PARAMETERS.decisions == 0:
            BEGUN.append((time.thread_time(), time.perf_counter()))
        self._steps += 1
        stepped = self._world.step(np.asarray(action).reshape(-1))
        return (
            {"obs": np.array(stepped.features)},
            np.array(stepped.reward),
            np.array(stepped.terminated),
            np.array(stepped.truncated),
            [{} for _ in range(self.num_agents)],
        )

    def render(self) -> None:
        return None


def settings(folder: str, rollouts: int) -> Settings:
    """The learner's hyper-parameters by Sample Factory's names."""
    p = PARAMETERS
    batch = p.environments * p.decisions
    return {
        "env": NAME, "train_dir": folder, "experiment": NAME, "device": "cpu",
        "serial_mode": True, "async_rl": False, "batched_sampling": True,
        "num_workers": 1, "num_envs_per_worker": 1, "worker_num_splits": 1,
        "rollout": p.decisions, "batch_size": p.minibatch,
        "num_batches_per_epoch": batch // p.minibatch, "num_epochs": p.epochs,
        "shuffle_minibatches": True, "use_rnn": False, "recurrence": 1,
        "encoder_mlp_layers": [p.hidden] * p.layers, "nonlinearity": "tanh",
        "actor_critic_share_weights": False, "normalize_input": False, "normalize_returns": False,
        "learning_rate": p.learning_rate, "gamma": p.gamma, "gae_lambda": p.gae_lambda,
        "ppo_clip_ratio": p.clip, "value_loss_coeff": p.critic_weight,
        "exploration_loss_coeff": p.entropy_bonus, "max_grad_norm": p.max_grad_norm,
        "reward_scale": p.reward_scale, "with_vtrace": False,
        "train_for_env_steps": (rollouts + 2) * batch, "save_every_sec": 10**6,
        "decorrelate_envs_on_one_worker": False, "log_to_file": False,
    }  # fmt: skip


def make(name: str, cfg: Any, env_config: Any, render_mode: str | None = None) -> Environments:
    """The environments; a process of Sample Factory's own looks at their spaces first."""
    _forward_attributes()
    return Environments(Sampled())


def _forward_attributes() -> None:
    """Wrappers of Gymnasium 1 no longer have what their environment has, which it relies on."""
    for name in ("is_multiagent", "num_agents"):
        forwarded = property(lambda wrapper, name=name: getattr(wrapper.env, name))
        setattr(BatchedListToDictWrapper, name, forwarded)


def main() -> None:
    rollouts = int(sys.argv[1])
    register_env(NAME, make)
    with tempfile.TemporaryDirectory(prefix="sample-factory-") as folder:
        arguments = [f"--env={NAME}"]
        parser, _ = parse_sf_args(argv=arguments)
        cfg = parse_full_cfg(parser, arguments)
        for name, value in settings(folder, rollouts).items():
            if not hasattr(cfg, name):
                raise SystemExit(f"Sample Factory has no setting {name}")
            setattr(cfg, name, value)
        torch.set_num_threads(1)
        run_rl(cfg)
    (cpu, wall), (cpu_end, wall_end) = BEGUN[1], BEGUN[rollouts + 1]
    size = PARAMETERS.environments * PARAMETERS.decisions
    print(json.dumps([rollouts * size, cpu_end - cpu, wall_end - wall]))


if __name__ == "__main__":
    main()
