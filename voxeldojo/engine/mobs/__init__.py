"""Mobs: what they are, how they move and behave, what they do to the player and he to them."""
