"""Minecraft for the env server: its worlds, and what is seen and done in them (play.py)."""

from worlds.minecraft.play.play import PLAY

__all__ = ["PLAY"]
