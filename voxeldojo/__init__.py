"""An embedded Minecraft: MineDojo's tasks, observations and actions in compiled kernels::

    import voxeldojo

    environment = voxeldojo.make("harvest_1_log", image_size=(160, 256))  # as minedojo.make
    world = voxeldojo.EmbeddedWorld(64, biome="forest")  # 64 worlds in one call

Importing it registers ``voxeldojo/TASK-v0`` with Gymnasium, before or after Gymnasium itself is
imported.
"""

import importlib
from typing import TYPE_CHECKING, Any

from voxeldojo.when_imported import when_imported

if TYPE_CHECKING:
    from voxeldojo.engine import EmbeddedWorld
    from voxeldojo.minedojo_api import make
    from voxeldojo.tasks import task_ids

__all__ = ["EmbeddedWorld", "make", "task_ids"]

# Compiled kernels take a second to load, so they are imported on first use.
_HOMES = {
    "EmbeddedWorld": "voxeldojo.engine",
    "make": "voxeldojo.minedojo_api",
    "task_ids": "voxeldojo.tasks",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'voxeldojo' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _register() -> None:
    from voxeldojo.environments.registration import register

    register()


when_imported("gymnasium", _register)
