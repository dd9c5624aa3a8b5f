"""A world of one dimension: a tree stands north of the player, who walks, turns and digs.

The tree is 3 + seed % 4 metres away. Five attacks on it in a row give a log. Sneaking is deadly.
"""

from typing import Any

import numpy as np

from voxeldojo.rules import block_names, item_names
from voxeldojo.world_interface import Bools, Floats, Ints, World

WOOD, LOG = block_names.index("wood"), item_names.index("log")
GROUND = block_names.index("grass block")


class FakeWorld(World):
    def __init__(self, size: int) -> None:
        self.size = size
        self.block_names, self.item_names = block_names, item_names
        self.z = np.zeros(size, np.float32)
        self.tree = np.zeros(size, np.float32)
        self.yaw = np.zeros(size, np.float32)
        self.alive = np.ones(size, bool)
        self.dug = np.zeros(size, np.int64)
        self.ids = np.zeros((size, 36), np.int64)
        self.quantities = np.zeros((size, 36), np.int64)
        self.stepped = 0
        self.actions: list[np.ndarray] = []
        self.closed = False

    def reset(self, environments: Ints, seeds: Ints) -> None:
        for row, seed in zip(environments.tolist(), seeds.tolist(), strict=True):
            self.z[row], self.tree[row], self.yaw[row] = 0, 3 + seed % 4, 0
            self.alive[row], self.dug[row] = True, 0
            self.ids[row] = self.quantities[row] = 0

    def _wood_ahead(self) -> Floats:
        return np.where(self.yaw == 0, self.tree - self.z, np.float32(99)).astype(np.float32)

    def step(self, actions: Ints, active: Bools) -> None:
        self.stepped += int(active.sum())
        self.actions.append(actions.copy())
        near = self._wood_ahead() <= 4.5
        for row in np.flatnonzero(active):
            move, _, gait, _, yaw, act, _, slot = actions[row].tolist()
            if act in (5, 6, 7) and not self.ids[row, slot]:
                raise ValueError("empty slot")
            if gait == 2:
                self.alive[row] = False
            self.yaw[row] = (self.yaw[row] + 15 * (yaw - 12) + 180) % 360 - 180
            if move == 1 and self.yaw[row] == 0:
                self.z[row] = min(self.z[row] + 0.25, self.tree[row] - 1)
            self.dug[row] = self.dug[row] + 1 if act == 3 and near[row] else 0
            if self.dug[row] == 5:
                self.dug[row] = 0
                self.ids[row, 0], self.quantities[row, 0] = LOG, self.quantities[row, 0] + 1
            if act == 7:
                self.ids[row, slot] = self.quantities[row, slot] = 0

    def inventory(self) -> tuple[Ints, Ints]:
        return self.ids, self.quantities

    def voxels(self, radius: int = 1, environments: Ints | None = None) -> Ints:
        n = 2 * radius + 1
        found = np.zeros((self.size, n, n, n), np.int64)
        found[:, :, 0] = GROUND
        beside = np.flatnonzero(self.tree - self.z <= 1)
        found[beside, radius, radius, radius + 1] = WOOD
        return found if environments is None else found[environments]

    def rays(
        self, pitch_yaw: Floats, reach: float, environments: Ints | None = None
    ) -> tuple[Ints, Floats]:
        offset = (self.yaw[:, None] + np.degrees(pitch_yaw[None, :, 1]) + 180) % 360 - 180
        level = np.abs(pitch_yaw[None, :, 0]) < 0.01
        distance = (self.tree - self.z)[:, None]
        hit = (np.abs(offset) < 0.1) & level & (distance <= reach)
        ids = np.where(hit, WOOD, 0)
        rows = slice(None) if environments is None else environments
        return ids[rows], np.where(hit, distance, reach).astype(np.float32)[rows]

    def location(self) -> tuple[Floats, Floats, Floats]:
        position = np.zeros((self.size, 3), np.float32)
        position[:, 1], position[:, 2] = 64, self.z
        return position, self.yaw, np.zeros(self.size, np.float32)

    def life(self) -> tuple[Floats, Floats]:
        return np.where(self.alive, 20, 0).astype(np.float32), np.full(self.size, 20, np.float32)

    def status(self, environments: Ints | None = None) -> dict[str, Any]:
        """By the tree one can work at a table."""
        beside = self.tree - self.z <= 1
        none = np.zeros(self.size, bool)
        seen = {
            "oxygen": np.full(self.size, 300, np.float32), "table": beside, "furnace": none,
            "equipment": np.zeros((self.size, 6), np.int64),
        }  # fmt: skip
        return seen if environments is None else {k: v[environments] for k, v in seen.items()}

    def worn(self) -> tuple[Ints, Ints]:
        return np.zeros((self.size, 5), np.int64), np.zeros((self.size, 5), np.int64)

    def whereabouts(self) -> tuple[Ints, Ints]:
        return np.full(self.size, 4), np.zeros(self.size, np.int64)  # a forest

    def light(self, environments: Ints | None = None) -> Floats:
        rows = range(self.size) if environments is None else environments
        return np.full(len(rows), 15, np.float32)

    def masks(self) -> dict[str, Bools]:
        held = self.ids > 0
        craft = np.zeros((self.size, 244), bool)
        craft[:, 29] = held.any(1)  # planks, from a log
        types = np.ones((self.size, 8), bool)
        types[:, 4] = craft.any(1)
        types[:, 5:] = np.any(held, axis=1, keepdims=True)
        return {
            "action_type": types, "craft_smelt": craft, "equip": held,
            "place": np.zeros_like(held), "destroy": held,
        }  # fmt: skip

    def rgb(self, environment: int, height: int, width: int) -> np.ndarray:
        return np.full((3, height, width), 40 + int(self.z[environment] * 10), np.uint8)

    def observation(self, environment: int) -> dict[str, Any]:
        return {}

    def close(self) -> None:
        self.closed = True
