"""Makes an environment from a task's id or a meta task's name."""

import math
from typing import Any

from voxeldojo.meta_tasks import make_meta_task, prompt_of
from voxeldojo.minedojo_api.environment import Environment
from voxeldojo.minedojo_api.simulation import Simulation
from voxeldojo.names import quoted
from voxeldojo.tasks import (
    UnknownTask,
    WrongArgument,
    WrongValue,
    make_kwargs,
    meta_tasks,
    task_kwargs,
    task_spec,
    world_settings,
)
from voxeldojo.tasks.argument_types import integer, is_number

LEAST_TURN = 1e-6  # degrees of a camera bin; with less the bins are too many to be numbered


def make(
    task_id: str,
    *,
    cam_interval: float = 15,
    biome: str | None = None,
    area: int = 128,
    **kwargs: Any,
) -> Environment:
    """The environment that ``minedojo.make`` makes: a task by its id ("harvest_1_log",
    "creative:5", "playthrough") or a meta task with arguments ("harvest", "combat", "techtree",
    "survival", "creative", "open-ended").

    ``biome`` and ``area`` are arguments of this world only: the one biome of the world if the task
    names none (None: all biomes), and the columns along each side of the window around the player.

    Raises:
        UnknownTask: there is no such task.
        WrongArgument, WrongValue: arguments that MineDojo would reject, or fail on later.
        NotInThisWorld: the embedded world does not have what the task needs.
    """
    if not isinstance(task_id, str):
        raise WrongArgument(f"a task is a string such as 'harvest_1_log', not {quoted(task_id)}")
    if not (is_number(cam_interval) and LEAST_TURN <= cam_interval <= 360.0):
        raise WrongValue(
            f"cam_interval is in degrees, above 0 and up to 360, not {quoted(cam_interval)}"
        )
    if not isinstance(cam_interval, int):
        cam_interval = float(cam_interval)  # with NumPy's types sums would be less exact
    area = integer("area", area)
    kind, guidance = task_id.lower(), None
    try:
        # "survival" is a task and a meta task: the task comes first, as in MineDojo.
        spec = task_spec(task_id)
    except UnknownTask as unknown:
        if kind not in meta_tasks():
            raise UnknownTask(f"{unknown} (meta tasks: {', '.join(meta_tasks())})") from None
        arguments = make_kwargs(kind, **kwargs)
        prompt = prompt_of(kind, arguments)
    else:
        kind, guidance, prompt = spec.kind, spec.guidance, spec.prompt
        arguments = task_kwargs(spec, **kwargs)
    if not arguments["event_level_control"]:
        raise WrongValue("event_level_control=False has no equip and place, which actions need")
    settings = world_settings(kind, arguments)
    simulation = Simulation(
        settings,
        biome=biome,
        area=area,
        refuse_commands=arguments.get("raise_error_on_invalid_cmds", False),
    )
    bins = math.ceil(360 / cam_interval) + 1
    task = make_meta_task(kind, arguments)
    return Environment(simulation, task, settings, prompt, guidance, cam_interval, bins)
