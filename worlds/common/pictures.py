"""Pictures of the world as what a policy sees, in any game: ``rgb``, or ``rgb_120x160`` of another
height and width."""

import math
import re
from collections.abc import Iterable

from worlds.card import Feature

SIDE = 64
LEAST_SIDE, MOST_SIDE = 36, 256  # pixels

RGB = Feature(
    name="rgb",
    size=3 * SIDE * SIDE,
    description=f"the picture that the player sees, {SIDE} x {SIDE} (other sizes: rgb_120x160, "
    "height x width); learning from it takes far more samples and time than from the others",
)
SIZED = "rgb_[0-9]{2,3}x[0-9]{2,3}"
"""A picture of another size, for a schema; of these `picture_shape` refuses some."""
_NAME = re.compile(r"rgb(?:_(\d{1,4})x(\d{1,4}))?")


def picture_shape(name: str) -> tuple[int, int, int] | None:
    """Channels, height and width of a feature, None for one that is no picture or of a size that
    none can have. Its columns are the picture's numbers in that order, 0 (black) to 1, or
    to 255 as uint8."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    height, width = (int(side or SIDE) for side in found.groups())
    if not all(LEAST_SIDE <= side <= MOST_SIDE for side in (height, width)):
        return None
    return 3, height, width


def only_pictures(names: Iterable[str]) -> bool:
    """Whether all of these features are pictures, which then are bytes in place of floats."""
    return all(picture_shape(name) for name in names)


def picture_size(name: str) -> int:
    """Columns of a feature that is a picture, 0 for another."""
    shape = picture_shape(name)
    return 0 if shape is None else math.prod(shape)
