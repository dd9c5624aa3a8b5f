"""Crafter for the env server: the world itself, and what is seen of it (play.py)."""

from worlds.crafter.play.play import PLAY

__all__ = ["PLAY"]
