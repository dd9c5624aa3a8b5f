"""The chat commands of Minecraft 1.11.2 that MineDojo and PKU's MCEnv use."""

from voxeldojo.game.commands.perform import perform

__all__ = ["perform"]
