"""MineDojo's observations as the arrays of the World interface."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from voxeldojo.meta_tasks import tally_of
from voxeldojo.rules import block_names, item_names
from voxeldojo.rules.mobs import MOB_IDS, entity_names, mob_names
from voxeldojo.world_interface import Bools, Floats, Ints

BLOCKS = {name: number for number, name in enumerate(block_names)}
ITEMS = {name.replace("_", " "): number for number, name in enumerate(item_names)}
MOBS = {name: number for number, name in enumerate(entity_names)}
# A block of which no rule knows anything is at least in the way.
UNKNOWN = BLOCKS["barrier"]
NEAR = 1e-3  # radians within which a ray is the one that was asked for
MASKS = {"action_type": 8, "craft_smelt": 244, "equip": 36, "place": 36, "destroy": 36}


def observation_of(sent: dict[str, Any]) -> dict[str, Any]:
    """The dictionary as the package made it, from what its player sent."""
    found: dict[str, Any] = {}
    for key, value in sent.items():
        if "names" in value and "shape" in value:
            found[key] = np.array(value["names"]).reshape(value["shape"])
        elif "data" in value and "shape" in value:
            kind = np.dtype(value["type"])
            found[key] = np.frombuffer(value["data"], kind).reshape(value["shape"])
        else:
            found[key] = observation_of(value)
    return found


class Seen:
    """What was last seen in each of ``size`` environments."""

    def __init__(
        self, size: int, voxel_radius: int, rays: list[tuple[float, float, float]]
    ) -> None:
        n = 2 * voxel_radius + 1
        self.items = np.zeros((size, 36), np.int64)
        self.counts = np.zeros((size, 36), np.int64)
        self.positions = np.zeros((size, 3), np.float32)
        self.yaws = np.zeros(size, np.float32)
        self.pitches = np.zeros(size, np.float32)
        self.lives = np.full(size, 20, np.float32)
        self.foods = np.full(size, 20, np.float32)
        self.masks: dict[str, Bools] = {
            name: np.zeros((size, length), np.bool_) for name, length in MASKS.items()
        }
        self._radius = voxel_radius
        self._voxels = np.zeros((size, n, n, n), np.int64)
        # MineDojo's lidar has + yaw to the left, the World interface to the right.
        self._directions = np.array([(pitch, -yaw) for pitch, yaw, _ in rays], np.float32)
        self._reach = np.array([reach for _, _, reach in rays], np.float32)
        self._hits = np.zeros((size, len(rays)), np.int64)
        self._distances = np.zeros((size, len(rays)), np.float32)
        self._mobs = np.zeros((size, len(rays)), np.int64)
        self._ranges = np.zeros((size, len(rays)), np.float32)
        self._found: dict[bytes, NDArray[np.int64]] = {}

    def take(self, row: int, seen: dict[str, Any]) -> None:
        """One environment's observation."""
        slots, place, life = seen["inventory"], seen["location_stats"], seen["life_stats"]
        self.items[row] = [ITEMS.get(name, 0) for name in slots["name"].tolist()]
        self.counts[row] = np.where(self.items[row] > 0, slots["quantity"], 0)
        self.positions[row] = place["pos"]
        self.yaws[row] = (place["yaw"].item() + 180.0) % 360.0 - 180.0
        self.pitches[row] = place["pitch"].item()
        self.lives[row], self.foods[row] = life["life"].item(), life["food"].item()
        for name, mask in self.masks.items():
            mask[row] = seen["masks"][name]
        self._voxels[row] = _ids(seen["voxels"]["block_name"])
        rays = seen["rays"]
        hits = _ids(rays["block_name"])
        missed = (hits == 0) | (rays["block_distance"] >= self._reach)
        self._hits[row] = np.where(missed, 0, hits)
        self._distances[row] = np.where(missed, self._reach, rays["block_distance"])
        mobs = [MOBS.get(name, 0) for name in rays["entity_name"].tolist()]
        # What stands behind a block is not seen.
        behind = rays["entity_distance"] > self._distances[row]
        self._mobs[row] = np.where(behind, 0, mobs)
        self._ranges[row] = rays["entity_distance"]

    def voxels(self, radius: int) -> Ints:
        """Raises ValueError: the instances were made to show fewer."""
        cut = self._radius - radius
        if not 0 <= radius <= self._radius:
            raise ValueError(
                f"voxels of radius {radius} are asked for; this world shows {self._radius}"
                " (the option voxel_radius)"
            )
        end = self._voxels.shape[1] - cut
        return self._voxels[:, cut:end, cut:end, cut:end]

    def rays(
        self, pitch_yaw: Floats, reach: float, environments: Ints | None
    ) -> tuple[Ints, Floats]:
        """Raises ValueError: the instances do not look along one of these rays, or not so far."""
        columns = self._columns(pitch_yaw)
        if len(columns) and reach > self._reach[columns].min() + NEAR:
            raise ValueError(
                f"rays of {reach:g} m are asked for; this world's end at"
                f" {self._reach[columns].min():g} m (the option lidar_rays)"
            )
        rows = slice(None) if environments is None else environments
        hits, distances = self._hits[rows][:, columns], self._distances[rows][:, columns]
        far = distances >= reach
        return np.where(far, 0, hits), np.where(far, np.float32(reach), distances)

    def mobs(
        self, pitch_yaw: Floats, reach: float, environments: Ints | None
    ) -> tuple[Ints, Floats]:
        """Raises ValueError: the instances do not look along one of these rays."""
        columns = self._columns(pitch_yaw)
        rows = slice(None) if environments is None else environments
        kinds, ranges = self._mobs[rows][:, columns], self._ranges[rows][:, columns]
        none = (kinds == 0) | (ranges >= reach)
        return np.where(none, 0, kinds), np.where(none, np.float32(reach), ranges)

    def _columns(self, pitch_yaw: Floats) -> NDArray[np.int64]:
        known = self._found.get(pitch_yaw.tobytes())
        if known is None:
            away = np.abs(pitch_yaw[:, None] - self._directions[None]).max(2)
            known = away.argmin(1)
            off = away[np.arange(len(known)), known] > NEAR
            if off.any():
                pitch, yaw = pitch_yaw[off][0].tolist()
                raise ValueError(
                    f"this world has no ray at pitch {pitch:g}, yaw {yaw:g} rad; the option"
                    " lidar_rays lists those it has"
                )
            self._found[pitch_yaw.tobytes()] = known
        return known


def _ids(names: NDArray[np.str_]) -> NDArray[np.int64]:
    flat = [BLOCKS.get(name, UNKNOWN) for name in names.ravel().tolist()]
    return np.array(flat, np.int64).reshape(names.shape)


class Statistics:
    """What the game counted in each of ``size`` environments since its episode began."""

    def __init__(self, size: int) -> None:
        self.killed = np.zeros((size, len(mob_names)), np.int64)
        self.used = np.zeros((size, len(item_names)), np.int64)
        self.ages = np.zeros(size, np.int64)

    def take(self, row: int, stat: dict[str, Any]) -> None:
        """One environment's statistics, under the game's names; what is missing stands at 0."""
        tally = tally_of({}, stat)
        for counts, numbers, found in (
            (self.killed, MOB_IDS, tally.killed),
            (self.used, _REGISTERED, tally.used),
        ):
            counts[row] = 0
            for name, count in found.items():
                if name in numbers:
                    counts[row, numbers[name]] = count
        self.ages[row] = tally.time_since_death


_REGISTERED = {name: number for number, name in enumerate(item_names)}
