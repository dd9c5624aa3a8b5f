"""The functions that Gymnasium calls for an id (registration.py), with the arguments of
``gymnasium.make``."""

from typing import Any

from voxeldojo.environments.dictionary import DictionaryEnvironment
from voxeldojo.environments.plays import HarvestPlay, MineDojoPlay, check_no_render_mode
from voxeldojo.environments.registration import other_limits
from voxeldojo.environments.vector import DictionaryVector
from voxeldojo.names import quoted
from voxeldojo.tasks.horizons import TASK_HORIZON

PICTURE = (160, 256)
"""Height and width of MineDojo's picture."""
Size = tuple[int, int]


def harvest(
    *, image_size: Size = PICTURE, render_mode: str | None = None, ids: bool = False, **task: Any
) -> DictionaryEnvironment:
    play = HarvestPlay(image_size=image_size, **task)
    return DictionaryEnvironment(play, play.world.image_size, render_mode, ids)


def minedojo(
    *, image_size: Size = PICTURE, render_mode: str | None = None, ids: bool = False, **task: Any
) -> DictionaryEnvironment:
    play = minedojo_play(image_size, task)
    return DictionaryEnvironment(play, play.world.image_size, render_mode, ids)


def harvest_vector(
    *,
    num_envs: int = 1,
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    **task: Any,
) -> DictionaryVector:
    check_no_render_mode(render_mode)
    return DictionaryVector(HarvestPlay(num_envs, **task), max_episode_steps)


def minedojo_play(image_size: Size, task: dict[str, Any]) -> MineDojoPlay:
    """``own_task`` is that of the id, if it has one.

    Raises:
        ValueError: no task is named, another one than the id's, or one that ``MineDojo-v0`` would
            cut off too early; and what `MineDojoPlay` raises.
    """
    own = task.get("own_task")
    named = task.get("task_id", own)
    if named is None:
        raise ValueError("name the task: task_id='harvest_1_log', or its own id as the name")
    if own is not None and named != own:
        raise ValueError(
            f"this environment is of the task {own}, not of {quoted(named)}: leave task_id out, or "
            "make MineDojo-v0, which has that argument"
        )
    long = named.lower() if isinstance(named, str) else ""
    if own is None and long in other_limits():
        raise ValueError(
            f"MineDojo-v0 cuts an episode off after {TASK_HORIZON:,} steps, which is not the limit "
            f"of {long}: make {long}-v0 in its place"
        )
    rest = {name: value for name, value in task.items() if name not in ("own_task", "task_id")}
    return MineDojoPlay(named, **rest, image_size=image_size)
