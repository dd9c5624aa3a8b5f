"""The real MineDojo as a world: its package in an environment and in processes of its own."""

from nodes.env_server.worlds.minedojo.real_world import MineDojoWorld

__all__ = ["MineDojoWorld"]
