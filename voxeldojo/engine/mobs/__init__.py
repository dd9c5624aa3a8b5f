"""Mobs: what they are, how they move and behave, what they and the player do to each other."""
