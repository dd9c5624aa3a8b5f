"""The Gymnasium ids. ``import voxeldojo`` registers them as soon as Gymnasium is imported.

Only ids and arguments are here: Gymnasium imports the environments when one is made. A task is
``HarvestLog``, ``MineDojo`` (with ``task_id=...``), or the id of any programmatic task of MineDojo.
"""

from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from voxeldojo.tasks import task_ids
from voxeldojo.tasks.all_tasks import PLAYTHROUGH
from voxeldojo.tasks.horizons import PLAYTHROUGH_STEPS, TASK_HORIZON

HORIZON = 1000
"""Steps of an episode of ``HarvestLog``."""


def register() -> None:
    """Register ``voxeldojo/TASK-v0``, with MineDojo's dictionary. A second call changes nothing."""
    register_form("voxeldojo", "", "voxeldojo.environments.entry_points:", "")


def register_form(namespace: str, suffix: str, makers: str, ending: str, **about: Any) -> None:
    """Register ``namespace/TASK{suffix}-v0`` for every task.

    ``makers``: the module, with a colon, that has the functions ``harvest{ending}``,
    ``harvest{ending}_vector`` and ``minedojo{ending}``. ``about``: fields of their `EnvSpec`.
    """
    # The dictionary holds arrays of names, which Gymnasium's checker does not support.
    about = {"disable_env_checker": not suffix, **about}
    _enter(
        EnvSpec(
            id=f"{namespace}/HarvestLog{suffix}-v0",
            entry_point=f"{makers}harvest{ending}",
            vector_entry_point=f"{makers}harvest{ending}_vector",
            max_episode_steps=HORIZON,
            **about,
        )
    )
    limits = other_limits()
    for task in ("MineDojo", *task_ids("programmatic"), PLAYTHROUGH):
        _enter(
            EnvSpec(
                id=f"{namespace}/{task}{suffix}-v0",
                entry_point=f"{makers}minedojo{ending}",
                max_episode_steps=limits.get(task, TASK_HORIZON),
                kwargs={} if task == "MineDojo" else {"own_task": task},
                **about,
            )
        )


def other_limits() -> dict[str, int | None]:
    """The tasks that are not cut off after `TASK_HORIZON` steps, with their own limits."""
    # Survival ends by itself.
    return {PLAYTHROUGH: PLAYTHROUGH_STEPS, **dict.fromkeys(task_ids("survival"))}


def _enter(spec: EnvSpec) -> None:
    # gymnasium.register searches all ids for each new one, which takes seconds for thousands.
    gymnasium.registry.setdefault(spec.id, spec)
