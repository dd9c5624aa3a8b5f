"""Computes Minecraft's features for a batch."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from voxeldojo.rules import BLOCKS
from voxeldojo.rules.mobs import entity_names
from voxeldojo.world_interface import Floats, World
from worlds.common.feature_matrix import Columns, FeatureMatrix
from worlds.minecraft.card import features
from worlds.minecraft.play import gear
from worlds.minecraft.play.conditions import item_id, target_id
from worlds.minecraft.play.readings import Readings

_SEA_LEVEL = 63.0
_YAWS = np.radians(np.array([yaw for _ in features.RAY_PITCHES for yaw in features.RAY_YAWS]))
_PITCHES = np.radians(np.array([p for p in features.RAY_PITCHES for _ in features.RAY_YAWS]))
_MOB_GRID = np.array(features.mob_grid())
# Rays of the fan that mobs are looked for along, too: which these are in either grid.
_SHARED = [
    (place, features.mob_grid().index(ray))
    for place, ray in enumerate(features.ray_grid())
    if ray in features.mob_grid()
]
_IN_FAN, _IN_MOB_FAN = (np.array(column) for column in zip(*_SHARED, strict=True))


def _sides() -> NDArray[np.float32]:
    """(27, 5): which of the blocks around, as `Readings.around` has them, are to the left, to the
    right, ahead, behind and below."""
    blocks = np.zeros((3, 3, 3, 5), np.float32)  # from left, from below, from behind
    blocks[0, :, :, 0] = blocks[2, :, :, 1] = 1
    blocks[:, :, 2, 2] = blocks[:, :, 0, 3] = blocks[:, 0, :, 4] = 1
    return blocks.reshape(27, 5)


_SIDES = _sides()
_FEET, _HEAD = np.ravel_multi_index(((1, 1), (1, 2), (1, 1)), (3, 3, 3)).tolist()


def _kinds(world: World, targets: list[int]) -> NDArray[np.int64]:
    """The class of each block id, an index into BLOCK_CLASSES."""
    flags: dict[str, set[str]] = {}
    for block in BLOCKS:
        flags.setdefault(block.localised, set()).update(block.flags)
    air, target, plant, solid, liquid = range(len(features.BLOCK_CLASSES))
    kinds = np.full(len(world.block_names), solid)
    for number, name in enumerate(world.block_names):
        known = flags.get(name, {"movement"})
        if "liquid" in known:
            kinds[number] = liquid
        elif "leaves" in name or "movement" not in known:
            kinds[number] = plant
    kinds[0] = air
    kinds[targets] = target
    return kinds


class Senses:
    """What each feature but the general ones needs to know of an interface, and how it is written.
    ``items``: names of those whose quantities the ``inventory`` feature shows.

    Raises:
        ValueError: an unknown target or item.
    """

    def __init__(self, targets: list[str], items: list[str], world: World) -> None:
        found = [target_id(world, name) for name in targets]
        kinds = _kinds(world, [number for number, mob in found if not mob])
        self._mobs = np.zeros(len(entity_names), bool)
        self._mobs[[number for number, mob in found if mob]] = True
        self._any_mobs = bool(self._mobs.any())
        self._one_hot = np.eye(len(features.BLOCK_CLASSES), dtype=np.float32)[kinds]
        self._target = (kinds == 1).astype(np.float32)
        self._solid = (kinds == 3).astype(np.float32)
        self._items = [item_id(world, name) for name in items]
        self._lava = np.array(["lava" in name for name in world.block_names], np.float32)
        self._water = np.array(["water" in name for name in world.block_names])
        self._size = world.size
        self._voxel_classes = np.zeros((world.size, 27, len(features.BLOCK_CLASSES)), np.float32)

    def columns(self) -> dict[str, Columns]:
        writers: dict[str, Callable[[Readings, Floats], None]] = {
            "compass": self._compass,
            "height": self._height,
            "life": self._life,
            "voxels": self._voxels,
            "rays": self._rays,
            "facing": self._facing,
            "target": self._nearest_target,
            "hostiles": _hostiles,
            "passives": _passives,
            "equipment": _equipment,
            "light": _light,
            "fluids": self._fluids,
            "food": _food,
            "inventory": self._inventory,
        }
        sizes = {name: features.FEATURES[name].size for name in writers}
        return {name: Columns(sizes[name], write) for name, write in writers.items()}

    def _compass(self, readings: Readings, out: Floats) -> None:
        _, yaw, pitch = readings.location()
        for column, angle in ((0, np.radians(yaw)), (2, np.radians(pitch))):
            out[:, column], out[:, column + 1] = np.sin(angle), np.cos(angle)

    def _height(self, readings: Readings, out: Floats) -> None:
        out[:, 0] = (readings.location()[0][:, 1] - _SEA_LEVEL) / 16

    def _life(self, readings: Readings, out: Floats) -> None:
        life, food = readings.life()
        out[:, 0], out[:, 1] = life / 20, food / 20

    def _voxels(self, readings: Readings, out: Floats) -> None:
        np.take(self._one_hot, readings.around(), axis=0, out=self._voxel_classes, mode="clip")
        out[:] = self._voxel_classes.reshape(self._size, -1)

    def _rays(self, readings: Readings, out: Floats) -> None:
        ids, distances = readings.fan()
        count = ids.shape[1]
        out[:, :count] = 1 - distances / features.RAY_REACH
        out[:, count : 2 * count] = self._target[ids]
        out[:, 2 * count :] = self._solid[ids]
        if self._any_mobs:
            far = self._mob_distances(readings)[:, _IN_MOB_FAN]
            nearer = far < distances[:, _IN_FAN]
            for part, value in ((0, 1 - far / features.RAY_REACH), (1, 1.0), (2, 0.0)):
                column = out[:, part * count : (part + 1) * count]
                column[:, _IN_FAN] = np.where(nearer, value, column[:, _IN_FAN])

    def _mob_distances(self, readings: Readings) -> Floats:
        """Of the mobs that are targets, along the rays of the mob grid (B, R); infinite: none."""
        kinds, distances = readings.mob_fan()
        return np.where(self._mobs[kinds], distances, np.float32(np.inf))

    def _facing(self, readings: Readings, out: Floats) -> None:
        ids, distances = readings.facing()
        out[:, 0] = ids > 0
        out[:, 1] = self._target[ids]
        out[:, 2] = 1 - distances / features.ARM_REACH
        if self._any_mobs:
            mobs, far = readings.met()
            nearer = self._mobs[mobs] & (far <= distances)
            out[nearer, :2] = 1
            out[nearer, 2] = 1 - far[nearer] / features.ARM_REACH

    def _nearest_target(self, readings: Readings, out: Floats) -> None:
        ids, distances = readings.fan()
        far = np.where(self._target[ids] > 0, distances, np.inf)
        best = far.argmin(1)
        rows = np.arange(self._size)
        distance, yaw, pitch = far[rows, best], _YAWS[best], _PITCHES[best]
        if self._any_mobs:
            mobs = self._mob_distances(readings)
            nearest = mobs.argmin(1)
            nearer = mobs[rows, nearest] < distance
            distance = np.where(nearer, mobs[rows, nearest], distance)
            yaw = np.where(nearer, _MOB_GRID[nearest, 1], yaw)
            pitch = np.where(nearer, _MOB_GRID[nearest, 0], pitch)
        seen = np.isfinite(distance)
        out[:, 0] = seen
        out[:, 1] = np.sin(yaw) * seen
        out[:, 2] = np.cos(yaw) * seen
        out[:, 3] = pitch * seen
        out[:, 4] = np.where(seen, 1 - distance / features.RAY_REACH, 0)

    def _fluids(self, readings: Readings, out: Floats) -> None:
        around = readings.around()
        out[:, 0] = readings.status()["oxygen"] / 300
        out[:, 1:3] = self._water[around[:, [_FEET, _HEAD]]]
        lava = self._lava[around]
        out[:, 3] = lava[:, _FEET]
        out[:, 4:] = lava @ _SIDES > 0

    def _inventory(self, readings: Readings, out: Floats) -> None:
        for column, item in enumerate(self._items):
            out[:, column] = np.log1p(readings.count(item))


def _hostiles(readings: Readings, out: Floats) -> None:
    out[:] = readings.mobs_near(True)


def _passives(readings: Readings, out: Floats) -> None:
    out[:] = readings.mobs_near(False)


def _equipment(readings: Readings, out: Floats) -> None:
    gear.write(readings.status()["equipment"], readings.recovered(), out)


def _light(readings: Readings, out: Floats) -> None:
    out[:, 0] = readings.light() / 15


def _food(readings: Readings, out: Floats) -> None:
    ids, quantities = readings.inventory()
    out[:, 0] = readings.life()[1] / 20
    out[:, 1] = np.log1p((gear.EDIBLE[ids] * quantities).sum(1))


def feature_matrix(
    names: list[str], targets: list[str], items: list[str], choices: int, world: World
) -> FeatureMatrix:
    """The chosen features. ``items``: see `Senses`.

    Raises:
        ValueError: an unknown feature, target or item, or no feature at all.
    """
    return FeatureMatrix(names, Senses(targets, items, world).columns(), choices, world.size)
