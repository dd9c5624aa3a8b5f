"""What is wrong with a task, found before anything plays it."""

from collections.abc import Iterator

from messages.world import Task
from models.conditions import condition_problem, item_problem
from models.names import near
from models.rules import ITEMS, biome_named
from models.rules.mobs import mob_names

SLOTS = 36
_STACKS = {item.name: item.stack for item in ITEMS}


def task_problem(task: Task) -> str:
    """The first thing that is wrong with a task, as a sentence that begins with where it stands
    (``success.name: there is no item ...``); empty if there is none."""
    return next(_problems(task), "")


def _problems(task: Task) -> Iterator[str]:
    if problem := condition_problem(task.success):
        field = "quantity" if problem.startswith("a quantity") else "name"
        yield f"success.{field}: {problem}"
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
