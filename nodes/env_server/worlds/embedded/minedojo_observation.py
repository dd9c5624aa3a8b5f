"""MineDojo's observation dictionary of one environment: keys, shapes and types as the real one."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.rules import BLOCKS, item_names
from nodes.env_server.worlds.embedded.grid import BARRIER, block_at, meta_at
from nodes.env_server.worlds.embedded.hands.crafting import nearby_tools
from nodes.env_server.worlds.embedded.observing import read_box
from nodes.env_server.worlds.embedded.rays import cast, direction
from nodes.env_server.worlds.embedded.state import EYES, HEIGHT, SEA_LEVEL

if TYPE_CHECKING:
    from nodes.env_server.worlds.embedded.embedded import EmbeddedWorld

EQUIPMENT_SLOTS = [0, 36, 37, 38, 39, 40]  # main hand, feet, legs, chest, head, offhand
BLANK_NAMES = np.array([name.replace("_", " ") for name in item_names])
UNDERSCORED = np.array(item_names)
LOCALISED = np.full(256, "air", dtype="U32")
for _block in BLOCKS:
    LOCALISED[_block.id] = _block.localised
ACTION_ARGUMENT = np.array([0, 0, 0, 0, 1, 1, 1, 1], np.bool_)[:, None]
INCREASES, DECREASES = 1, 4


def observe(world: "EmbeddedWorld", environment: int) -> dict[str, Any]:
    state = world.state
    tools = nearby_tools(state, environment)
    seen: dict[str, Any] = {
        "rgb": world.rgb(environment, *world.image_size).copy(),
        "inventory": _slots(world, environment, list(range(36))),
        "equipment": _slots(world, environment, EQUIPMENT_SLOTS),
        "life_stats": _life_stats(world, environment),
        "location_stats": _location_stats(world, environment),
        "nearby_tools": {
            "table": np.array(bool(tools & 1)),
            "furnace": np.array(bool(tools & 2)),
        },
        "damage_source": _damage_source(),
        "masks": {
            **{name: mask[environment].copy() for name, mask in world.masks().items()},
            "action_arg": ACTION_ARGUMENT.copy(),
        },
        "delta_inv": _delta_inventory(world, environment),
    }
    if world.use_voxel:
        seen["voxels"] = _voxels(world, environment)
    if world.lidar_rays is not None:
        seen["rays"] = _lidar(world, environment)
    return seen


def _one(value: float) -> NDArray[np.float32]:
    return np.array([value], np.float32)


def _slots(world: "EmbeddedWorld", environment: int, numbers: list[int]) -> dict[str, Any]:
    slots = world.state.slots[environment][numbers]
    durability = world.rules.item["durability"][slots["item"]]
    wears = durability > 0
    return {
        "name": BLANK_NAMES[slots["item"]],
        "quantity": slots["count"].astype(np.float32),
        "variant": slots["variant"].astype(np.int64),
        "cur_durability": np.where(wears, durability - slots["wear"], -1).astype(np.float32),
        "max_durability": np.where(wears, durability, -1).astype(np.float32),
    }


def _life_stats(world: "EmbeddedWorld", environment: int) -> dict[str, Any]:
    player = world.state.players[environment]
    worn = world.state.slots[environment]["item"][36:40]
    return {
        "life": _one(player["life"]),
        "food": _one(player["food"]),
        "saturation": _one(player["saturation"]),
        "armor": _one(world.rules.item["armour"][worn].sum()),
        "oxygen": _one(max(0, player["air"])),
        "xp": _one(player["xp"]),
        "is_sleeping": np.array(bool(player["sleeping"])),
    }


def _location_stats(world: "EmbeddedWorld", environment: int) -> dict[str, Any]:
    player = world.state.players[environment]
    x, y, z = (math.floor(player[axis]) for axis in "xyz")
    # Daylight: the world's clock stands still at noon.
    cover = 0
    for above in range(y + 2, HEIGHT):
        block = block_at(world.state, environment, x, above, z)
        if world.rules.block["light"][block]:
            cover += 1
    light = 15.0 if cover == 0 else max(0.0, 13.0 - 2.0 * min(cover, 7))
    return {
        "pos": np.array([player["x"], player["y"], player["z"]], np.float32),
        "yaw": _one(player["yaw"]),
        "pitch": _one(player["pitch"]),
        "biome_id": np.array(world.biome.id, np.int64),
        "rainfall": _one(min(1.0, max(0.0, world.biome.rainfall))),
        "temperature": _one(min(1.0, max(0.0, world.biome.temperature))),
        "light_level": _one(light),
        "sky_light_level": _one(light / 15.0),
        "sun_brightness": _one(1.0),
        "sea_level": _one(SEA_LEVEL),
        "can_see_sky": np.array(cover == 0),
        "is_raining": np.array(False),
    }


def _damage_source() -> dict[str, Any]:
    """Always nothing, as in MineDojo, which looks for it in the wrong place."""
    return {
        **{f"damage_{name}": _one(0.0) for name in ("amount", "distance", "pitch", "yaw")},
        "hunger_damage": _one(0.0),
        **{
            f"is_{name}": np.array(False)
            for name in (
                "explosion",
                "fire_damage",
                "magic_damage",
                "projectile",
                "unblockable",
            )
        },
    }


def _delta_inventory(world: "EmbeddedWorld", environment: int) -> dict[str, Any]:
    state, player = world.state, world.state.players[environment]
    change = np.zeros(len(item_names), np.int64)
    for slots, sign in ((state.slots, 1), (state.before, -1)):
        bag = slots[environment][:36]
        np.add.at(change, bag["item"], sign * bag["count"])
    change[0] = 0
    if player["fresh"]:
        change[:] = 0
    gained = np.flatnonzero(change > 0)[:INCREASES]
    lost = np.flatnonzero(change < 0)[:DECREASES]
    argument = int(player["crafting"])
    allowed = argument >= 0 and bool(player["allowed"])
    made = allowed and int(world.rules.crafted[argument]) in gained
    used = False
    if allowed:
        needs = world.rules.needs[world.rules.first[argument]]
        used = {int(item) for item, count in needs if count} <= {int(item) for item in lost}
    delta: dict[str, Any] = {}
    for key, items, size, by_craft in (
        ("inc", gained, INCREASES, made),
        ("dec", lost, DECREASES, used),
    ):
        names = np.array([*UNDERSCORED[items], *["air"] * (size - len(items))])
        counts = np.zeros(size, np.float32)
        counts[: len(items)] = abs(change[items])
        for cause, holds in (("craft", by_craft), ("other", not by_craft)):
            delta[f"{key}_name_by_{cause}"] = names if holds else np.array(["air"] * size)
            delta[f"{key}_quantity_by_{cause}"] = counts if holds else np.zeros(size, np.float32)
    return delta


def _properties(world: "EmbeddedWorld", blocks: NDArray[np.int64]) -> dict[str, Any]:
    """What voxels and rays both tell of a block."""
    entry = world.rules.block
    return {
        "is_tool_not_required": entry["no_tool"][blocks].astype(np.bool_),
        "blocks_movement": entry["movement"][blocks].astype(np.bool_),
        "is_liquid": entry["liquid"][blocks].astype(np.bool_),
        "is_solid": entry["solid"][blocks].astype(np.bool_),
        "can_burn": entry["burns"][blocks].astype(np.bool_),
    }


def _voxels(world: "EmbeddedWorld", environment: int) -> dict[str, Any]:
    player = world.state.players[environment]
    radius = world.voxel_radius
    n = 2 * radius + 1
    blocks = np.zeros((n, n, n), np.int64)
    metas = np.zeros((n, n, n), np.int64)
    x, y, z = (math.floor(player[axis]) - radius for axis in "xyz")
    read_box(world.state, environment, x, y, z, blocks, metas)
    corners = np.stack(np.meshgrid(*(np.arange(o, o + n) for o in (x, y, z)), indexing="ij"), -1)
    eye = np.array([player["x"], player["y"] + EYES, player["z"]])
    away = corners - eye
    length = np.maximum(np.linalg.norm(away, axis=-1), 1e-9)
    look = np.array(direction(float(player["yaw"]), float(player["pitch"])))
    return {
        "block_name": LOCALISED[blocks],
        "block_meta": metas,
        "is_collidable": world.rules.block["collidable"][blocks].astype(np.bool_),
        **_properties(world, blocks),
        "blocks_light": world.rules.block["light"][blocks].astype(np.bool_),
        "cos_look_vec_angle": (away @ look / length).clip(-1.0, 1.0).astype(np.float32),
    }


def _lidar(world: "EmbeddedWorld", environment: int) -> dict[str, Any]:
    """The rays as MineDojo gives them: a positive yaw looks *left*, against the player's own."""
    assert world.lidar_rays is not None
    player = world.state.players[environment]
    eye = (float(player["x"]), float(player["y"]) + EYES, float(player["z"]))
    n = len(world.lidar_rays)
    blocks, metas = np.zeros(n, np.int64), np.zeros(n, np.int64)
    distances, traced = np.zeros(n, np.float32), np.zeros((n, 3), np.float32)
    for number, (pitch, yaw, reach) in enumerate(world.lidar_rays):
        look = direction(
            float(player["yaw"]) - math.degrees(yaw), float(player["pitch"]) + math.degrees(pitch)
        )
        block, x, y, z, _, distance = cast(
            world.state, world.rules, environment, *eye, *look, float(reach)
        )
        if block == BARRIER:
            block, distance = 0, float(reach)
        if block:
            metas[number] = meta_at(world.state, environment, x, y, z)
        blocks[number], distances[number] = block, distance
        end = np.add(eye, np.multiply(distance, look))
        traced[number] = (x, y, z) if block else end
    return {
        "block_name": LOCALISED[blocks],
        "block_distance": distances,
        "block_meta": metas,
        "harvest_level": world.rules.block["level"][blocks].astype(np.int64),
        **_properties(world, blocks),
        "entity_name": np.array(["null"] * n),
        "entity_distance": distances.copy(),
        "ray_pitch": np.array([ray[0] for ray in world.lidar_rays], np.float32),
        "ray_yaw": np.array([ray[1] for ray in world.lidar_rays], np.float32),
        "traced_block_x": traced[:, 0],
        "traced_block_y": traced[:, 1],
        "traced_block_z": traced[:, 2],
    }
