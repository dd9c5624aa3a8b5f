"""What Gymnasium calls for an id (`nodes/common/running/gymnasium_registration.py`): a play and
what is seen of it, put together. The functions' arguments are those of ``gymnasium.make``."""

from collections.abc import Sequence
from typing import Any

from voxeldojo.actions import CAMERA_STEP
from voxeldojo.environments.checked_arguments import checked_names
from voxeldojo.environments.entry_points import PICTURE, Size, minedojo_play
from voxeldojo.environments.plays import HarvestPlay, MineDojoPlay, Play, check_no_render_mode
from voxeldojo.environments.registration import HORIZON
from voxeldojo.names import quoted
from voxeldojo.tasks.argument_types import is_number
from worlds.minecraft.play.gymnasium.flat_forms import FlatEnvironment
from worlds.minecraft.play.gymnasium.policy_view import PolicyView
from worlds.minecraft.play.gymnasium.sights import Features, Pixels
from worlds.minecraft.play.gymnasium.suggestions import suggestion
from worlds.minecraft.play.gymnasium.vector import FlatVector

SMALL = (64, 64)
"""The size of what the pixels form shows."""


def harvest_features(
    *, image_size: Size = PICTURE, render_mode: str | None = None, **arguments: Any
) -> FlatEnvironment:
    sights, task = _divided(arguments)
    play = HarvestPlay(image_size=image_size, **task)
    return _environment(*_features(play, **sights), render_mode)


def harvest_features_vector(
    *,
    num_envs: int = 1,
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    **arguments: Any,
) -> FlatVector:
    check_no_render_mode(render_mode)
    sights, task = _divided(arguments)
    return FlatVector(*_features(HarvestPlay(num_envs, **task), **sights), max_episode_steps)


def minedojo_features(
    *, image_size: Size = PICTURE, render_mode: str | None = None, **arguments: Any
) -> FlatEnvironment:
    sights, task = _divided(arguments)
    return _environment(*_features(_play(image_size, task), **sights), render_mode)


def harvest_pixels(
    *,
    image_size: Size = SMALL,
    actions: Sequence[str] | None = None,
    render_mode: str | None = None,
    **task: Any,
) -> FlatEnvironment:
    play = HarvestPlay(image_size=image_size, **task)
    return _environment(*_pixels(play, actions), render_mode)


def harvest_pixels_vector(
    *,
    num_envs: int = 1,
    image_size: Size = SMALL,
    actions: Sequence[str] | None = None,
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    **task: Any,
) -> FlatVector:
    check_no_render_mode(render_mode)
    play = HarvestPlay(num_envs, image_size=image_size, **task)
    return FlatVector(*_pixels(play, actions), max_episode_steps)


def minedojo_pixels(
    *,
    image_size: Size = SMALL,
    actions: Sequence[str] | None = None,
    render_mode: str | None = None,
    **task: Any,
) -> FlatEnvironment:
    return _environment(*_pixels(_play(image_size, task), actions), render_mode)


def _play(image_size: Size, task: dict[str, Any]) -> MineDojoPlay:
    """Raises ValueError: the camera has other bins than those that named actions count in."""
    bin_size = task.get("cam_interval", CAMERA_STEP)
    if not (is_number(bin_size) and bin_size == CAMERA_STEP):
        raise ValueError(
            f"named actions turn the camera in bins of {CAMERA_STEP:g} degrees, and cam_interval is"
            f" {quoted(bin_size)}: leave it out, or take the id without -features or -pixels"
        )
    return minedojo_play(image_size, task)


OBSERVATIONS = (
    "compass", "height", "life", "voxels", "rays", "facing", "target", "inventory",
    "previous_choice", "time",
)  # fmt: skip
"""Features of an environment that names none: those of its version. Others are chosen by name."""
OF_FEATURES = ("observations", "actions", "targets", "items", "horizon")


def _divided(arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Those of the features, and the task's. None stands for a default.

    Raises:
        ValueError: what is a list of names is something else.
    """
    sights = {
        name: value if name == "horizon" else checked_names(name, value)
        for name, value in arguments.items()
        if name in OF_FEATURES and (value is not None or name == "horizon")
    }
    return sights, {name: value for name, value in arguments.items() if name not in OF_FEATURES}


def _features(
    play: Play,
    observations: Sequence[str] = OBSERVATIONS,
    actions: Sequence[str] | None = None,
    targets: Sequence[str] | None = None,
    items: Sequence[str] | None = None,
    horizon: int = HORIZON,
) -> tuple[PolicyView, list[str]]:
    """What is None is suggested by the task."""
    suggested = suggestion(play.wanted, play.inventory)
    names = list(suggested.actions if actions is None else actions)
    view = PolicyView(
        play,
        lambda choices: Features(
            play.world,
            observations,
            suggested.targets if targets is None else targets,
            suggested.items if items is None else items,
            choices,
        ),
        names,
        horizon,
    )
    return view, names


def _pixels(play: Play, actions: Sequence[str] | None) -> tuple[PolicyView, list[str]]:
    if actions is None:
        names = suggestion(play.wanted, play.inventory).actions
    else:
        names = checked_names("actions", actions)
    size = play.world.image_size
    return PolicyView(play, lambda _: Pixels(play.world, size), names, HORIZON), names


def _environment(
    view: PolicyView, names: list[str], render_mode: str | None
) -> FlatEnvironment:  # fmt: skip
    return FlatEnvironment(view, names, view.play.world.image_size, render_mode)
