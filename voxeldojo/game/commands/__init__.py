"""Minecraft 1.11.2's chat commands, as far as MineDojo and PKU's MCEnv give them."""

from voxeldojo.game.commands.perform import perform

__all__ = ["perform"]
