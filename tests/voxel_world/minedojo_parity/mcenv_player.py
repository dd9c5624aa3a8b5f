"""Resets an environment of PKU's MCEnv again and again, which teleports by /execute.

Runs in MineDojo's own environment (`make minedojo`) with a checkout of MCEnv before it on the path:

    mcenv_player.py PORT RESETS

Prints a line of JSON: where its package is, and the places where the player stood.
"""

import json
import random
import sys

import minedojo
from minedojo.sim.bridge.mc_instance import InstanceManager


def main(port, resets):
    InstanceManager.add_existing_instance(port)
    random.seed(3)
    env = minedojo.make(
        "harvest",
        target_names="log",
        target_quantities=1,
        image_size=(16, 32),
        world_seed="5",
        specified_biome="forest",
        fast_reset=True,
        fast_reset_random_teleport_range_low=20,
        fast_reset_random_teleport_range_high=40,
    )
    places = []
    for _ in range(resets):
        seen = env.reset()
        seen, *_ = env.step(env.action_space.no_op())
        places.append(seen["location_stats"]["pos"].tolist())
    env.close()
    print(json.dumps({"package": minedojo.__file__, "places": places}))


main(int(sys.argv[1]), int(sys.argv[2]))
