"""Plays one environment of the real minedojo package for the env server.

Run by the Python of .venv-minedojo, hence no import of ours but the file beside it:

    player_process.py FILE_DESCRIPTOR

Over the socket come {"do": "make" | "reset" | "step" | "close", ...}; each is answered by one map:
{"seen": observation, "stat": the game's statistics}, {"refused": kind, "why": sentence} or
{"lost": sentence}, the last one when the instance ended or has stopped answering.
"""

import os
import socket
import sys
from typing import Any

from framed_msgpack import receive, send

# Whatever the package, Gradle or Minecraft print is for the log, which is standard error.
os.dup2(2, 1)

import numpy as np  # noqa: E402


class Player:
    def __init__(self):
        self.env: Any = None
        self.simulation: Any = None

    def make(self, asked):
        import minedojo  # pyright: ignore
        from minedojo.sim import InventoryItem  # pyright: ignore
        from minedojo.sim.bridge.mc_instance import InstanceManager  # pyright: ignore

        kwargs = dict(asked["kwargs"])
        kwargs["initial_inventory"] = [InventoryItem(*item) for item in asked["inventory"]] or None
        if kwargs.get("image_size"):
            kwargs["image_size"] = tuple(kwargs["image_size"])
        if kwargs.get("lidar_rays"):
            kwargs["lidar_rays"] = [tuple(ray) for ray in kwargs["lidar_rays"]]
        port = asked.get("port")
        if port is not None:
            try:
                InstanceManager.add_existing_instance(port)
            except AssertionError:
                return {"lost": f"nothing listens on port {port}"}
        self.env = minedojo.make("open-ended", **kwargs)  # pyright: ignore
        self.simulation = self.env.unwrapped
        self.simulation._bridge_env.SOCKTIME = float(asked["timeout"])
        return {}

    def reset(self, asked):
        # The world's seed is in the mission, which is written again for each full reset.
        for handler in self.simulation._sim_spec._world_generator_handlers:
            if hasattr(handler, "world_seed"):
                handler.world_seed = asked["seed"]
            if hasattr(handler, "force_reset"):
                handler.force_reset = True
        seen = self.env.reset()
        return {"seen": plain(seen), "stat": counted(self.simulation.prev_info)}

    def step(self, asked):
        seen, _, done, info = self.env.step(np.array(asked["action"]))
        if done:
            # Open-ended never ends by itself: the connection broke, or the game did not answer.
            return {"lost": "the game did not answer, or its connection broke"}
        return {"seen": plain(seen), "stat": counted(info)}


def counted(info):
    """The game's statistics that goals are judged by; what stands at 0 is left out."""
    stat = info.get("stat", {})
    used = stat.get("use_item", {}).get("minecraft", {})
    return {
        "kill_entity": {name: int(n) for name, n in stat.get("kill_entity", {}).items() if n},
        "use_item": {"minecraft": {name: int(n) for name, n in used.items() if n}},
        "time_since_death": int(stat.get("time_since_death", 0)),
    }


def plain(value):
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    array = np.asarray(value)
    if array.dtype.kind in "UO":
        return {"names": [str(name) for name in array.ravel()], "shape": list(array.shape)}
    return {
        "type": array.dtype.str,
        "shape": list(array.shape),
        "data": np.ascontiguousarray(array).tobytes(),
    }


def main():
    connection = socket.socket(fileno=int(sys.argv[1]))
    player = Player()
    while True:
        try:
            asked = receive(connection)
        except EOFError:
            break
        if asked["do"] == "close":
            break
        try:
            answer = {"make": player.make, "reset": player.reset, "step": player.step}[asked["do"]](
                asked
            )
        except (OSError, EOFError, RuntimeError) as error:
            answer = {"lost": f"{type(error).__name__}: {error}"}
        except Exception as error:
            answer = {"refused": type(error).__name__, "why": str(error)}
        send(connection, answer)
    # Instances that the package started go with it.
    if player.env is not None:
        player.env.close()
    os._exit(0)


if __name__ == "__main__":
    main()
