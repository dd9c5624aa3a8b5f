"""What a batch of worlds consists of: one set of arrays, the first axis being the environment.

Blocks lie in columns, ``blocks[environment, x, z, y]``, so that filling a column is one run of
memory. A world's coordinates are its array indices: 0 <= x, z < area and 0 <= y < height.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

HEIGHT = 128
SEA_LEVEL = 63
SLOTS = 41  # 0 main hand, 1..8 hotbar, 9..35 inventory, 36..39 feet legs chest head, 40 offhand
DROPS = 64  # item entities at a time; the oldest makes room
PLACED = 32  # crafting tables and furnaces that were put down in this episode
CHANGES = 8192  # changed blocks that are remembered; beyond that a reset generates anew
HALF_WIDTH = 0.3
BODY_HEIGHT = 1.8
EYES = 1.62
REACH = 4.5  # metres from the eyes, survival mode
BREAK_DELAY = 5  # ticks of rest after a block broke

PLAYER = np.dtype(
    [
        ("x", "f8"),
        ("y", "f8"),
        ("z", "f8"),
        ("vx", "f8"),  # metres per tick
        ("vy", "f8"),
        ("vz", "f8"),
        ("yaw", "f8"),  # degrees, -180..180
        ("pitch", "f8"),  # degrees, + is down
        ("life", "f8"),
        ("food", "f8"),
        ("saturation", "f8"),
        ("fall", "f8"),  # metres fallen so far
        ("dig", "f8"),  # how far the block under the crosshair is broken, 0..1
        ("spawn_x", "f8"),
        ("spawn_y", "f8"),
        ("spawn_z", "f8"),
        ("seed", "u8"),
        ("random", "u8"),  # state of the episode's own random numbers
        ("ticks", "i8"),
        ("dig_x", "i4"),
        ("dig_y", "i4"),
        ("dig_z", "i4"),
        ("digging", "i4"),
        ("rest", "i4"),
        ("jump_rest", "i4"),
        ("ground", "i4"),
        ("sprinting", "i4"),
        ("regeneration", "i4"),
        ("burn", "i4"),  # ticks of fuel left over from the last smelting
        ("changes", "i4"),
        ("placed", "i4"),
        ("crafting", "i4"),  # craft argument of the last action, -1 if it was another action
        ("allowed", "i4"),  # 1: the craft mask allowed it
        ("ceiling", "i4"),  # there is nothing but air above this y
        ("fresh", "i4"),  # 1: no action was taken yet in this episode
    ],
    align=True,
)
SLOT = np.dtype([("item", "i4"), ("count", "i4"), ("variant", "i4"), ("wear", "i4")], align=True)
DROP = np.dtype(
    [
        ("x", "f8"),
        ("y", "f8"),
        ("z", "f8"),
        ("vx", "f8"),
        ("vy", "f8"),
        ("vz", "f8"),
        ("item", "i4"),
        ("count", "i4"),  # 0: no entity here
        ("variant", "i4"),
        ("wear", "i4"),
        ("age", "i4"),
        ("wait", "i4"),  # ticks until it can be picked up
        ("ground", "i4"),
        ("unused", "i4"),
    ],
    align=True,
)
CHANGE = np.dtype([("x", "i2"), ("y", "i2"), ("z", "i2"), ("block", "u1"), ("meta", "u1")])
TOOL = np.dtype([("x", "i2"), ("y", "i2"), ("z", "i2"), ("block", "i2")])


class State(NamedTuple):
    blocks: NDArray[np.uint8]  # (B, area, area, HEIGHT) Minecraft block ids
    meta: NDArray[np.uint8]  # (B, area, area, HEIGHT) Minecraft block metadata
    ground: NDArray[np.uint8]  # (B, area, area) y of the ground as it was generated
    players: NDArray[np.void]  # (B,) PLAYER
    slots: NDArray[np.void]  # (B, SLOTS) SLOT
    before: NDArray[np.void]  # (B, SLOTS) SLOT as they were before the last action
    drops: NDArray[np.void]  # (B, DROPS) DROP
    changes: NDArray[np.void]  # (B, CHANGES) CHANGE, in order
    placed: NDArray[np.void]  # (B, PLACED) TOOL


def new_state(size: int, area: int) -> State:
    return State(
        blocks=np.zeros((size, area, area, HEIGHT), np.uint8),
        meta=np.zeros((size, area, area, HEIGHT), np.uint8),
        ground=np.zeros((size, area, area), np.uint8),
        players=np.zeros(size, PLAYER),
        slots=np.zeros((size, SLOTS), SLOT),
        before=np.zeros((size, SLOTS), SLOT),
        drops=np.zeros((size, DROPS), DROP),
        changes=np.zeros((size, CHANGES), CHANGE),
        placed=np.zeros((size, PLACED), TOOL),
    )
