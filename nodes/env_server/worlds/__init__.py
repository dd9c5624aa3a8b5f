"""The worlds that an env server can step, all behind one interface."""

from nodes.env_server.worlds.errors import WorldError
from nodes.env_server.worlds.registry import KINDS, make_world
from nodes.env_server.worlds.world import World

__all__ = ["KINDS", "World", "WorldError", "make_world"]
