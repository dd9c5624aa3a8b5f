"""What is kept of a training: its state, checkpoints, trajectories, and folders of policies."""
