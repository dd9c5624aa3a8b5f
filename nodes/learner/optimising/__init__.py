"""How a policy changes: PPO by TorchRL, by hand and for sequences, cloning and imitation."""
