"""python -m benchmarks.training.sb3_player ROLLOUTS: Stable-Baselines3's PPO, in its own
environment of packages. Prints samples, seconds of CPU and seconds as JSON, the first rollout left
out."""

import json
import sys
import time
from typing import Any

import gymnasium
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from benchmarks.training.learners import PARAMETERS, Sampled


class Environments(VecEnv):
    """The session, which resets by itself, as a VecEnv."""

    def __init__(self, world: Sampled) -> None:
        self.world = world
        self._choices = np.zeros(world.size, np.int64)
        seen = gymnasium.spaces.Box(-np.inf, np.inf, (world.features,), np.float32)
        super().__init__(world.size, seen, gymnasium.spaces.Discrete(world.choices))

    def reset(self) -> Any:
        return np.array(self.world.opened.features)

    def step_async(self, actions: np.ndarray[Any, Any]) -> None:
        self._choices = actions

    def step_wait(self) -> Any:
        stepped = self.world.step(self._choices)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for index, row in enumerate(stepped.final_rows.tolist()):
            infos[row] = {
                "terminal_observation": stepped.final_features[index],
                "TimeLimit.truncated": bool(stepped.truncated[row]),
            }
        done = stepped.terminated | stepped.truncated
        return np.array(stepped.features), stepped.reward * PARAMETERS.reward_scale, done, infos

    def close(self) -> None:
        return None

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [None] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        return None

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **named: Any) -> Any:
        return [None] * self.num_envs

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs


class Times(BaseCallback):
    """When each rollout began."""

    def __init__(self) -> None:
        super().__init__()
        self.at: list[tuple[float, float]] = []

    def _on_rollout_start(self) -> None:
        self.at.append((time.thread_time(), time.perf_counter()))

    def _on_step(self) -> bool:
        return True


def main() -> None:
    torch.set_num_threads(1)
    p, rollouts = PARAMETERS, int(sys.argv[1])
    agent = PPO(
        "MlpPolicy",
        Environments(Sampled()),
        learning_rate=p.learning_rate,
        n_steps=p.decisions,
        batch_size=p.minibatch,
        n_epochs=p.epochs,
        gamma=p.gamma,
        gae_lambda=p.gae_lambda,
        clip_range=p.clip,
        ent_coef=p.entropy_bonus,
        vf_coef=p.critic_weight,
        max_grad_norm=p.max_grad_norm,
        policy_kwargs={"net_arch": [p.hidden] * p.layers},
        device="cpu",
    )
    times = Times()
    size = p.environments * p.decisions
    agent.learn((rollouts + 1) * size, callback=times)
    times.at.append((time.thread_time(), time.perf_counter()))
    (cpu, wall), (cpu_end, wall_end) = times.at[1], times.at[-1]
    print(json.dumps([rollouts * size, cpu_end - cpu, wall_end - wall]))


if __name__ == "__main__":
    main()
