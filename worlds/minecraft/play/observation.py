"""What a program sees: one environment at one step, read-only, computed when it is asked for.

Everything comes from the World interface, so a program knows no more than a MineDojo agent.
"""

from collections.abc import Mapping, Set
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from voxeldojo.names import near
from voxeldojo.rules import CRAFTS
from voxeldojo.rules.mobs import entity_names, mob_names
from worlds.minecraft.card.features import ARM_REACH
from worlds.minecraft.play.readings import (
    FAR,
    FAR_GRID,
    MOB_GRID,
    PROGRAM_GRID,
    Readings,
    inventory_of,
    nearest_target,
)
from worlds.minecraft.play.routes import route as route_to
from worlds.runtime import Worked

RADIUS = 8  # blocks around the feet
_CUBES = (1, 2, 4, RADIUS)  # radii that are read: the smallest that has the block
_ROUTE_CELL = 16  # elements that a cell of a search for a way counts as: it takes up to 50 us
_STATUS = frozenset({"oxygen", "held", "equipment", "nearby_table", "nearby_furnace"})
_FAR_BINS = [place for place, (_, yaw) in enumerate(FAR_GRID) if yaw % 15.0 == 0.0]
_ENTITIES = ["", *entity_names[1:]]
_MOBS = {name: number for names in (mob_names, entity_names) for number, name in enumerate(names)}


class Ray(NamedTuple):
    """What one ray from the eyes hit; angles in degrees relative to the line of sight."""

    pitch: float
    yaw: float
    block: str
    distance: float
    entity: str
    entity_distance: float


