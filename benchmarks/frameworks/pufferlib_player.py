"""python pufferlib_player.py ID STEPS: how fast PufferLib steps four environments in its process,
with random actions. Its release has no training of its own."""

import sys
import time

import gymnasium
import numpy as np
from pufferlib import vector
from pufferlib.emulation import GymnasiumPufferEnv

ENVIRONMENTS = 4
steps = int(sys.argv[2]) // ENVIRONMENTS
environments = vector.make(
    GymnasiumPufferEnv,
    env_kwargs={"env_creator": gymnasium.make, "env_args": [sys.argv[1]]},
    num_envs=ENVIRONMENTS,
    backend=vector.Serial,
)
environments.async_reset(1)
environments.recv()
actions = np.random.default_rng(1).integers(
    environments.single_action_space.n, size=(steps, ENVIRONMENTS)
)
began = time.perf_counter()
for chosen in actions:
    environments.send(chosen)
    environments.recv()
print(f"SPS: {steps * ENVIRONMENTS / (time.perf_counter() - began):.0f}")
