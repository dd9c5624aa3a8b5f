"""Compiles every kernel of the embedded world, so that no run has to wait for it later.

python -m nodes.env_server.worlds.embedded
"""

import time

import numpy as np

from messages.world import Condition, Task
from models.actions import PRIMITIVES
from nodes.env_server.worlds.embedded import EmbeddedWorld


def main() -> None:
    start = time.perf_counter()
    task = Task(id="compile", prompt="", success=Condition(kind="have", name="log"))
    world = EmbeddedWorld(1, task, area=32, use_lidar=True)
    world.reset(np.zeros(1, np.int64), np.zeros(1, np.int64))
    world.step(np.array([PRIMITIVES["attack"]]), np.ones(1, np.bool_))
    world.inventory()
    world.voxels()
    world.voxels(1, np.zeros(1, np.int64))
    world.rays(np.zeros((1, 2), np.float32), 4.5)
    world.mobs(np.zeros((1, 2), np.float32), 4.5)
    world.status()
    world.light()
    world.location()
    world.life()
    world.masks()
    world.observation(0)
    print(f"the embedded world is compiled ({time.perf_counter() - start:.1f} s)")


if __name__ == "__main__":
    main()
