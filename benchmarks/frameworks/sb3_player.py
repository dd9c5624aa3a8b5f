"""python sb3_player.py ID SAMPLES: Stable-Baselines3's PPO with the sizes of CleanRL's ppo.py."""

import sys
import time

from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

batch = make_vec_env(sys.argv[1], n_envs=4, seed=1)
agent = PPO(
    "MlpPolicy",
    batch,
    learning_rate=2.5e-4,
    n_steps=128,
    batch_size=128,
    n_epochs=4,
    ent_coef=0.01,
    device="cpu",
)
began = time.perf_counter()
agent.learn(int(sys.argv[2]))
print(f"SPS: {agent.num_timesteps / (time.perf_counter() - began):.0f}")
