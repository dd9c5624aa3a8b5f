"""The embedded world's Gymnasium ids. ``import rlgpt`` registers them,
as soon as Gymnasium is imported.

Ids and arguments only: what plays is imported by Gymnasium when an environment is made. Each task
comes in three forms: ``rlgpt/TASK-v0`` with MineDojo's dictionary, ``rlgpt/TASK-features-v0`` with
a vector and ``rlgpt/TASK-pixels-v0`` with a picture. TASK is ``HarvestLog``, ``MineDojo`` (with
``task_id=...``), or the id of any programmatic task of MineDojo.
"""

from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from models.tasks import task_ids
from models.tasks.catalogue import PLAYTHROUGH

HORIZON = 1000
"""Steps of an episode of ``HarvestLog``."""
TASK_HORIZON = 3000
"""Steps of an episode of MineDojo's tasks, which name none."""
PLAYTHROUGH_STEPS = 115_200  # MineDojo's own limit

_MAKERS = "nodes.env_server.gymnasium_api.making:"
_FORMS = {"": "", "-features": "_features", "-pixels": "_pixels"}


def register() -> None:
    """Enter the ids. A second call changes nothing."""
    # Survival says itself when it is over.
    limits = {PLAYTHROUGH: PLAYTHROUGH_STEPS, **dict.fromkeys(task_ids("survival"))}
    for suffix, maker in _FORMS.items():
        _enter(
            f"rlgpt/HarvestLog{suffix}-v0",
            f"harvest{maker}",
            vector_entry_point=f"{_MAKERS}harvest{maker}_vector",
            max_episode_steps=HORIZON,
        )
        _enter(f"rlgpt/MineDojo{suffix}-v0", f"minedojo{maker}", max_episode_steps=TASK_HORIZON)
        for task in (*task_ids("programmatic"), PLAYTHROUGH):
            limit = limits.get(task, TASK_HORIZON)
            kwargs = {"task_id": task}
            _enter(
                f"rlgpt/{task}{suffix}-v0",
                f"minedojo{maker}",
                max_episode_steps=limit,
                kwargs=kwargs,
            )


def _enter(name: str, maker: str, **about: Any) -> None:
    # gymnasium.register looks through all ids for each new one: seconds for thousands of them. The
    # space of the dictionary form holds arrays of names, which Gymnasium's checker cannot know.
    unchecked = "-features-" not in name and "-pixels-" not in name
    spec = EnvSpec(
        id=name, entry_point=_MAKERS + maker, disable_env_checker=unchecked, **about
    )  # fmt: skip
    gymnasium.registry.setdefault(name, spec)
