"""Those of Minecraft 1.11.2's chat commands that MineDojo and PKU's MCEnv use."""

from voxeldojo.game.commands.perform import perform

__all__ = ["perform"]
