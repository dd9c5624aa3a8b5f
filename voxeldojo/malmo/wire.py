"""A game's state in the protocol's form: the frame, and the info as JSON."""

from itertools import chain
from typing import Any

import msgspec

from voxeldojo.game import Game, java_names_of

# The order of the scalars of a block and of a ray in their flat lists.
VOXEL_KEYS = (
    "block_name",
    "block_meta",
    "is_collidable",
    "is_tool_not_required",
    "blocks_movement",
    "is_liquid",
    "is_solid",
    "can_burn",
    "blocks_light",
    "cos_look_vec_angle",
)
RAY_KEYS = (
    "block_name",
    "block_distance",
    "block_meta",
    "harvest_level",
    "is_tool_not_required",
    "blocks_movement",
    "is_liquid",
    "is_solid",
    "can_burn",
    "entity_name",
    "entity_distance",
    "ray_pitch",
    "ray_yaw",
    "traced_block_x",
    "traced_block_y",
    "traced_block_z",
)


def frame_and_info(game: Game) -> tuple[bytes, bytes]:
    """The picture, bottom row first, and everything else."""
    seen = game.observation()
    frame = seen["rgb"].transpose(1, 2, 0)[::-1].tobytes()
    info: dict[str, Any] = {**game.info(), **java_names_of(seen)}
    if "voxels" in seen:
        info["voxels"] = _flat(seen["voxels"], VOXEL_KEYS)
    if "rays" in seen:
        rays = seen["rays"]
        names = ["null" if n == "null" else f"Entity{n}" for n in rays["entity_name"].tolist()]
        info["rays"] = _flat({**rays, "entity_name": names}, RAY_KEYS)
    return frame, msgspec.json.encode(info)


def _flat(table: dict[str, Any], keys: tuple[str, ...]) -> list[Any]:
    """All scalars of the first entry, then of the second; x runs fastest, then y, then z."""
    columns = [
        table[key] if isinstance(table[key], list) else table[key].ravel(order="F").tolist()
        for key in keys
    ]
    return list(chain.from_iterable(zip(*columns, strict=True)))
