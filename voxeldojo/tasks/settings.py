"""The settings of a world that a task needs, from its arguments; independent of any engine."""

from typing import Any

import msgspec

from voxeldojo.tasks.argument_types import BIOME_IDS
from voxeldojo.tasks.arguments import meta_task_named
from voxeldojo.tasks.inventory import Placed, placed

EVENING, NIGHT = 13000, 18000  # ticks
TELEPORT_RANGE = 200  # blocks, of a fast reset
DEFAULT_BOX = {"xmin": -1, "ymin": -1, "zmin": -1, "xmax": 1, "ymax": 1, "zmax": 1}
DEFAULT_RAYS = [(0.0, 0.0, 10.0)]


class MobSpawn(msgspec.Struct, frozen=True, kw_only=True):
    """Mobs placed at a reset, each at a random place in the box relative to the player."""

    mobs: list[str]
    low: tuple[float, float, float]
    high: tuple[float, float, float]


class RateSpawn(msgspec.Struct, frozen=True, kw_only=True):
    """Mobs or blocks placed near the player with some probability in each step."""

    rates: dict[str, float]
    low: tuple[float, float, float]
    high: tuple[float, float, float]


class WorldSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A world for a task. A field that is None is left to the world."""

    inventory: list[Placed]
    position: dict[str, float] | None  # x, y, z, yaw, pitch
    health: float
    food: float
    time: int | None  # ticks of the day, 0..24000
    weather: str | None
    time_passes: bool
    mobs_spawn: bool
    world: str  # default, from_file, flat, specified_biome
    biome: int | None  # Minecraft's id
    flat: str | None
    village: bool
    drawing: str | None
    break_speed: float
    seed: int | None
    world_seed: str | int
    initial_mobs: MobSpawn | None
    extra: RateSpawn | None
    fast_reset: bool
    teleport_range: int
    image_size: tuple[int, int]  # height, width
    voxels: dict[str, int] | None
    rays: list[tuple[float, float, float]] | None  # pitch and yaw in radians, metres


def world_settings(meta_task: str, kwargs: dict[str, Any]) -> WorldSettings:
    """``kwargs``: complete and checked, from make_kwargs."""
    kind = meta_task_named(meta_task)
    biome = kwargs.get("specified_biome")
    night = kwargs.get("always_night", False)
    world = kwargs.get("generate_world_type")
    if world is None:
        world = "default" if biome is None else "specified_biome"
    teleport = kwargs.get("fast_reset_random_teleport_range")
    return WorldSettings(
        inventory=[placed(item) for item in kwargs["initial_inventory"] or []],
        position=kwargs["start_position"],
        health=kwargs["start_health"] or 20.0,
        food=kwargs["start_food"] or 20.0,
        time=_start_time(kind, kwargs),
        weather=kwargs["initial_weather"],
        time_passes=kwargs.get("allow_time_passage", True) and not night,
        mobs_spawn=kwargs.get("allow_mob_spawn", True),
        world=world,
        biome=BIOME_IDS[biome] if isinstance(biome, str) else biome,
        flat=kwargs.get("flat_world_seed_string"),
        village=kwargs.get("spawn_in_village", False),
        drawing=kwargs.get("drawing_str"),
        break_speed=kwargs["break_speed_multiplier"],
        seed=kwargs["seed"],
        world_seed=kwargs["world_seed"] if kwargs["world_seed"] is not None else "",
        initial_mobs=_initial_mobs(kwargs),
        extra=_extra(kwargs),
        fast_reset=kwargs["fast_reset"],
        teleport_range=TELEPORT_RANGE if teleport is None else teleport,
        image_size=kwargs["image_size"],
        voxels=(kwargs["voxel_size"] or DEFAULT_BOX) if kwargs["use_voxel"] else None,
        rays=(kwargs["lidar_rays"] or DEFAULT_RAYS) if kwargs["use_lidar"] else None,
    )


def _start_time(kind: str, kwargs: dict[str, Any]) -> int | None:
    if kwargs.get("always_night"):
        return NIGHT
    if kwargs.get("start_at_night"):
        # "At night" is midnight in harvest and dusk elsewhere.
        return NIGHT if kind == "harvest" else EVENING
    return kwargs.get("start_time")


def _initial_mobs(kwargs: dict[str, Any]) -> MobSpawn | None:
    if not kwargs.get("initial_mobs"):
        return None
    return MobSpawn(
        mobs=kwargs["initial_mobs"],
        low=kwargs["initial_mob_spawn_range_low"],
        high=kwargs["initial_mob_spawn_range_high"],
    )


def _extra(kwargs: dict[str, Any]) -> RateSpawn | None:
    if kwargs.get("spawn_rate") is None:
        return None
    return RateSpawn(
        rates=kwargs["spawn_rate"], low=kwargs["spawn_range_low"], high=kwargs["spawn_range_high"]
    )
