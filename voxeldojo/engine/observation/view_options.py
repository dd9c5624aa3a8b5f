"""Checks the options of a world's pictures, voxels and rays."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from voxeldojo.names import quoted
from voxeldojo.tasks.argument_types import is_finite, is_integer, is_number
from voxeldojo.world_interface import Floats

LARGEST_SIDE = 4096  # pixels of an image
_FARTHEST = 16  # blocks from the player, of voxels


def check_view_options(
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
    # What is no list, or an empty one, is quoted whole.
    for ray in () if lidar_rays is None else _values(lidar_rays) or [lidar_rays]:
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


def check_radius(radius: int) -> None:
    """Raises ValueError: it is negative."""
    if radius < 0:
        raise ValueError(f"a radius is not negative, {radius} is")


def checked_rays(pitch_yaw: Floats, reach: float) -> Floats:
    """A copy that kernels can take.

    Raises:
        ValueError: another shape than (R, 2), or a reach out of range.
    """
    pitch_yaw = np.array(pitch_yaw, np.float32, order="C")
    if pitch_yaw.ndim != 2 or pitch_yaw.shape[1] != 2:
        raise ValueError(f"pitch_yaw is (R, 2), not {pitch_yaw.shape}")
    if not 0.0 < reach < 1e6:
        raise ValueError(f"reach is above 0 and below 1,000,000 metres, not {reach}")
    return pitch_yaw


def _values(value: Any) -> Sequence[Any]:
    """The values of a list or an array; empty for anything else."""
    if isinstance(value, str) or not hasattr(value, "__len__") or not hasattr(value, "__iter__"):
        return ()
    return list(value)
