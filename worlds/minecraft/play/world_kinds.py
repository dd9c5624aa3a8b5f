"""Minecraft's worlds by kind."""

from typing import Any

from messages.world import Task
from voxeldojo.world_interface import World
from worlds.minecraft.card.task_check import biome_of, world_lacks

KINDS = ("embedded", "minedojo")


def make_world(kind: str, size: int, task: Task, **options: Any) -> World:
    """A batch of ``size`` environments of ``task``. ``options`` are those of the world's class;
    ``task.world`` overrides them.

    Raises:
        ValueError: an unknown kind, biome, item or option.
        WorldError: the kind needs something that is not installed here.
    """
    if kind not in KINDS:
        raise ValueError(f"there is no world {kind!r}; there are {', '.join(KINDS)}")
    made = _class_of(kind)
    if problem := world_lacks(task, kind):
        raise ValueError(problem)
    chosen = {**options, **task.world}
    biome = biome_of(task)
    if not biome:
        chosen.setdefault("generate_world_type", "default")
    unknown = sorted(set(chosen) - set(made.OPTIONS))
    if unknown:
        raise ValueError(
            f"the {kind} world has no option {', '.join(unknown)}; it has {', '.join(made.OPTIONS)}"
        )
    try:
        return made(size, biome=biome, inventory=task.inventory, **chosen)
    except TypeError as error:
        raise ValueError(f"an option of the {kind} world cannot be used: {error}") from error


def _class_of(kind: str) -> Any:
    # Compiled kernels take a second to load: only where they are wanted.
    if kind == "embedded":
        from voxeldojo.engine import EmbeddedWorld

        return EmbeddedWorld
    from worlds.minecraft.play.minedojo import MineDojoWorld

    return MineDojoWorld
