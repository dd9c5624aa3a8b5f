"""What a program sees: one environment at one step, read-only, computed when it is asked for.

Everything comes from the World interface, so a program knows no more than a MineDojo agent.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from models.features import ARM_REACH
from models.rules import CRAFTS
from nodes.env_server.readings import PROGRAM_GRID, Readings, inventory_of, nearest_target


class Ray(NamedTuple):
    """What one ray from the eyes hit; angles in degrees relative to the line of sight."""

    pitch: float
    yaw: float
    block: str
    distance: float


class Observations:
    """All environments of a batch at one step; copies of what programs may look at later."""

    def __init__(self, readings: Readings, wanted: frozenset[str]) -> None:
        """``wanted``: the fields that the programs that will get these observations use."""
        self._readings = readings
        self._current = True
        self._rays: dict[int, tuple[Ray, ...]] = {}
        self._held: dict[int, Mapping[str, int]] = {}
        self._craftable: dict[int, tuple[str, ...]] = {}
        self.blocks = readings.world.block_names
        self.items = readings.world.item_names
        if wanted & {"position", "yaw", "pitch"}:
            position, yaw, pitch = readings.location()
            self.position, self.yaw, self.pitch = position.copy(), yaw.copy(), pitch.copy()
        if wanted & {"life", "food"}:
            life, food = readings.life()
            self.life, self.food = life.copy(), food.copy()
        if "inventory" in wanted:
            ids, quantities = readings.inventory()
            self.inventory = ids.copy(), quantities.copy()
        if wanted & {"facing", "facing_distance"}:
            self.facing = readings.facing()
        if "block" in wanted:
            self.voxels = readings.voxels().copy()

    def expire(self) -> None:
        """The world moves on: what was not kept can no longer be read."""
        self._current = False

    def row(self, environment: int, steps: int) -> "Observation":
        return Observation(self, environment, steps)

    def rays(self, environment: int) -> tuple[Ray, ...]:
        found = self._rays.get(environment)
        if found is None:
            ids, distances = self._now("rays").wide()
            names = self.blocks
            found = self._rays[environment] = tuple(
                Ray(pitch, yaw, names[block], distance)
                for (pitch, yaw), block, distance in zip(
                    PROGRAM_GRID,
                    ids[environment].tolist(),
                    distances[environment].tolist(),
                    strict=True,
                )
            )
        return found

    def nearest(self, environment: int, block: str) -> tuple[float, float, float] | None:
        ids, distances = self._now("rays").wide()
        try:
            number = self.blocks.index(block)
        except ValueError:
            return None
        hits = np.flatnonzero(ids[environment] == number).tolist()
        if not hits or not number:
            return None
        return nearest_target(
            [PROGRAM_GRID[hit] for hit in hits], distances[environment, hits].tolist()
        )

    def craftable(self, environment: int) -> tuple[str, ...]:
        found = self._craftable.get(environment)
        if found is None:
            mask = self._now("craftable").masks()["craft_smelt"][environment]
            found = tuple(CRAFTS[index].item for index in np.flatnonzero(mask).tolist())
            self._craftable[environment] = found
        return found

    def held(self, environment: int) -> Mapping[str, int]:
        found = self._held.get(environment)
        if found is None:
            ids, quantities = self.inventory
            held = inventory_of(self.items, ids[environment], quantities[environment])
            found = self._held[environment] = MappingProxyType(held)
        return found

    def _now(self, what: str) -> Readings:
        if not self._current:
            raise RuntimeError(f"{what} of an earlier observation: read it before the next action")
        return self._readings


class Observation:
    """One environment at one step. Programs cannot assign attributes, so it is read-only.

    Its fields stay when the world moves on, but for ``rays`` and ``craftable``: they cost more than
    the step itself, so they are computed when read, which must be before the next step.
    """

    __slots__ = ("_all", "_row", "steps")

    def __init__(self, observations: Observations, row: int, steps: int) -> None:
        self._all = observations
        self._row = row
        self.steps = steps

    @property
    def position(self) -> tuple[float, float, float]:
        x, y, z = self._all.position[self._row].tolist()
        return (x, y, z)

    @property
    def yaw(self) -> float:
        return float(self._all.yaw[self._row])

    @property
    def pitch(self) -> float:
        return float(self._all.pitch[self._row])

    @property
    def life(self) -> float:
        return float(self._all.life[self._row])

    @property
    def food(self) -> float:
        return float(self._all.food[self._row])

    @property
    def inventory(self) -> Mapping[str, int]:
        return self._all.held(self._row)

    @property
    def facing(self) -> str:
        return self._all.blocks[int(self._all.facing[0][self._row])]

    @property
    def facing_distance(self) -> float:
        ids, distances = self._all.facing
        return float(distances[self._row]) if ids[self._row] else ARM_REACH

    @property
    def rays(self) -> tuple[Ray, ...]:
        return self._all.rays(self._row)

    @property
    def craftable(self) -> tuple[str, ...]:
        return self._all.craftable(self._row)

    def block(self, dx: int, dy: int, dz: int) -> str:
        """The block at an offset of -1, 0 or 1 from the feet."""
        for offset in (dx, dy, dz):
            if type(offset) is not int or not -1 <= offset <= 1:
                raise ValueError(f"block takes offsets of -1, 0 and 1, not {offset!r:.20}")
        return self._all.blocks[int(self._all.voxels[self._row, dx + 1, dy + 1, dz + 1])]

    def __repr__(self) -> str:
        return f"<observation at step {self.steps}>"


def nearest(obs: Any, block: Any) -> tuple[float, float, float] | None:
    """(yaw offset, pitch offset, distance) of the nearest block of that name that the rays see."""
    if type(obs) is not Observation or type(block) is not str:
        raise TypeError('nearest takes an observation and a block\'s name: nearest(obs, "wood")')
    return obs._all.nearest(obs._row, block)
