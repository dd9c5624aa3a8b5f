"""A flat world where tests put single blocks. The player is at (16.5, 64, 16.5), facing +z."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from voxeldojo.actions import PRIMITIVES, action
from voxeldojo.engine import EmbeddedWorld
from voxeldojo.engine.state import FLAT
from voxeldojo.engine.terrain.window import load
from voxeldojo.rules import BLOCKS, item_id

FLOOR = 64  # y of the player's feet
BLOCK_IDS = {block.name: block.id for block in BLOCKS}


def whole_state(world: EmbeddedWorld) -> list[bytes]:
    """All that a batch of worlds holds."""
    return [part.tobytes() for part in world.state]


def embedded(size: int = 1, options: dict[str, Any] | None = None, **fields: Any) -> EmbeddedWorld:
    return EmbeddedWorld(size, **fields, **{"area": 32, **(options or {})})


class Arena:
    """One environment on a plate of stone, without anything on it."""

    def __init__(self, options: dict[str, Any] | None = None, **fields: Any) -> None:
        self.world = embedded(1, options, **fields)
        self.world.reset(np.zeros(1, np.int64), np.zeros(1, np.int64))
        state = self.world.state
        self.player = state.players[0:1]
        # Whatever the window moves to is a plate of stone, too.
        state.settings["generator"] = FLAT
        state.layers[0] = 0
        state.layers[0, 0, 0] = BLOCK_IDS["bedrock"]
        state.layers[0, 0, 1:FLOOR] = BLOCK_IDS["stone"]
        load(state, self.world.rules, 0, 16, 16)
        for name in ("spawn_x", "spawn_z"):
            self.player[name] = 16.5
        self.player["spawn_y"] = FLOOR
        self.player["ceiling"] = 100
        self.stand(16.5, FLOOR, 16.5)

    def stand(self, x: float, y: float, z: float, yaw: float = 0.0, pitch: float = 0.0) -> None:
        for name, value in zip(("x", "y", "z", "yaw", "pitch"), (x, y, z, yaw, pitch), strict=True):
            self.player[name] = value
        self.player["ground"] = y == FLOOR
        self.player["vy"] = -0.0784  # as of one who stands

    def put(self, x: int, y: int, z: int, block: str, meta: int = 0) -> None:
        self.world.state.blocks[0, x, z, y] = BLOCK_IDS[block]
        self.world.state.meta[0, x, z, y] = meta

    def block(self, x: int, y: int, z: int) -> str:
        number = int(self.world.state.blocks[0, x, z, y])
        return next(name for name, value in BLOCK_IDS.items() if value == number)

    def hold(self, name: str, count: int = 1, slot: int = 0) -> None:
        entry = self.world.state.slots[0, slot : slot + 1]
        entry["item"], entry["count"] = item_id(name), count

    def do(self, name: str | tuple[int, ...], times: int = 1) -> None:
        vector = PRIMITIVES[name] if isinstance(name, str) else name
        for _ in range(times):
            self.world.step(np.array([vector]), np.ones(1, np.bool_))

    def craft(self, name: str) -> None:
        from voxeldojo.rules import craft_index

        self.do(action(function="craft", argument=craft_index(name)))

    def place(self, slot: int) -> None:
        self.do(action(function="place", slot=slot))

    @property
    def position(self) -> NDArray[np.float32]:
        return self.world.location()[0][0].copy()

    @property
    def life(self) -> float:
        return float(self.world.life()[0][0])

    def have(self, name: str) -> int:
        items, counts = self.world.inventory()
        return int(counts[0][items[0] == item_id(name)].sum())

    def slot_of(self, name: str) -> int:
        return int(np.flatnonzero(self.world.inventory()[0][0] == item_id(name))[0])
