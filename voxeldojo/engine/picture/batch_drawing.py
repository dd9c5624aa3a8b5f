"""Draws the pictures of a batch, several at once.

A picture reads its own world, the rules and the textures, and writes into its image and the scratch
of its thread. So it is the same, bit by bit, whichever thread draws it.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voxeldojo.engine.batch import Batch
from voxeldojo.engine.picture.bodies import NOTHING
from voxeldojo.engine.picture.render import DRAW
from voxeldojo.engine.picture.textures import textures
from voxeldojo.engine.threads.thread_crew import Crew
from voxeldojo.world_interface import Ints

MOST_PIXELS = 1 << 24

Scratch = tuple[Any, Any, Any]


def picture(world: Batch, environment: int, height: int, width: int) -> NDArray[np.uint8]:
    """The picture of one environment, (3, height, width).

    Raises:
        ValueError: a picture without pixels, or one of more than 16 million.
    """
    _check_size(height, width)
    near, paint, cells = _scratch(world, height, width, 0)
    image = world.buffer(("image", height, width), (3, height, width), np.uint8)
    DRAW(world.state, world.rules, textures(), environment, near, paint, cells, image)
    return image


def pictures(
    world: Batch, crew: Crew, environments: Ints, height: int, width: int
) -> NDArray[np.uint8]:
    """The pictures of these environments, (n, 3, height, width).

    Raises:
        ValueError: pictures without pixels, or of more than 16 million.
    """
    _check_size(height, width)
    count = len(environments)  # one may be named several times
    shape = max(count, world.size), 3, height, width
    images = world.buffer(("images", *shape), shape, np.uint8)[:count]
    draw(world, crew, environments, images)
    return images


def draw(
    world: Batch, crew: Crew, environments: Ints, pictures: Iterable[NDArray[np.uint8]]
) -> None:
    """What the players of ``environments`` (n,) see, into ``pictures``: n arrays (3, H, W) of one
    size. Each thread of the crew takes the next one when it is done with the last, as pictures
    differ in how long they take.

    Raises:
        ValueError: other arrays; pictures without pixels, or of more than 16 million.
    """
    images = list(pictures)
    if len(images) != len(environments):
        raise ValueError(f"{len(environments)} pictures do not fit into {len(images)} arrays")
    if not images:
        return
    shape = images[0].shape
    for image in images:  # kernels do not check them
        if image.ndim != 3 or image.shape != shape or shape[0] != 3 or image.dtype != np.uint8:
            raise ValueError(
                "pictures are arrays (3, height, width) of one size and of uint8, not "
                f"{image.shape} of {image.dtype}"
            )
        if not (image.flags.c_contiguous and image.flags.writeable):
            raise ValueError("pictures are drawn into arrays that are contiguous and writeable")
    _, height, width = shape
    _check_size(height, width)
    # One iterator for all threads: Python's lock gives each entry to one of them.
    left = iter(list(zip(environments.tolist(), images, strict=True)))
    state, rules, looks = world.state, world.rules, textures()

    def part(scratch: Scratch, left: Iterator[tuple[int, Any]]) -> None:
        for environment, image in left:
            DRAW(state, rules, looks, environment, *scratch, image)

    scratches = [
        _scratch(world, height, width, thread) for thread in range(min(crew.threads, len(images)))
    ]
    crew.share([lambda scratch=scratch: part(scratch, left) for scratch in scratches])


def _check_size(height: int, width: int) -> None:
    if height < 1 or width < 1 or height * width > MOST_PIXELS:
        raise ValueError(f"a picture of {height} x {width} pixels cannot be drawn")


def _scratch(world: Batch, height: int, width: int, thread: int) -> Scratch:
    def buffer(name: str, kind: Any) -> Any:
        return world.buffer((name, height, width, thread), (height, width), kind)

    near = buffer("near", np.float32)
    if near[0, 0] == 0.0:
        near[:] = NOTHING
    return near, buffer("paint", np.uint32), buffer("cells", np.int32)