class Observations:
    """All environments of a batch at one step; copies of what programs may look at later."""

    def __init__(self, readings: Readings, wanted: frozenset[str]) -> None:
        """``wanted``: the fields that the programs that will get these observations use."""
        self._readings = readings
        self._current = True
        self._rays: dict[int, tuple[Ray, ...]] = {}
        self._held: dict[int, Mapping[str, int]] = {}
        self._craftable: dict[int, tuple[str, ...]] = {}
        self._cubes: dict[int, tuple[int, NDArray[np.int64]]] = {}
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
        if "killed" in wanted:
            self.killed = readings.killed().copy()
        if "used" in wanted:
            self.used = readings.used().copy()
        if wanted & {"facing_mob", "facing_mob_distance"}:
            self.met = tuple(each.copy() for each in readings.met())
        if "light" in wanted:
            self.light = readings.light().copy()
        if wanted & _STATUS:
            self.status = {name: each.copy() for name, each in readings.status().items()}

    def expire(self) -> None:
        """The world moves on: what was not kept can no longer be read."""
        self._current = False

    def row(self, environment: int, steps: int) -> "Observation":
        return Observation(self, environment, steps)

    def rays(self, environment: int) -> tuple[Ray, ...]:
        found = self._rays.get(environment)
        if found is None:
            ids, distances = self._now("rays").wide()
            kinds, ranges = self._readings.wide_mobs(environment)
            names = self.blocks
            found = self._rays[environment] = tuple(
                Ray(pitch, yaw, names[block], distance, _ENTITIES[kind], away)
                for (pitch, yaw), block, distance, kind, away in zip(
                    PROGRAM_GRID,
                    ids[environment].tolist(),
                    distances[environment].tolist(),
                    kinds.tolist(),
                    ranges.tolist(),
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

    def nearest_mob(self, environment: int, mob: str) -> tuple[float, float, float] | None:
        kind = _MOBS.get(mob)
        if not kind:
            raise ValueError(f"there is no mob {mob:.40}{near(mob[:40], entity_names[1:])}")
        kinds, distances = self._now("nearest_mob").all_mobs(environment)
        hits = np.flatnonzero(kinds == kind).tolist()
        if not hits:
            return None
        return nearest_target([MOB_GRID[hit] for hit in hits], distances[hits].tolist())

    def look_out(self, environment: int, name: str) -> tuple[float, float, float] | None:
        kind = _MOBS.get(name) if name not in self.blocks else None
        if not kind and name not in self.blocks:
            known = [*sorted(set(self.blocks)), *entity_names[1:]]
            raise ValueError(f"there is no block or mob {name:.40}{near(name[:40], known)}")
        readings = self._now("look_out")
        try:
            ids, distances = readings.far_mobs(environment) if kind else readings.far(environment)
        except ValueError:  # a world whose rays were chosen when it was made, and no farther
            closer = self.nearest_mob if kind else self.nearest
            return closer(environment, name)
        hits = np.flatnonzero(ids == (kind or self.blocks.index(name)))
        if not len(hits):
            return None
        nearest = hits[int(distances[hits].argmin())]
        pitch, yaw = FAR_GRID[nearest]
        return yaw, pitch, float(distances[nearest])

    def route(self, environment: int, goal: tuple[float, float | None, float]) -> Worked:
        cube = self._cube(environment, RADIUS).tolist()
        names = self.blocks

        def block(x: int, y: int, z: int) -> str:
            if max(abs(x), abs(y), abs(z)) > RADIUS:
                return "bedrock"  # for all that is known
            return names[cube[x + RADIUS][y + RADIUS][z + RADIUS]]

        ids, _ = self._now("route").inventory()
        picks = any(self.items[item].endswith("_pickaxe") for item in ids[environment].tolist())
        way, cells = route_to(block, goal, picks)
        return Worked(way, cells * _ROUTE_CELL)

    def far_rays(self, environment: int) -> tuple[Ray, ...]:
        try:
            ids, distances = self._now("far_rays").far(environment)
        except ValueError:  # as above
            return self.rays(environment)
        return tuple(
            Ray(*FAR_GRID[hit], self.blocks[ids[hit]], float(distances[hit]), "", FAR)
            for hit in _FAR_BINS
        )

    def find(
        self, environment: int, block: str, radius: int, but: Set[tuple[int, int, int]]
    ) -> tuple[int, int, int] | None:
        try:
            number = self.blocks.index(block)
        except ValueError:
            known = sorted(set(self.blocks))
            raise ValueError(f"there is no block {block:.40}{near(block[:40], known)}") from None
        order, offsets = _by_distance(radius)
        cube = self._cube(environment, radius)
        spare = cube.shape[0] // 2 - radius
        if spare:
            cube = cube[spare:-spare, spare:-spare, spare:-spare]
        same = cube.ravel()[order] == number
        for place in np.flatnonzero(same) if but else [int(same.argmax())]:
            dx, dy, dz = offsets[place].tolist()
            if same[place] and (dx, dy, dz) not in but:
                return dx, dy, dz
        return None

    def block(self, environment: int, dx: int, dy: int, dz: int) -> str:
        far = max(abs(dx), abs(dy), abs(dz))
        cube = self._cube(environment, next(radius for radius in _CUBES if far <= radius))
        middle = cube.shape[0] // 2
        return self.blocks[int(cube[dx + middle, dy + middle, dz + middle])]

    def _cube(self, environment: int, radius: int) -> NDArray[np.int64]:
        """Blocks around the feet within ``radius``, or more where more was read in this step."""
        if not self._current:
            self._now("blocks")
        known = self._cubes.get(environment)
        if known is None or known[0] < radius:
            known = radius, self._readings.cube(environment, radius).copy()
            self._cubes[environment] = known
        return known[1]

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


class Observation(msgspec.Struct, eq=False, gc=False):
    """One environment at one step. Programs cannot assign attributes, so it is read-only.

    Its fields stay when the world moves on, but for rays, craftable and blocks: they cost more than
    the step itself, so they are computed when read, which must be before the next step.
    """

    _all: Observations
    _row: int
    steps: int

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
    def oxygen(self) -> float:
        return float(self._all.status["oxygen"][self._row])

    @property
    def light(self) -> float:
        return float(self._all.light[self._row])

    @property
    def held(self) -> str:
        return self._all.items[int(self._all.status["equipment"][self._row, 0])]

    @property
    def equipment(self) -> tuple[str, ...]:
        names = self._all.items
        return tuple(names[item] for item in self._all.status["equipment"][self._row].tolist())

    @property
    def nearby_table(self) -> bool:
        return bool(self._all.status["table"][self._row])

    @property
    def nearby_furnace(self) -> bool:
        return bool(self._all.status["furnace"][self._row])

    @property
    def inventory(self) -> Mapping[str, int]:
        return self._all.held(self._row)

    @property
    def killed(self) -> Mapping[str, int]:
        return _counts(mob_names, self._all.killed[self._row])

    @property
    def used(self) -> Mapping[str, int]:
        return _counts(self._all.items, self._all.used[self._row])

    @property
    def facing(self) -> str:
        return self._all.blocks[int(self._all.facing[0][self._row])]

    @property
    def facing_distance(self) -> float:
        ids, distances = self._all.facing
        return float(distances[self._row]) if ids[self._row] else ARM_REACH

    @property
    def facing_mob(self) -> str:
        return _ENTITIES[int(self._all.met[0][self._row])]

    @property
    def facing_mob_distance(self) -> float:
        return float(self._all.met[1][self._row])

    @property
    def rays(self) -> tuple[Ray, ...]:
        return self._all.rays(self._row)

    @property
    def craftable(self) -> tuple[str, ...]:
        return self._all.craftable(self._row)

    def block(self, dx: int, dy: int, dz: int) -> str:
        """The block at an offset of up to ``RADIUS`` from the feet."""
        for offset in (dx, dy, dz):
            if type(offset) is not int or not -RADIUS <= offset <= RADIUS:
                raise ValueError(
                    f"block takes offsets of -{RADIUS} to {RADIUS} blocks, not {_short(offset)}"
                )
        return self._all.block(self._row, dx, dy, dz)

    def __repr__(self) -> str:
        return f"<observation at step {self.steps}>"


def _counts(names: list[str], counts: NDArray[Any]) -> Mapping[str, int]:
    return MappingProxyType({names[k]: int(counts[k]) for k in np.flatnonzero(counts).tolist()})


def nearest(obs: Any, block: Any) -> tuple[float, float, float] | None:
    """(yaw offset, pitch offset, distance) of the nearest block of that name that the rays see."""
    if type(obs) is not Observation or type(block) is not str:
        raise TypeError('nearest takes an observation and a block\'s name: nearest(obs, "wood")')
    return obs._all.nearest(obs._row, block)


def nearest_mob(obs: Any, mob: Any) -> tuple[float, float, float] | None:
    """(yaw offset, pitch offset, distance) of the nearest mob of that name that is in sight."""
    if type(obs) is not Observation or type(mob) is not str:
        raise TypeError('nearest_mob takes an observation and a name: nearest_mob(obs, "cow")')
    return obs._all.nearest_mob(obs._row, mob)


def look_out(obs: Any, name: Any) -> tuple[float, float, float] | None:
    """(yaw offset, pitch offset, distance) of the nearest block or mob in sight within 64 m."""
    if type(obs) is not Observation or type(name) is not str:
        raise TypeError('look_out takes an observation and a name: look_out(obs, "cow")')
    return obs._all.look_out(obs._row, name)


def route(obs: Any, dx: Any, dz: Any, dy: Any = None) -> Worked:
    """Cells for the feet on the quickest way towards an offset, as far as blocks are seen."""
    if type(obs) is not Observation:
        raise TypeError("route takes an observation: route(obs, dx, dz)")
    for offset in (dx, dz, 0 if dy is None else dy):
        if type(offset) not in (int, float) or not abs(offset) < 1e6:
            raise ValueError(f"route takes offsets in metres, not {_short(offset)}")
    return obs._all.route(obs._row, (dx, dy, dz))


def far_rays(obs: Any) -> tuple[Ray, ...]:
    """What is far away, block by block, along the rays that the camera can be turned to."""
    if type(obs) is not Observation:
        raise TypeError("far_rays takes an observation: far_rays(obs)")
    return obs._all.far_rays(obs._row)


def find(obs: Any, block: Any, radius: Any = RADIUS, but: Any = ()) -> tuple[int, int, int] | None:
    """The offset from the feet to the nearest block of that name within ``radius``, none of those
    in ``but``."""
    if type(obs) is not Observation or type(block) is not str:
        raise TypeError('find takes an observation and a block\'s name: find(obs, "iron ore")')
    if type(radius) is not int or not 1 <= radius <= RADIUS:
        raise ValueError(f"find looks 1 to {RADIUS} blocks far, not {_short(radius)}")
    if type(but) not in (list, tuple):
        raise TypeError("find takes the offsets that it passes over as a list of (dx, dy, dz)")
    return obs._all.find(obs._row, block, radius, {cell for cell in but if _is_near(cell)})


def _is_near(cell: Any) -> bool:
    """Whether it is an offset that `find` may find. Only such are hashed: that of other values of a
    program may be slow."""
    if type(cell) is not tuple or len(cell) != 3:
        raise TypeError(f"an offset is (dx, dy, dz), not {_short(cell)}")
    return all(type(each) is int and abs(each) <= RADIUS for each in cell)


def _short(value: Any) -> str:
    return repr(value)[:20] if type(value) in (int, float, bool) else type(value).__name__


@cache
def _by_distance(radius: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cells of a cube from its middle outwards: places in the raveled cube, and offsets (n, 3)."""
    side = np.arange(-radius, radius + 1)
    offsets = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3)
    order = np.argsort((offsets**2).sum(1), kind="stable")
    return order, offsets[order]
