"""python batch_player.py ID STEPS ENVIRONMENTS: how fast the batch of environments steps by itself,
with random actions."""

import sys
import time

import gymnasium
import numpy as np

steps, environments = int(sys.argv[2]) // int(sys.argv[3]), int(sys.argv[3])
batch = gymnasium.make_vec(sys.argv[1], num_envs=environments)
batch.reset(seed=1)
actions = np.random.default_rng(1).integers(
    batch.single_action_space.n,  # type: ignore[attr-defined]
    size=(steps, environments),
)
began = time.perf_counter()
for chosen in actions:
    batch.step(chosen)
print(f"SPS: {steps * environments / (time.perf_counter() - began):.0f}")
