"""Makes the embedded world for a task's settings, and rejects settings that it does not support."""

import math

from voxeldojo.engine import EmbeddedWorld
from voxeldojo.names import quoted
from voxeldojo.rules import BIOMES
from voxeldojo.tasks import WorldSettings

VOXEL_RADIUS = 16
IMAGE = 2048  # pixels along one side
RAYS = 10_000


class NotInThisWorld(ValueError):
    """The settings need something that the embedded world does not have."""


def make_embedded(settings: WorldSettings, default_biome: str | None, area: int) -> EmbeddedWorld:
    """One world of these settings. The caller fills the inventory.

    Raises:
        NotInThisWorld: another kind of world, a biome without terrain, a place outside, pictures,
            voxels or rays beyond their limits.
    """
    if settings.world == "from_file":
        raise NotInThisWorld(
            "the embedded world reads no saved worlds (generate_world_type from_file); it makes"
            " 'default', 'specified_biome' and 'flat'"
        )
    height, width = settings.image_size
    if not (1 <= height <= IMAGE and 1 <= width <= IMAGE):
        raise NotInThisWorld(
            f"pictures are 1 to {IMAGE} pixels a side, not {quoted(height)} x {quoted(width)}"
        )
    if settings.rays is not None and len(settings.rays) > RAYS:
        raise NotInThisWorld(f"{len(settings.rays)} rays are too many, at most {RAYS} are possible")
    for ray in settings.rays or []:
        if not (all(math.isfinite(value) for value in ray) and ray[2] > 0.0):
            raise NotInThisWorld(f"a ray is (pitch rad, yaw rad, metres above 0), not {ray}")
    if not (math.isfinite(settings.break_speed) and settings.break_speed > 0.0):
        raise NotInThisWorld(f"break_speed_multiplier is above 0, not {settings.break_speed}")
    radius = _voxel_radius(settings.voxels)
    try:
        return EmbeddedWorld(
            1,
            biome=_biome_name(settings.biome, "plains" if default_biome is None else default_biome),
            area=area,
            break_speed_multiplier=settings.break_speed,
            image_size=(height, width),
            use_voxel=settings.voxels is not None,
            voxel_radius=radius,
            use_lidar=settings.rays is not None,
            lidar_rays=list(settings.rays or []) or None,
            start_health=settings.health,
            start_food=settings.food,
            generate_world_type=_world_type(settings, default_biome),
            start_position=_start(settings),
            flat_world_seed_string=settings.flat or "",
            start_time=settings.time or 0,
            allow_time_passage=settings.time_passes,
            initial_weather=settings.weather or "normal",
            allow_mob_spawn=settings.mobs_spawn,
            drawing_str=settings.drawing or "",
        )
    except ValueError as refused:
        raise NotInThisWorld(str(refused)) from None


def world_seed(given: str | int, fallback: int) -> int:
    """The engine's seed for one of Minecraft's: a number, or a text, of which it is Java's hash.
    "" stands for ``fallback``."""
    text = str(given).strip() or str(fallback)
    try:
        seed = int(text)
    except ValueError:
        seed = 0
        for letter in text:
            seed = (31 * seed + ord(letter)) & 0xFFFFFFFF
    return seed & (2**63 - 1)


def _voxel_radius(box: dict[str, int] | None) -> int:
    if box is None:
        return 1
    for axis in "xyz":
        low, high = box[f"{axis}min"], box[f"{axis}max"]
        if not -VOXEL_RADIUS <= low <= high <= VOXEL_RADIUS:
            raise NotInThisWorld(
                f"voxels go from -{VOXEL_RADIUS} to {VOXEL_RADIUS}, lower end first, not from {low}"
                f" to {high} along {axis}"
            )
    return max(abs(limit) for limit in box.values())


def _world_type(settings: WorldSettings, default_biome: str | None) -> str:
    if settings.world == "default" and default_biome is not None:
        return "specified_biome"
    return settings.world


def _start(settings: WorldSettings) -> tuple[float, ...] | None:
    if (at := settings.position) is None:
        return None
    pitch = min(90.0, max(-90.0, at["pitch"]))
    return at["x"], at["y"], at["z"], (at["yaw"] + 180.0) % 360.0 - 180.0, pitch


def _biome_name(number: int | None, default: str) -> str:
    if number is None:
        return default
    for biome in BIOMES:
        if biome.id == number:
            return biome.name
    raise NotInThisWorld(f"there is no biome with the number {number}")
