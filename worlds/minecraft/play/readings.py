"""What the world shows after a step, read at most once, however many readers there are.

Conditions, rewards, features and the observations of programs all look at the same step; a reader
of the world is called when the first of them needs it.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from messages.world import Interface
from voxeldojo.world_interface import Bools, Floats, Ints, World
from worlds.minecraft.card import features
from worlds.minecraft.play.mobs_near import MobsNear
from worlds.play import Counters, Embedder
from worlds.play import Readings as GameReadings

PROGRAM_PITCHES = tuple(float(p) for p in range(-45, 61, 15))
PROGRAM_YAWS = tuple(y * 7.5 for y in range(-12, 13))
PROGRAM_GRID: list[tuple[float, float]] = [(p, y) for p in PROGRAM_PITCHES for y in PROGRAM_YAWS]
"""(pitch, yaw) in degrees of the rays that programs see. Every second yaw and every pitch is a
whole number of camera bins, so that what such a ray hits can be brought under the crosshair."""

MOB_PITCHES = (
    -45.0,
    -30.0,
    -20.0,
    -15.0,
    -10.0,
    -5.0,
    0.0,
    5.0,
    10.0,
    15.0,
    20.0,
    30.0,
    45.0,
    60.0,
)
MOB_YAWS = tuple(y * 3.75 for y in range(-24, 25))
MOB_GRID: list[tuple[float, float]] = [(p, y) for p in MOB_PITCHES for y in MOB_YAWS]
"""Rays along which mobs are looked for: a cow ten metres away fits between the others."""

FAR_PITCHES = (
    -30.0, -22.0, -16.0, -12.0, -9.0, -6.0, -4.0, -2.5, -1.25, 0.0,
    1.25, 2.5, 4.0, 6.0, 9.0, 13.0, 18.0, 25.0, 35.0, 50.0,
)  # fmt: skip
FAR_YAWS = tuple(y * 1.25 for y in range(-72, 73))
FAR_GRID: list[tuple[float, float]] = [(p, y) for p in FAR_PITCHES for y in FAR_YAWS]
"""Rays along which one looks round for what is far away, as a person does who sees a tree at the
edge of a plain: too many to be cast at each step."""
FAR = 64.0
"""Metres that they go."""

_AHEAD = np.zeros((1, 2), dtype=np.float32)
_FAN = np.array(features.ray_grid(), dtype=np.float32)
_MOB_FAN = np.array(features.mob_grid(), dtype=np.float32)
_WIDE = np.radians(np.array(PROGRAM_GRID, dtype=np.float32)).astype(np.float32)
_FAR = np.radians(np.array(FAR_GRID, dtype=np.float32)).astype(np.float32)
_MOBS = np.radians(np.array(MOB_GRID, dtype=np.float32)).astype(np.float32)
GRIDS = (_AHEAD, _FAN, _MOB_FAN, _WIDE, _MOBS)
"""All that is cast at most `RAY_REACH` far, each (R, 2) pitch and yaw in radians. A world whose
rays are chosen when it is made has to have them."""
CENTRE = features.RAY_PITCHES.index(0.0) * len(features.RAY_YAWS) + features.RAY_YAWS.index(0.0)


SLOT_ITEMS, SLOT_QUANTITIES, KILLED, USED = range(4)
"""What `Readings.counters` has, in its order."""
STATIONS = {"crafting_table": "table", "furnace": "furnace"}
"""What can be worked at, by registry name: MineDojo's name for it."""


def _turned() -> NDArray[np.int64]:
    """(4, 27): for each quarter turn of yaw, where in the voxels (x, y, z ascending) the blocks are
    that a player so turned has from left to right, from below to above, from behind to ahead."""
    indices = np.zeros((4, 3, 3, 3), np.int64)
    for quarter, (ahead_x, ahead_z) in enumerate(((0, 1), (-1, 0), (0, -1), (1, 0))):
        right_x, right_z = -ahead_z, ahead_x
        for right, up, ahead in np.ndindex(3, 3, 3):
            x = (right - 1) * right_x + (ahead - 1) * ahead_x + 1
            z = (right - 1) * right_z + (ahead - 1) * ahead_z + 1
            indices[quarter, right, up, ahead] = 9 * x + 3 * up + z
    return indices.reshape(4, 27)


