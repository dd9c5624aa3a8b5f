"""The real minedojo package on a Malmo server that already runs; runs in .venv-minedojo:

    minedojo_player.py PORT REPEATS SECONDS

A line of JSON for each row: {"name", "values"}. The server shares the core.
"""

import copy
import json
import sys
import time

import minedojo
import minedojo.tasks as tasks
import numpy as np
from minedojo.sim.bridge.mc_instance import InstanceManager


def main():
    port, repeats, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    specs = copy.deepcopy(tasks.ALL_TASKS_SPECS)
    for size in ((16, 16), (160, 256)):
        # Making a task takes its spec apart in wheel 0.1.
        tasks.ALL_TASKS_SPECS.update(copy.deepcopy(specs))
        InstanceManager.add_existing_instance(port)
        env = minedojo.make("harvest_1_diamond", image_size=size, world_seed="7")
        env.reset()
        chance = np.random.default_rng(1)
        values = []
        for _ in range(repeats):
            steps, start = 0, time.perf_counter()
            while time.perf_counter() - start < seconds:
                action = env.action_space.no_op()
                action[0] = chance.integers(0, 3)
                action[4] = chance.integers(11, 14)
                action[5] = chance.choice([0, 3])
                env.step(action)
                steps += 1
            values.append(steps / (time.perf_counter() - start))
        env.close()
        name = f"minedojo 0.1 on our Malmo server, picture {size[0]}x{size[1]}, one world"
        print(json.dumps({"name": name, "values": values}), flush=True)


if __name__ == "__main__":
    main()
