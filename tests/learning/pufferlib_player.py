"""python pufferlib_player.py FORM: steps PufferLib's vectors of a form's environments, as it comes,
and prints the outcome as JSON: for each backend how episodes ended, and whether it saw the same
when it was played again."""

import json
import sys
from typing import Any

import gymnasium
import numpy as np
from pufferlib import vector
from pufferlib.emulation import GymnasiumPufferEnv

import rlgpt  # noqa: F401 - registers the environments

STEPS = 200
SEEDS = [5, 6]


def creator(form: str, **arguments: Any) -> GymnasiumPufferEnv:
    """Planks are one choice away, and who is slow has ten steps for them."""
    return GymnasiumPufferEnv(
        env_creator=gymnasium.make,
        env_args=[f"rlgpt/HarvestLog-{form}-v0"],
        env_kwargs={
            "target": "planks",
            "inventory": {"log": 1},
            "actions": ["forward", "turn_left", "attack", "craft:planks"],
            "area": 32,
            "max_episode_steps": 10,
            **arguments,
        },
    )


def played(form: str, backend: type) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What was seen; and where episodes were terminated and truncated, (step, environment)."""
    environments = vector.make(creator, env_args=[form], num_envs=len(SEEDS), backend=backend)
    environments.async_reset(SEEDS)
    seen = [environments.recv()[0].copy()]
    ends: list[tuple[np.ndarray, np.ndarray]] = []
    chance = np.random.default_rng(0)
    for _ in range(STEPS):
        environments.send(chance.integers(4, size=len(SEEDS)))
        observations, _, terminated, truncated, *_ = environments.recv()
        seen.append(observations.copy())
        ends.append((terminated.copy(), truncated.copy()))
    environments.close()
    return np.array(seen), *map(np.array, zip(*ends, strict=True))


if __name__ == "__main__":
    told = {}
    firsts = []
    for backend in (vector.Serial, vector.Multiprocessing):
        first, again = played(sys.argv[1], backend), played(sys.argv[1], backend)
        firsts.append(first)
        told[backend.__name__] = {
            "shape": first[0].shape,
            "type": str(first[0].dtype),
            "terminated": first[1].sum(0).tolist(),
            "truncated": first[2].sum(0).tolist(),
            "same_again": all(map(np.array_equal, first, again)),
        }
    told["same_in_both"] = all(map(np.array_equal, *firsts))
    print(json.dumps(told))
