"""Every task that can be launched names what there is, and can be planned."""

from pathlib import Path

import msgspec
import pytest
import yaml

from messages.world import Task
from nodes.common.checks.plan_check import plan_problems
from rlgpt.composing.composition import compose_launch
from tests.task_files import WHOLE
from voxeldojo.engine.scene.staging import Staging, staging_of
from voxeldojo.rules import biome_named
from worlds import card

FIRST = {
    "bed": ["wool", "log", "planks", "bed"],
    "beef": ["beef"],
    "crafting_table_nearby": ["log", "planks", "crafting_table", "crafting_table"],
    "furnace_nearby": [
        "planks", "stick", "crafting_table", "wooden_pickaxe", "cobblestone", "furnace", "furnace",
    ],
    "harvest_log": ["log"],
    "milk_bucket": ["bucket", "milk_bucket"],
    "mutton": ["mutton"],
    "stick": ["log", "planks", "stick"],
    "stone_pickaxe": ["log", "planks", "stick", "crafting_table", "cobblestone", "stone_pickaxe"],
    "wooden_pickaxe": ["log", "planks", "stick", "crafting_table", "wooden_pickaxe"],
    "wool": ["shears", "wool"],
}  # fmt: skip


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_each_task_file_has_a_valid_plan(path: Path):
    task = msgspec.convert(yaml.safe_load(path.read_text()), type=Task)
    assert task.id == path.stem
    if task.game == "minecraft":
        assert biome_named(task.biome).terrain is not None
        staging_of({k: v for k, v in task.world.items() if k in Staging.__struct_fields__})
    planning = card(task.game).planning
    plan = planning.plan_for(task.success, task.inventory)
    assert planning.shortfalls(plan, task.inventory) == []
    assert plan_problems(task, plan) == []
    if task.game != "minecraft":
        assert plan[-1].success == task.success
    elif path.stem in FIRST:
        assert [subtask.success.name for subtask in plan] == FIRST[path.stem]
    else:
        assert path.stem == "diamond"
        assert len(plan) == 12


def test_the_diamond_launch_composes_with_another_task():
    composed = compose_launch("diamond", ["task=bed"])
    assert composed["task"]["inventory"] == {"crafting_table": 1, "shears": 1}
    assert composed["name"] == "bed"
    assert composed["limits"]["goal_rate"] == 0.3
