"""The real MineDojo as a world: its package in an environment and in processes of its own."""

from worlds.minecraft.play.minedojo.real_world import MineDojoWorld

__all__ = ["MineDojoWorld"]
