"""MineDojo's ``make()`` on the embedded world, without MineDojo.

from nodes.env_server.minedojo_api import make

env = make("harvest_1_log", image_size=(160, 256))
seen = env.reset()
seen, reward, done, info = env.step(env.no_op())
"""

from models.tasks import InventoryItem
from nodes.env_server.game import NotInThisWorld
from nodes.env_server.minedojo_api.environment import Environment
from nodes.env_server.minedojo_api.making import make
from nodes.env_server.minedojo_api.simulation import NotBegun, Simulation

__all__ = ["Environment", "InventoryItem", "NotBegun", "NotInThisWorld", "Simulation", "make"]
