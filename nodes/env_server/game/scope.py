"""What of a task's settings the embedded world can be, and what it cannot."""

import math

from messages.world import Condition, Task
from models.rules import BIOMES
from models.tasks import WorldSettings
from nodes.env_server.worlds.embedded import EmbeddedWorld

VOXEL_RADIUS = 16
IMAGE = 2048  # pixels along one side
RAYS = 10_000


class NotInThisWorld(ValueError):
    """The settings ask for something that the embedded world does not have."""


def make_embedded(settings: WorldSettings, default_biome: str, area: int) -> EmbeddedWorld:
    """One world of these settings. What lies in the inventory is up to the caller.

    Raises:
        NotInThisWorld: another kind of world, a biome without terrain, a place outside, pictures,
            voxels or rays beyond their limits.
    """
    if settings.world not in ("default", "specified_biome"):
        raise NotInThisWorld(
            f"the embedded world cannot be of the type {settings.world!r}; it makes 'default' and"
            " 'specified_biome'"
        )
    if settings.drawing:
        raise NotInThisWorld("the embedded world draws no shapes (drawing_str)")
    if settings.position is not None:
        place = settings.position
        if not (0 <= place["x"] < area and 0 <= place["z"] < area and 0 <= place["y"] < 256):
            raise NotInThisWorld(
                f"start_position is outside the world: x and z go from 0 to {area}, y from 0 to 255"
            )
    height, width = settings.image_size
    if not (1 <= height <= IMAGE and 1 <= width <= IMAGE):
        raise NotInThisWorld(f"pictures are 1 to {IMAGE} pixels a side, not {height} x {width}")
    if settings.rays is not None and len(settings.rays) > RAYS:
        raise NotInThisWorld(f"{len(settings.rays)} rays are asked for, {RAYS} is the most")
    for ray in settings.rays or []:
        if not (all(math.isfinite(value) for value in ray) and ray[2] > 0.0):
            raise NotInThisWorld(f"a ray is (pitch rad, yaw rad, metres above 0), not {ray}")
    if not (math.isfinite(settings.break_speed) and settings.break_speed > 0.0):
        raise NotInThisWorld(f"break_speed_multiplier is above 0, not {settings.break_speed}")
    radius = _voxel_radius(settings.voxels)
    try:
        return EmbeddedWorld(
            1,
            Task(
                id="game",
                prompt="",
                success=Condition(kind="have", name="log"),
                biome=_biome_name(settings.biome, default_biome),
            ),
            area=area,
            break_speed_multiplier=settings.break_speed,
            image_size=(height, width),
            use_voxel=settings.voxels is not None,
            voxel_radius=radius,
            use_lidar=settings.rays is not None,
            lidar_rays=list(settings.rays or []) or None,
            start_health=settings.health,
            start_food=settings.food,
        )
    except ValueError as refused:
        raise NotInThisWorld(str(refused)) from None


def shortfalls(settings: WorldSettings) -> list[str]:
    """What the embedded world leaves out of these settings, a sentence each."""
    found = []
    if settings.initial_mobs is not None:
        found.append(f"there are no mobs yet ({', '.join(settings.initial_mobs.mobs)})")
    if settings.extra is not None:
        found.append(f"nothing is spawned by a rate yet ({', '.join(settings.extra.rates)})")
    if settings.weather in ("rain", "thunder"):
        found.append(f"there is no weather yet ({settings.weather})")
    if settings.village:
        found.append("there are no villages")
    return found


def world_seed(given: str | int, fallback: int) -> int:
    """The engine's seed for a seed of Minecraft's: a number, or a text, which counts as Java's hash
    of it. "" is the fallback."""
    text = str(given).strip()
    if not text:
        return fallback
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


def _biome_name(number: int | None, default: str) -> str:
    if number is None:
        return default
    for biome in BIOMES:
        if biome.id == number:
            return biome.name
    raise NotInThisWorld(f"there is no biome of the number {number}")
