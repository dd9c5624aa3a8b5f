"""MineDojo's spaces as Gymnasium spaces."""

import math
import multiprocessing
from ctypes import c_uint8
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import (
    create_shared_memory,
    read_from_shared_memory,
    write_to_shared_memory,
)
from numpy.typing import NDArray

from voxeldojo.actions import ACTION_SIZES
from voxeldojo.rules.mobs import entity_names

ENTITIES = [name.replace("_", "") for name in entity_names]  # the names in rays, "null" first


class Names(gymnasium.Space[NDArray[np.str_]]):
    """Arrays of names; MineDojo calls it a Text space."""

    def __init__(self, shape: tuple[int, ...], names: list[str], seed: Any = None) -> None:
        self.names = np.array(names)
        self.places = {name: place for place, name in enumerate(names)}
        super().__init__(shape, None, seed)

    @property
    def shape(self) -> tuple[int, ...]:
        assert self._shape is not None
        return self._shape

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> NDArray[np.str_]:
        return self.np_random.choice(self.names, self.shape)

    def contains(self, x: Any) -> bool:
        return (
            isinstance(x, np.ndarray)
            and x.dtype.kind == "U"
            and x.shape == self.shape
            and bool(np.isin(x, self.names).all())
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Names)
            and self.shape == other.shape
            and np.array_equal(self.names, other.names)
        )

    def __repr__(self) -> str:
        return f"Names({self.shape}, {len(self.names)} names)"


# An `AsyncVectorEnv` passes observations through memory that its processes share, which Gymnasium
# makes of its own spaces only. As a `SyncVectorEnv` does, it returns a tuple of the environments'
# arrays for a space that is not Gymnasium's.
@create_shared_memory.register(Names)
def _shared_names(space: Names, n: int = 1, ctx: Any = multiprocessing) -> Any:
    return ctx.Array(c_uint8, n * math.prod(space.shape) * space.names.itemsize)


@read_from_shared_memory.register(Names)
def _read_names(space: Names, shared_memory: Any, n: int = 1) -> tuple[NDArray[np.str_], ...]:
    whole = np.frombuffer(shared_memory.get_obj(), space.names.dtype)
    return tuple(whole.reshape(n, *space.shape))


@write_to_shared_memory.register(Names)
def _write_names(space: Names, index: int, value: NDArray[np.str_], shared_memory: Any) -> None:
    whole = np.frombuffer(shared_memory.get_obj(), space.names.dtype)
    whole.reshape(-1, *space.shape)[index] = value


def space_of_ids(space: spaces.Dict) -> spaces.Dict:
    """The space with numbers in place of names."""
    entries: dict[str, spaces.Space[Any]] = {}
    for key, entry in space.items():
        if isinstance(entry, spaces.Dict):
            entries[key] = space_of_ids(entry)
        elif isinstance(entry, Names):
            entries[key] = integer(0, len(entry.names) - 1, *entry.shape)
        else:
            entries[key] = entry
    return spaces.Dict(entries)


def to_ids(space: spaces.Dict, seen: dict[str, Any]) -> dict[str, Any]:
    """An observation with each name replaced by its place among the space's names."""
    numbered: dict[str, Any] = {}
    for key, entry in space.items():
        if isinstance(entry, spaces.Dict):
            numbered[key] = to_ids(entry, seen[key])
        elif isinstance(entry, Names):
            ids = [entry.places[name] for name in seen[key].ravel().tolist()]
            numbered[key] = np.array(ids, np.int64).reshape(entry.shape)
        else:
            numbered[key] = seen[key]
    return numbered


def action_space() -> spaces.MultiDiscrete:
    return spaces.MultiDiscrete(np.array(ACTION_SIZES, np.int64))


def number(low: float, high: float, shape: tuple[int, ...] = (1,)) -> spaces.Box:
    return spaces.Box(low, high, shape, np.float32)


def flag(*shape: int) -> spaces.Box:
    # Gymnasium accepts booleans; its annotation does not.
    return spaces.Box(0, 1, shape, np.bool_)  # pyright: ignore[reportCallIssue, reportArgumentType]


def integer(low: int, high: int, *shape: int) -> spaces.Box:
    return spaces.Box(low, high, shape, np.int64)


def _slots(count: int, items: list[str]) -> spaces.Dict:
    return spaces.Dict(
        {
            "name": Names((count,), items),
            "quantity": number(0.0, 64.0, (count,)),
            "variant": integer(0, 1 << 31, count),
            "cur_durability": number(-1.0, np.inf, (count,)),
            "max_durability": number(-1.0, np.inf, (count,)),
        }
    )


def _voxels(shape: tuple[int, int, int], blocks: list[str]) -> spaces.Dict:
    flags = (
        "is_collidable",
        "is_tool_not_required",
        "blocks_movement",
        "is_liquid",
        "is_solid",
        "can_burn",
        "blocks_light",
    )
    return spaces.Dict(
        {
            "block_name": Names(shape, blocks),
            "block_meta": integer(0, 120, *shape),
            **{name: flag(*shape) for name in flags},
            "cos_look_vec_angle": number(-1.0, 1.0, shape),
        }
    )


