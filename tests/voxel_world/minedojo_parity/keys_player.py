"""Presses the keys of event_level_control=False through the real package's simulator.

Runs in MineDojo's own environment (`make minedojo`):

    keys_player.py PORT

Prints a line of JSON for each step: the hot bar's names, the bag's first slot and what is in the
hand by the game's own count.
"""

import json
import sys

from minedojo.sim import InventoryItem, MineDojoSim
from minedojo.sim.bridge.mc_instance import InstanceManager

KIT = [("mainhand", "dirt"), (2, "iron_sword"), (3, "log"), (9, "stone")]
STEPS = [
    {},
    {"hotbar.3": 1},
    {"hotbar.4": 1},
    {"swap_slot": {"source_slot": 0, "target_slot": 9}},
    {"drop": 1},
    {"hotbar.1": 1, "pickItem": 1},
]


def main(port):
    InstanceManager.add_existing_instance(port)
    sim = MineDojoSim(
        image_size=(16, 32),
        world_seed="5",
        event_level_control=False,
        initial_inventory=[InventoryItem(slot, name, 0, 1) for slot, name in KIT],
    )
    sim.reset()
    for pressed in STEPS:
        action = sim.action_space.no_op()
        action.update(pressed)
        seen, _, _, info = sim.step(action)
        names = seen["inventory"]["name"].tolist()
        told = {"slots": names[:5], "bag": names[9], "hand": info["current_item_index"]}
        print(json.dumps(told), flush=True)
    sim.close()


main(int(sys.argv[1]))
