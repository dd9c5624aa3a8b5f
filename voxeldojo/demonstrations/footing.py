"""The ground for the scripted player: which cells can be walked through, dug, stood on."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from voxeldojo.demonstrations.player import BLOCK_IDS, Cell, Player
from voxeldojo.rules import BLOCKS

WATER = frozenset(BLOCK_IDS[name] for name in ("water", "flowing_water"))
LAVA = frozenset(BLOCK_IDS[name] for name in ("lava", "flowing_lava"))
HARMFUL = LAVA | {BLOCK_IDS[name] for name in ("fire", "cactus", "magma")}
FALLING = frozenset(BLOCK_IDS[name] for name in ("sand", "gravel"))
SLOW = 4.0  # cost of a step in water


class Ground:
    """A copy of a box of blocks around a place; cells are world coordinates."""

    def __init__(self, player: Player, centre: Cell, reach: int) -> None:
        state, body = player.world.state, player.body
        area, height = state.blocks.shape[1], state.blocks.shape[3]
        low_x, low_z = int(body["west"]), int(body["north"])
        self.x0 = max(low_x, centre[0] - reach)
        self.z0 = max(low_z, centre[2] - reach)
        self.x1 = min(low_x + area, centre[0] + reach + 1)
        self.z1 = min(low_z + area, centre[2] + reach + 1)
        self.height = height
        columns_x = np.arange(self.x0, self.x1) & (area - 1)
        columns_z = np.arange(self.z0, self.z1) & (area - 1)
        self.blocks: NDArray[np.uint8] = state.blocks[0][np.ix_(columns_x, columns_z)]
        self._bytes = self.blocks.tobytes()
        self._width = self.z1 - self.z0

    def block(self, x: int, y: int, z: int) -> int:
        """The block id; -1 outside the box."""
        if not (self.x0 <= x < self.x1 and self.z0 <= z < self.z1):
            return -1
        if not 0 <= y < self.height:
            return 0 if y > 0 else 7
        return self._bytes[((x - self.x0) * self._width + z - self.z0) * self.height + y]

    def cells_of(self, blocks: Collection[int]) -> NDArray[np.int64]:
        """Every cell (n, 3) with one of these blocks."""
        wanted = np.zeros(256, np.bool_)
        wanted[list(blocks)] = True
        found = np.argwhere(wanted[self.blocks])
        return found[:, [0, 2, 1]] + np.array([self.x0, 0, self.z0])


class Costs:
    """The cost of freeing a cell, by its block: 0 if it is free, else the ticks of digging; None if
    it cannot be freed."""

    def __init__(self, player: Player, may_dig: bool = True) -> None:
        rules, state = player.world.rules, player.world.state
        tools = {0, *(int(item) for item in state.slots[0]["item"][:36] if item)}
        self.dig: list[float | None] = [None] * 256
        self.solid = [False] * 256
        self.water = [False] * 256
        for block in BLOCKS:
            entry = rules.block[block.id]
            self.solid[block.id] = bool(entry["height"] >= 0.5)
            self.water[block.id] = block.id in WATER
            if block.id in HARMFUL:
                continue
            if entry["height"] <= 0.0:
                self.dig[block.id] = SLOW if block.id in WATER else 0.0
            elif may_dig and entry["hardness"] >= 0.0:
                rates = [
                    float(rules.speeds[tool, entry["material"]])
                    / (30.0 if rules.harvests[tool, block.id] else 100.0)
                    for tool in tools
                ]
                ticks = max(1.0, float(entry["hardness"]) / max(rates))
                self.dig[block.id] = (ticks + 6.0) * (3.0 if block.id in FALLING else 1.0)
