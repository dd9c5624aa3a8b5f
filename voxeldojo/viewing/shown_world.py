"""Makes a world to look at, from the id of a task or the name of a biome."""

from voxeldojo.engine.observation.view_options import LARGEST_SIDE
from voxeldojo.game import Game
from voxeldojo.names import near, quoted
from voxeldojo.rules import BIOMES
from voxeldojo.tasks import (
    UnknownTask,
    make_kwargs,
    task_ids,
    task_kwargs,
    task_spec,
    world_settings,
)


class CannotSee(ValueError):
    """A request cannot be shown; the text has the reason, in one sentence."""


def open_game(what: str, seed: int) -> tuple[Game, str]:
    """One world, and the prompt of its task. ``what``: a MineDojo task id, or a biome.

    Raises:
        CannotSee: it is neither, or the embedded world does not support it.
    """
    biomes = [biome.name for biome in BIOMES]
    name = what.lower().replace(" ", "_")
    try:
        if name in biomes:
            arguments = make_kwargs("open-ended", image_size=(160, 256))
            settings = world_settings("open-ended", arguments)
            return Game(settings, default_biome=name, seed=seed), f"Look around in {name}."
        spec = task_spec(what)
        settings = world_settings(spec.kind, task_kwargs(spec, image_size=(160, 256)))
        return Game(settings, seed=seed), spec.prompt
    except UnknownTask:
        hint = near(name, [*biomes, *task_ids()]) or (
            "; tasks are called like harvest_1_log, biomes like plains"
        )
        raise CannotSee(f"{quoted(what)} is neither a task id nor a biome{hint}") from None
    except ValueError as refused:
        raise CannotSee(f"the embedded world cannot show {quoted(what)}: {refused}") from refused


def size_of(text: str) -> tuple[int, int]:
    """(height, width) of "160x256".

    Raises:
        CannotSee: it is no size.
    """
    height, _, width = text.lower().partition("x")
    if not (height.isdecimal() and width.isdecimal()):
        raise CannotSee(f"a size is HEIGHTxWIDTH in pixels, like 160x256, not {quoted(text)}")
    # int() refuses thousands of digits.
    sides = [int(side) if len(side) < 10 else LARGEST_SIDE + 1 for side in (height, width)]
    if not all(1 <= side <= LARGEST_SIDE for side in sides):
        raise CannotSee(f"a picture has 1 to {LARGEST_SIDE} pixels a side, not {quoted(text)}")
    return sides[0], sides[1]
