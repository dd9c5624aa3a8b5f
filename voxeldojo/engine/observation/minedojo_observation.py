"""MineDojo's observation dictionary of one environment, with its keys, shapes and types."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from voxeldojo.engine.batch import Batch
from voxeldojo.engine.compiling.direct_calls import direct
from voxeldojo.engine.grid import BARRIER, meta_at
from voxeldojo.engine.mobs.aim import mob_on_ray
from voxeldojo.engine.observation import minedojo_arrays as arrays
from voxeldojo.engine.observation.minedojo_arrays import DECREASES, INCREASES
from voxeldojo.engine.observation.surroundings import BIOME_OF, surroundings
from voxeldojo.engine.rays import cast, direction
from voxeldojo.engine.rulebook import rules
from voxeldojo.engine.state import EYES, SEA_LEVEL
from voxeldojo.rules import BLOCKS, item_names
from voxeldojo.rules.mobs import entity_names

BLANK_NAMES = np.array([name.replace("_", " ") for name in item_names])
LOCALISED = np.full(256, "air", dtype="U32")
for _block in BLOCKS:
    LOCALISED[_block.id] = _block.localised
ENTITIES = np.array([name.replace("_", "") for name in entity_names])
ACTION_ARGUMENT = np.array([0, 0, 0, 0, 1, 1, 1, 1], np.bool_)[:, None]
DAMAGE_AMOUNTS = (
    *(f"damage_{name}" for name in ("amount", "distance", "pitch", "yaw")),
    "hunger_damage",
)
DAMAGE_KINDS = tuple(
    f"is_{name}"
    for name in ("explosion", "fire_damage", "magic_damage", "projectile", "unblockable")
)
# The flags of a block in voxels, and the columns of the rules for them; rays have some of these.
TRAITS = {
    "is_collidable": "collidable",
    "is_tool_not_required": "no_tool",
    "blocks_movement": "movement",
    "is_liquid": "liquid",
    "is_solid": "solid",
    "can_burn": "burns",
    "blocks_light": "light",
}
FLAGS = np.stack([rules().block[column].astype(np.bool_) for column in TRAITS.values()])
OF_RAYS = slice(1, 6)
PACK, PACK_VOXELS = direct(arrays.pack), direct(arrays.pack_voxels)

# The same in every step; copied, as the dictionary belongs to the caller.
_NOTHING = np.zeros(1, np.float32)
_FALSE = np.array(False)
_AIR = {count: np.array(["air"] * count) for count in (INCREASES, DECREASES)}


class Packed(NamedTuple):
    """The numbers of a dictionary. New for each one, as its arrays are views of them."""

    stats: NDArray[np.float64]
    facts: NDArray[np.bool_]
    slots: NDArray[np.int64]
    delta: NDArray[np.int64]
    amounts: NDArray[np.float32]


def observe(world: Batch, environment: int) -> dict[str, Any]:
    packed = Packed(
        np.empty(arrays.STATS),
        np.empty(arrays.FACTS, np.bool_),
        np.empty((5, 42), np.int64),
        np.empty(7, np.int64),
        np.empty(5, np.float32),
    )
    scratch = world.buffer("change", (len(item_names),), np.int64)
    PACK(world.state, world.rules, environment, *packed, scratch)
    masks = world.observe(("masks",))
    stats, facts = packed.stats.astype(np.float32), packed.facts
    durability = packed.slots[3:].astype(np.float32)
    quantity = packed.slots[1].astype(np.float32)
    names = BLANK_NAMES[packed.slots[0]]
    seen: dict[str, Any] = {
        "rgb": world.rgb(environment, *world.image_size).copy(),
        "inventory": _slots(names, quantity, packed.slots[2], durability, slice(0, 36)),
        "equipment": _slots(names, quantity, packed.slots[2], durability, slice(36, 42)),
        "life_stats": _life_stats(stats, facts),
        "location_stats": _location_stats(world, environment, stats),
        "nearby_tools": {
            "table": np.array(facts[arrays.TABLE]),
            "furnace": np.array(facts[arrays.BESIDE_FURNACE]),
        },
        "damage_source": _damage_source(),
        "masks": {
            **{name: mask[environment].copy() for name, mask in masks.items()},
            "action_arg": ACTION_ARGUMENT.copy(),
        },
        "delta_inv": _delta_inventory(packed),
    }
    if world.use_voxel:
        seen["voxels"] = _voxels(world, environment)
    if world.lidar_rays is not None:
        seen["rays"] = _lidar(world, environment)
    return seen


def _slots(
    names: NDArray[np.str_],
    quantity: NDArray[np.float32],
    variant: NDArray[np.int64],
    durability: NDArray[np.float32],
    which: slice,
) -> dict[str, Any]:
    return {
        "name": names[which],
        "quantity": quantity[which],
        "variant": variant[which],
        "cur_durability": durability[0, which],
        "max_durability": durability[1, which],
    }


def _life_stats(stats: NDArray[np.float32], facts: NDArray[np.bool_]) -> dict[str, Any]:
    return {
        "life": stats[arrays.LIFE : arrays.LIFE + 1],
        "food": stats[arrays.FOOD : arrays.FOOD + 1],
        "saturation": stats[arrays.SATURATION : arrays.SATURATION + 1],
        "armor": stats[arrays.ARMOUR : arrays.ARMOUR + 1],
        "oxygen": stats[arrays.OXYGEN : arrays.OXYGEN + 1],
        "xp": stats[arrays.XP : arrays.XP + 1],
        "is_sleeping": np.array(facts[arrays.SLEEPING]),
    }


def _location_stats(world: Batch, environment: int, stats: NDArray[np.float32]) -> dict[str, Any]:
    around = surroundings(world.state, environment)
    biome = BIOME_OF[around.biome]
    climate = biome.rainfall, biome.temperature
    told = np.array((*climate, around.light, around.sky, around.sun, SEA_LEVEL), np.float32)
    return {
        "pos": stats[arrays.X : arrays.Z + 1],
        "yaw": stats[arrays.YAW : arrays.YAW + 1],
        "pitch": stats[arrays.PITCH : arrays.PITCH + 1],
        "biome_id": np.array(biome.id, np.int64),
        "rainfall": told[0:1],
        "temperature": told[1:2],
        "light_level": told[2:3],
        "sky_light_level": told[3:4],
        "sun_brightness": told[4:5],
        "sea_level": told[5:6],
        "can_see_sky": np.array(around.sees_sky),
        "is_raining": np.array(around.rains),
    }


def _damage_source() -> dict[str, Any]:
    """Always zeros, as in MineDojo, which reads it from the wrong place."""
    return {
        **{name: _NOTHING.copy() for name in DAMAGE_AMOUNTS},
        **{name: _FALSE.copy() for name in DAMAGE_KINDS},
    }


def _delta_inventory(packed: Packed) -> dict[str, Any]:
    delta: dict[str, Any] = {}
    changed = packed.delta.tolist()
    for key, places, by_craft in (
        ("inc", slice(0, INCREASES), changed[5]),
        ("dec", slice(INCREASES, INCREASES + DECREASES), changed[6]),
    ):
        cause, other = ("craft", "other") if by_craft else ("other", "craft")
        few = changed[places]
        air = _AIR[len(few)]
        # Made of a list, so that the text type is as wide as the longest name.
        names = np.array([item_names[item] for item in few]) if any(few) else air.copy()
        delta[f"{key}_name_by_{cause}"] = names
        delta[f"{key}_quantity_by_{cause}"] = packed.amounts[places]
        delta[f"{key}_name_by_{other}"] = air.copy()
        delta[f"{key}_quantity_by_{other}"] = np.zeros(len(few), np.float32)
    return delta


def _voxels(world: Batch, environment: int) -> dict[str, Any]:
    player = world.state.players[environment]
    radius = world.voxel_radius
    n = 2 * radius + 1
    blocks = np.empty((n, n, n), np.int64)
    metas = np.empty((n, n, n), np.int64)
    cosines = np.empty((n, n, n), np.float32)
    x, y, z = (math.floor(player[axis]) - radius for axis in "xyz")
    PACK_VOXELS(world.state, environment, x, y, z, blocks, metas, cosines)
    return {
        "block_name": LOCALISED.take(blocks),
        "block_meta": metas,
        **dict(zip(TRAITS, FLAGS.take(blocks, axis=1), strict=True)),
        "cos_look_vec_angle": cosines,
    }


def _lidar(world: Batch, environment: int) -> dict[str, Any]:
    """The rays as in MineDojo: a positive yaw is to the *left*, unlike the player's own yaw."""
    assert world.lidar_rays is not None
    player = world.state.players[environment]
    eye = (float(player["x"]), float(player["y"]) + EYES, float(player["z"]))
    n = len(world.lidar_rays)
    blocks, metas = np.zeros(n, np.int64), np.zeros(n, np.int64)
    distances, traced = np.zeros(n, np.float32), np.zeros((n, 3), np.float32)
    entities, ranges = np.zeros(n, np.int64), np.zeros(n, np.float32)
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
        mob, ranges[number] = mob_on_ray(
            world.state, world.rules, environment, *eye, *look, float(distance)
        )
        if mob >= 0:
            entities[number] = world.state.mobs[environment, mob]["kind"]
        end = np.add(eye, np.multiply(distance, look))
        traced[number] = (x, y, z) if block else end
    return {
        "block_name": LOCALISED[blocks],
        "block_distance": distances,
        "block_meta": metas,
        "harvest_level": world.rules.block["level"][blocks].astype(np.int64),
        **dict(zip([*TRAITS][OF_RAYS], FLAGS[OF_RAYS].take(blocks, axis=1), strict=True)),
        "entity_name": ENTITIES[entities],
        "entity_distance": ranges,
        "ray_pitch": np.array([ray[0] for ray in world.lidar_rays], np.float32),
        "ray_yaw": np.array([ray[1] for ray in world.lidar_rays], np.float32),
        "traced_block_x": traced[:, 0],
        "traced_block_y": traced[:, 1],
        "traced_block_z": traced[:, 2],
    }