_TURNED = _turned()


Cast = Callable[..., tuple[Ints, Floats]]
"""``World.rays`` or ``World.mobs``."""


class Readings(GameReadings):
    """The world's readers with a memory of one step."""

    world: World

    def __init__(self, world: World, embedder: Embedder | None = None) -> None:
        super().__init__(world, embedder)
        self._seen: dict[str, Any] = {}
        self._counts: dict[int, Ints] = {}
        # Rays cost most by far: they are cast again only where something moved since the last cast.
        self._cast: dict[str, tuple[Ints, Floats]] = {}
        self._moved: dict[str, Bools] = {}
        self._near: dict[str, MobsNear] = {}
        # Whether the fan is read after every step anyway: its middle ray then shows what is faced.
        self.fan_every_step = False

    def forget(self, moved: Bools | None = None) -> None:
        super().forget(moved)
        self._seen.clear()
        self._counts.clear()
        for stale in self._moved.values():
            stale |= True if moved is None else moved

    def begin(self, rows: Bools) -> None:
        super().begin(rows)
        for near in self._near.values():
            near.begin(rows)

    def begin_stage(self, rows: Bools) -> None:
        for name, near in self._near.items():
            near.begin(rows)
            self._moved[name] |= rows  # a look is taken again

    def expect(self, interface: Interface) -> None:
        self.fan_every_step = any(
            term.kind == "approach" and term.name in self.world.block_names
            for term in interface.rewards
        )

    def warm(self) -> None:
        for read in (self.location, self.life, self.slots, self.voxels, self.masks):
            read()
        for cast in (self.facing, self.fan, self.wide):
            cast()

    def location(self) -> tuple[Floats, Floats, Floats]:
        """Position (B, 3), yaw (B,) and pitch (B,) in degrees."""
        found = self._seen.get("location")
        if found is None:
            found = self._seen["location"] = self.world.location()
        return found

    def life(self) -> tuple[Floats, Floats]:
        """Life and food, both (B,)."""
        found = self._seen.get("life")
        if found is None:
            found = self._seen["life"] = self.world.life()
        return found

    def alive(self) -> Bools:
        return self.life()[0] > 0

    def inventory(self) -> tuple[Ints, Ints]:
        """Item ids and quantities of the slots, both (B, 36)."""
        found = self._seen.get("inventory")
        if found is None:
            found = self._seen["inventory"] = self.world.inventory()
        return found

    def worn(self) -> tuple[Ints, Ints]:
        """Item ids and quantities of what is worn and of the off hand, both (B, 5)."""
        found = self._seen.get("worn")
        if found is None:
            found = self._seen["worn"] = self.world.worn()
        return found

    def slots(self) -> tuple[Ints, Ints]:
        """Item ids and quantities of all 41 slots, both (B, 41): MineDojo counts them all."""
        found = self._seen.get("slots")
        if found is None:
            ids, quantities = zip(self.inventory(), self.worn(), strict=True)
            found = np.concatenate(ids, axis=1), np.concatenate(quantities, axis=1)
            self._seen["slots"] = found
        return found

    def counters(self) -> Counters:
        """The counters by `SLOT_ITEMS`, `SLOT_QUANTITIES`, `KILLED` and `USED`. The last two have
        no columns where a world does not count them."""
        return (*self.slots(), *self.deeds())

    def deeds(self) -> tuple[Ints, Ints]:
        """What was killed and what was used, both (B, ...); without columns where a world does not
        count it."""
        return self._counted(self.killed), self._counted(self.used)

    def _counted(self, read: Callable[[], Ints]) -> Ints:
        try:
            return read()
        except NotImplementedError:
            return np.zeros((self.world.size, 0), np.int64)

    def count(self, item: int) -> Ints:
        """How many of an item each environment has in all slots, (B,)."""
        found = self._counts.get(item)
        if found is None:
            found = self._counts[item] = count(*self.inventory(), item) + count(*self.worn(), item)
        return found

    def killed(self) -> Ints:
        """How many of each mob the player killed in this episode, (B, kinds)."""
        found = self._seen.get("killed")
        if found is None:
            found = self._seen["killed"] = self.world.killed()
        return found

    def used(self) -> Ints:
        """How often each item was used in this episode, (B, items)."""
        found = self._seen.get("used")
        if found is None:
            found = self._seen["used"] = self.world.used()
        return found

    def age(self) -> Ints:
        """Ticks that each player has lived in this episode, (B,); 0 where a world does not count
        them."""
        try:
            return self.world.age()
        except NotImplementedError:
            return np.zeros(self.world.size, np.int64)

    def whereabouts(self) -> tuple[Ints, Ints]:
        """Biome, by Minecraft's id, and dimension of each player, both (B,)."""
        found = self._seen.get("whereabouts")
        if found is None:
            found = self._seen["whereabouts"] = self.world.whereabouts()
        return found

    def nearby(self, station: str) -> Bools:
        """Where a ``station`` is near enough to work at, (B,): MineDojo's nearby tools."""
        return self.status()[STATIONS[station]]

    def stations(self, environment: int) -> list[str]:
        """The stations that one environment could work at."""
        return [station for station in STATIONS if self.nearby(station)[environment]]

    def voxels(self) -> Ints:
        """Block ids around the feet, (B, 3, 3, 3)."""
        found = self._seen.get("voxels")
        if found is None:
            found = self._seen["voxels"] = self.world.voxels(1)
        return found

    def around(self) -> Ints:
        """The same as the player is turned, to the quarter: from left to right, from below to
        above, from behind to ahead, (B, 27)."""
        found = self._seen.get("around")
        if found is None:
            quarters = np.rint(self.location()[1] / 90).astype(np.int64) % 4
            rows = np.arange(self.world.size)[:, None]
            found = self.voxels().reshape(-1, 27)[rows, _TURNED[quarters]]
            self._seen["around"] = found
        return found

    def facing(self) -> tuple[Ints, Floats]:
        """Block id under the crosshair within reach (0: none) and its distance, both (B,)."""
        found = self._seen.get("facing")
        if found is None:
            reach = np.float32(features.ARM_REACH)
            if self.fan_every_step:
                ids, distances = (rays[:, CENTRE] for rays in self.fan())
                found = np.where(distances < reach, ids, 0), np.minimum(distances, reach)
            else:
                ids, distances = self._rays("facing", _AHEAD, features.ARM_REACH)
                found = ids[:, 0].copy(), distances[:, 0].copy()
            self._seen["facing"] = found
        return found

    def fan(self) -> tuple[Ints, Floats]:
        """Block ids and distances of the rays of the feature, both (B, R); overwritten later."""
        return self._rays("fan", _FAN, features.RAY_REACH)

    def wide(self) -> tuple[Ints, Floats]:
        """Block ids and distances of the rays that programs see, both (B, R); overwritten later."""
        return self._rays("wide", _WIDE, features.RAY_REACH)

    def met(self) -> tuple[Ints, Floats]:
        """The mob under the crosshair within reach (0: none) and its distance, both (B,)."""
        kinds, distances = self._rays("met", _AHEAD, features.ARM_REACH, self.world.mobs)
        return kinds[:, 0], distances[:, 0]

    def mob_fan(self) -> tuple[Ints, Floats]:
        """Mobs and distances of the rays of the features, both (B, R); overwritten later."""
        return self._rays("mob fan", _MOB_FAN, features.RAY_REACH, self.world.mobs)

    def recovered(self) -> Floats:
        """How much of a blow's strength has come back, (B,), 0 to 1."""
        found = self._seen.get("recovered")
        if found is None:
            found = self._seen["recovered"] = self.world.recovered()
        return found

    def mobs_near(self, hostile: bool) -> Floats:
        """The columns of the feature `hostiles`, or `passives`; overwritten later. A look is taken
        where something moved since the last one."""
        name = "hostiles" if hostile else "passives"
        near = self._near.get(name)
        if near is None:
            near = self._near[name] = MobsNear(self.world.size, hostile)
            self._moved[name] = np.ones(self.world.size, bool)
        moved = self._moved[name]
        if moved.any():
            near.look(*self.mob_fan(), self.location(), moved)
            moved[:] = False
        return near.columns

    def _rays(
        self, name: str, pitch_yaw: Floats, reach: float, cast: Cast | None = None
    ) -> tuple[Ints, Floats]:
        cast = cast or self.world.rays
        known = self._cast.get(name)
        if known is None:
            ids, distances = cast(pitch_yaw, reach)
            known = self._cast[name] = ids.copy(), distances.copy()
            self._moved[name] = np.zeros(self.world.size, bool)
            return known
        moved = self._moved[name]
        if moved.any():
            rows = np.flatnonzero(moved)
            known[0][rows], known[1][rows] = cast(pitch_yaw, reach, rows)
            moved[:] = False
        return known

    def wide_mobs(self, environment: int) -> tuple[Ints, Floats]:
        """Who is met along the rays that programs see, kinds and distances, both (R,)."""
        return self._mobs(_WIDE, environment)

    def all_mobs(self, environment: int) -> tuple[Ints, Floats]:
        """Who is met along the rays of ``MOB_GRID``, kinds and distances, both (R,)."""
        return self._mobs(_MOBS, environment)

    def _mobs(self, pitch_yaw: Floats, environment: int) -> tuple[Ints, Floats]:
        kinds, distances = self.world.mobs(pitch_yaw, features.RAY_REACH, np.array([environment]))
        return kinds[0], distances[0]

    def far(self, environment: int) -> tuple[Ints, Floats]:
        """Block ids and distances along the rays of ``FAR_GRID``, both (R,)."""
        ids, distances = self.world.rays(_FAR, FAR, np.array([environment]))
        return ids[0], distances[0]

    def far_mobs(self, environment: int) -> tuple[Ints, Floats]:
        """Who is met along the rays of ``FAR_GRID``, kinds and distances, both (R,)."""
        kinds, distances = self.world.mobs(_FAR, FAR, np.array([environment]))
        return kinds[0], distances[0]

    def cube(self, environment: int, radius: int) -> Ints:
        """Block ids around one player's feet, (n, n, n); overwritten later."""
        if radius == 1:
            return self.voxels()[environment]
        return self.world.voxels(radius, np.array([environment]))[0]

    def status(self) -> dict[str, NDArray[Any]]:
        """Oxygen, tools nearby and equipment, as ``World.status``."""
        found = self._seen.get("status")
        if found is None:
            found = self._seen["status"] = self.world.status()
        return found

    def light(self) -> Floats:
        """The light level, (B,)."""
        found = self._seen.get("light")
        if found is None:
            found = self._seen["light"] = self.world.light()
        return found

    def masks(self) -> dict[str, Bools]:
        """MineDojo's masks."""
        found = self._seen.get("masks")
        if found is None:
            found = self._seen["masks"] = self.world.masks()
        return found


def count(ids: Ints, quantities: Ints, item: int) -> Ints:
    """How many of an item are in each row of slots, (B,)."""
    return np.einsum("bs,bs->b", ids == item, quantities)


def inventory_of(
    names: list[str], ids: NDArray[np.integer[Any]], quantities: NDArray[Any]
) -> dict[str, int]:
    """Item name -> quantity of one environment's slots, air left out."""
    held: dict[str, int] = {}
    for item, quantity in zip(ids.tolist(), quantities.tolist(), strict=True):
        if item:
            name = names[item]
            held[name] = held.get(name, 0) + int(quantity)
    return held


def nearest_target(
    pitch_yaw: list[tuple[float, float]], distances: list[float]
) -> tuple[float, float, float]:
    """(yaw, pitch, distance) of the nearest hit. One that the camera cannot be brought onto, being
    between two of its bins, counts as half a metre farther."""
    best, found = math.inf, (0.0, 0.0, 0.0)
    for (pitch, yaw), distance in zip(pitch_yaw, distances, strict=True):
        cost = distance if yaw % 15.0 == 0.0 and pitch % 15.0 == 0.0 else distance + 0.5
        if cost < best:
            best, found = cost, (yaw, pitch, distance)
    return found
