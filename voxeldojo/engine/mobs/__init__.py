"""Mobs: their kinds, movement and behaviour, and fights between them and the player."""
