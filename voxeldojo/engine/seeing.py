"""Checks the options about pictures, voxels and rays, from a launch file or a caller."""

from collections.abc import Sequence
from typing import Any

from voxeldojo.names import quoted
from voxeldojo.tasks.argument_types import is_finite, is_integer, is_number

LARGEST_SIDE = 4096  # pixels of an image
_FARTHEST = 16  # blocks from the player, of voxels


def check_seeing(
    image_size: Any, use_voxel: Any, voxel_radius: Any, use_lidar: Any, lidar_rays: Any
) -> None:
    """Options of `EmbeddedWorld`, which has their meaning.

    Raises:
        ValueError: one of them is invalid; the sentence has the accepted values.
    """
    for name, wanted in (("use_voxel", use_voxel), ("use_lidar", use_lidar)):
        if not isinstance(wanted, bool):
            raise ValueError(f"{name} is true or false, not {quoted(wanted)}")
    sides = _values(image_size)
    if len(sides) != 2 or not all(is_integer(side) and 1 <= side <= LARGEST_SIDE for side in sides):
        raise ValueError(
            f"image_size is a height and a width of 1 to {LARGEST_SIDE} pixels, "
            f"not {quoted(image_size)}"
        )
    if not is_integer(voxel_radius) or not 0 <= voxel_radius <= _FARTHEST:
        raise ValueError(f"voxel_radius is 0 to {_FARTHEST} blocks, not {quoted(voxel_radius)}")
    for ray in () if lidar_rays is None else _values(lidar_rays) or [None]:
        numbers = _values(ray)
        if (
            len(numbers) != 3
            or not all(is_number(n) and is_finite(n) for n in numbers)
            or numbers[2] <= 0
        ):
            raise ValueError(
                "lidar_rays are [pitch, yaw, metres] each, finite and with metres above 0, "
                f"not {quoted(ray)}"
            )


def _values(value: Any) -> Sequence[Any]:
    """The values of a list or an array; empty for anything else."""
    if isinstance(value, str) or not hasattr(value, "__len__") or not hasattr(value, "__iter__"):
        return ()
    return list(value)
