"""MineDojo's tasks as data: ids, prompts, arguments and what they ask of a world.

Independent of any engine; rewards and success are in voxeldojo/meta_tasks. Where the facts
come from is written in docs/tasks.md.

`all_tasks.py` has every task by its id. `arguments.py` and `argument_types.py` check the arguments
of meta tasks, `settings.py` derives the settings of a world from them. `world_options.py` and
`staging.py` check the options of a world. `inventory.py` has the items to start with, and
`horizons.py` limits of steps.
"""

from voxeldojo.tasks.all_tasks import (
    KINDS,
    TaskSpec,
    UnknownTask,
    task_ids,
    task_spec,
    task_suite,
    templates,
)
from voxeldojo.tasks.argument_types import MOBS, WrongArgument, WrongValue
from voxeldojo.tasks.arguments import (
    argument_names,
    make_kwargs,
    meta_task_named,
    meta_tasks,
    task_kwargs,
    tech_items,
)
from voxeldojo.tasks.inventory import (
    SLOTS,
    InventoryItem,
    Placed,
    inventory_items,
    placed,
    slots_in,
    slots_text,
)
from voxeldojo.tasks.settings import MobSpawn, RateSpawn, WorldSettings, world_settings

__all__ = [
    "KINDS",
    "MOBS",
    "SLOTS",
    "InventoryItem",
    "MobSpawn",
    "Placed",
    "RateSpawn",
    "TaskSpec",
    "UnknownTask",
    "WorldSettings",
    "WrongArgument",
    "WrongValue",
    "argument_names",
    "inventory_items",
    "make_kwargs",
    "meta_task_named",
    "meta_tasks",
    "placed",
    "slots_in",
    "slots_text",
    "task_ids",
    "task_kwargs",
    "task_spec",
    "task_suite",
    "tech_items",
    "templates",
    "world_settings",
]