def _rays(n: int, blocks: list[str]) -> spaces.Dict:
    flags = ("is_tool_not_required", "blocks_movement", "is_liquid", "is_solid", "can_burn")
    anywhere = ("ray_pitch", "ray_yaw", "traced_block_x", "traced_block_y", "traced_block_z")
    return spaces.Dict(
        {
            "block_name": Names((n,), blocks),
            "block_distance": number(-1.0, np.inf, (n,)),
            "block_meta": integer(0, 120, n),
            "harvest_level": integer(-1, 4, n),
            **{name: flag(n) for name in flags},
            "entity_name": Names((n,), ENTITIES),
            "entity_distance": number(-1.0, np.inf, (n,)),
            **{name: number(-np.inf, np.inf, (n,)) for name in anywhere},
        }
    )


def _delta_inventory(items: list[str]) -> spaces.Dict:
    entries: dict[str, spaces.Space[Any]] = {}
    for change, count in (("inc", 1), ("dec", 4)):
        for cause in ("craft", "other"):
            entries[f"{change}_name_by_{cause}"] = Names((count,), items)
            entries[f"{change}_quantity_by_{cause}"] = number(0.0, 2304.0, (count,))
    return spaces.Dict(entries)


def observation_space(
    image_size: tuple[int, int],
    item_names: list[str],
    block_names: list[str],
    voxel_shape: tuple[int, int, int] | None,
    rays: int | None,
) -> spaces.Dict:
    """The space of MineDojo's observation dictionary. ``voxel_shape`` and ``rays`` (their number)
    are None if the observation has none."""
    blank = [name.replace("_", " ") for name in item_names]
    entries: dict[str, spaces.Space[Any]] = {
        "rgb": spaces.Box(0, 255, (3, *image_size), np.uint8),
        "inventory": _slots(36, blank),
        "equipment": _slots(6, blank),
        "delta_inv": _delta_inventory(item_names),
        "life_stats": spaces.Dict(
            {
                "life": number(0.0, 20.0),
                "food": number(0.0, 20.0),
                "saturation": number(0.0, 20.0),
                "armor": number(0.0, 20.0),
                "oxygen": number(0.0, 300.0),
                "xp": number(0.0, np.inf),  # MineDojo's space ends at 1395
                "is_sleeping": flag(),
            }
        ),
        "location_stats": spaces.Dict(
            {
                "pos": number(-640000.0, 640000.0, (3,)),
                "yaw": number(-180.0, 180.0),
                "pitch": number(-180.0, 180.0),
                "biome_id": integer(0, 167),
                "rainfall": number(0.0, 1.0),
                "temperature": number(-0.5, 2.0),  # MineDojo's space ends at 0 and 1
                "light_level": number(0.0, 15.0),
                "sky_light_level": number(0.0, 1.0),
                "sun_brightness": number(0.0, 1.0),
                "sea_level": number(0.0, 255.0),
                "can_see_sky": flag(),
                "is_raining": flag(),
            }
        ),
        "nearby_tools": spaces.Dict({"table": flag(), "furnace": flag()}),
        "damage_source": spaces.Dict(
            {
                "damage_amount": number(0.0, 40.0),
                "damage_distance": number(0.0, np.inf),
                "damage_pitch": number(-90.0, 90.0),
                "damage_yaw": number(-180.0, 180.0),
                "hunger_damage": number(0.0, 20.0),
                "is_explosion": flag(),
                "is_fire_damage": flag(),
                "is_magic_damage": flag(),
                "is_projectile": flag(),
                "is_unblockable": flag(),
            }
        ),
        "masks": spaces.Dict(
            {
                "action_type": flag(8),
                "action_arg": flag(8, 1),
                "craft_smelt": flag(244),
                "equip": flag(36),
                "place": flag(36),
                "destroy": flag(36),
            }
        ),
    }
    if voxel_shape is not None:
        entries["voxels"] = _voxels(voxel_shape, block_names)
    if rays is not None:
        entries["rays"] = _rays(rays, block_names)
    return spaces.Dict(entries)


def batch_space(items: int, blocks: int) -> spaces.Dict:
    """One environment of the batched form: ids and numbers instead of names."""
    return spaces.Dict(
        {
            "item": integer(0, items - 1, 36),
            "quantity": integer(0, 64, 36),
            "voxels": integer(0, blocks - 1, 3, 3, 3),
            "facing": integer(0, blocks - 1),
            "position": number(-np.inf, np.inf, (3,)),
            "yaw": number(-180.0, 180.0, ()),
            "pitch": number(-90.0, 90.0, ()),
            "life": number(0.0, 20.0, ()),
            "food": number(0.0, 20.0, ()),
            "action_type": flag(8),
            "craft_smelt": flag(244),
            "equip": flag(36),
            "place": flag(36),
            "destroy": flag(36),
        }
    )
