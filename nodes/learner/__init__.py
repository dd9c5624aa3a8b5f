"""The learner: trains policies with PPO on training specs, keeps them, and lets them act."""
