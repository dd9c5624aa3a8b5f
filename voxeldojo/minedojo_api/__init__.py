"""MineDojo's ``make()`` on the embedded world, without MineDojo.

from voxeldojo.minedojo_api import make

env = make("harvest_1_log", image_size=(160, 256))
seen = env.reset()
seen, reward, done, info = env.step(env.no_op())
"""

from voxeldojo.game import NotInThisWorld
from voxeldojo.minedojo_api.environment import Environment
from voxeldojo.minedojo_api.making import make
from voxeldojo.minedojo_api.simulation import NotBegun, Simulation
from voxeldojo.tasks import InventoryItem

__all__ = ["Environment", "InventoryItem", "NotBegun", "NotInThisWorld", "Simulation", "make"]
