"""Minecraft for the env server: its worlds, and what is seen and done in them (game.py)."""

from worlds.minecraft.play.game import PLAY

__all__ = ["PLAY"]
