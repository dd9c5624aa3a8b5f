"""What is wrong with a task of Minecraft beyond its condition, found before anything plays it."""

from collections.abc import Iterator, Mapping

from messages.world import Task
from voxeldojo.names import near
from voxeldojo.rules import ITEMS, biome_named
from voxeldojo.rules.mobs import mob_names
from worlds.minecraft.card.conditions import item_problem

SLOTS = 36
_STACKS = {item.name: item.stack for item in ITEMS}


def task_problems(task: Task) -> Iterator[str]:
    """Each begins with where it stands: ``biome: there is no ...``"""
    if task.biome:  # without one the real MineDojo takes any
        try:
            biome_named(task.biome)
        except ValueError as error:
            yield f"biome: {error}"
    yield from _inventory_problems(task.inventory)
    mobs = task.world.get("initial_mobs", "")
    for mob in str(mobs).split(","):
        if mob.strip() and mob.strip() not in mob_names:
            yield f"world.initial_mobs: there is no mob {mob.strip()!r}{near(mob, mob_names[1:])}"


def setting(task: Task) -> Mapping[str, str]:
    """Where a task's episodes begin, for prompts."""
    return {"Biome": task.biome}


def _inventory_problems(inventory: dict[str, int]) -> Iterator[str]:
    slots = 0
    for name, count in inventory.items():
        plain = name.removeprefix("minecraft:").replace(" ", "_")
        if problem := item_problem(plain):
            yield f"inventory: {problem}"
        elif plain == "air" or count < 1:
            yield f"inventory: it cannot hold {count} of {name}"
        else:
            slots += -(-count // _STACKS[plain])
    if slots > SLOTS:
        yield f"inventory: it needs {slots} slots, and there are {SLOTS}"
