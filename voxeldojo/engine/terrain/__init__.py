"""The overworld from a seed, endless: its ground, what grows on it, and the window that is held."""
