"""MineDojo's ``make()`` on the embedded world, without MineDojo::

    from voxeldojo.minedojo_api import make

    env = make("harvest_1_log", image_size=(160, 256))
    seen = env.reset()
    seen, reward, done, info = env.step(env.no_op())

`making.py` has ``make()``, `environment.py` the environment that it returns, and `simulation.py`
what is under it (``env.unwrapped``). `action_forms.py` translates actions, and `spawns.py` places
the mobs and ores of a task.
"""

from voxeldojo.game import NotInThisWorld
from voxeldojo.minedojo_api.environment import Environment
from voxeldojo.minedojo_api.making import make
from voxeldojo.minedojo_api.simulation import NotBegun, Simulation
from voxeldojo.tasks import InventoryItem

__all__ = ["Environment", "InventoryItem", "NotBegun", "NotInThisWorld", "Simulation", "make"]
