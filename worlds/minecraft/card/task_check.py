"""What is wrong with a task of Minecraft beyond its condition, found before anything plays it."""

import math
from collections.abc import Iterator, Mapping

from messages.world import Task
from voxeldojo.names import near
from voxeldojo.obtainable.derivations import World, derive
from voxeldojo.rules import biome_named
from voxeldojo.rules.mobs import mob_names
from voxeldojo.tasks import argument_names, slots_in
from voxeldojo.tasks.argument_types import is_integer
from voxeldojo.tasks.staging import Staging, staging_of
from voxeldojo.tasks.world_options import AREAS
from voxeldojo.world_interface import NOON
from worlds.minecraft.card.conditions import CONDITIONS, SLOTS, VITALS
from worlds.minecraft.card.naming import not_an_item
from worlds.minecraft.card.start_slots import is_empty_handed, stacks

BIOME = "forest"
"""The biome of a task that names none."""
FULL = 20.0  # of life and of food
DUSK, DAWN, DAY = 13_000, 23_000, 24_000  # ticks
OPTIONS = tuple(
    dict.fromkeys(  # some stand in both
        (
            *Staging.__struct_fields__,
            *("area", "strict", "voxel_radius"),
            *argument_names("open-ended"),
        )
    )
)
"""The options of worlds, as a task may set them."""
EMBEDDED_ALONE = (
    *("initial_mobs", "initial_mob_range", "initial_mob_spawn_range_low"),
    *("initial_mob_spawn_range_high", "area"),
)
"""Options that the embedded world has, and the real package has not."""
_VITAL_OPTIONS = {"life": "start_health", "food": "start_food"}
_DIMENSION_OF = {"nether": "nether", "the_end": "end"}


def biome_of(task: Task) -> str:
    """The biome where a task's episodes start; empty: in a world of all biomes."""
    return BIOME if task.biome is None else task.biome


def task_problems(task: Task) -> Iterator[str]:
    """Each begins with where it stands: ``biome: there is no ...``"""
    if biome := biome_of(task):
        try:
            name = biome_named(biome).name
        except ValueError as error:
            yield f"biome: {error}"
        else:
            # Worlds take a biome by other names, too; plans and conditions know this one alone.
            if biome != name:
                yield f"biome: there is no biome {biome!r}: call it {name}"
    yield from _inventory_problems(task.inventory)
    for mob in _initial_mobs(task):
        if mob not in mob_names:
            yield f"world.initial_mobs: there is no mob {mob!r}{near(mob, mob_names[1:])}"
    yield from _world_problems(task)
    if absent := _never_met(task):
        yield f"success: {absent}"
    if already := _holds_already(task):
        short = CONDITIONS.short(task.success)
        yield f"success: {short} holds before the first step: an episode begins {already}"


def _holds_already(task: Task) -> str:
    """How episodes begin, if the success is a state that they begin in; empty if it is none, or if
    the task does not tell."""
    name, biome = task.success.name, biome_of(task)
    match task.success.kind:
        case "health":
            option = _VITAL_OPTIONS.get(name, "")
            there = task.world.get(option, VITALS[name])
            if not isinstance(there, int | float) or there < task.success.quantity:
                return ""
            less = f"; task.world.{option}=1 begins with less" if option else ""
            return f"with {name} at {there:g}{less}"
        case "in_biome" if name == biome:
            return "in it: choose another task.biome"
        case "in_dimension" if name == _DIMENSION_OF.get(biome, "overworld"):
            return "there: choose another task.biome"
        case "worn" if name in _worn(task):
            return "with it on: leave it out of task.world.initial_slots"
        case _:
            return ""


def _never_met(task: Task) -> str:
    """Why the mob that is to be killed cannot be met; empty if it can, or none is to be killed."""
    mob, biome = task.success.name, biome_of(task)
    if task.success.kind != "killed" or not biome:
        return ""
    items, mobs = tuple(sorted(task.inventory)), tuple(_initial_mobs(task))
    began = World(biomes=(biome,), items=items, mobs=mobs)
    if f"mob:{mob}" in derive(began):
        return ""
    return (
        f"no {mob} is ever met in a world of {biome}: choose another task.biome ('' for a world of "
        f"all biomes), or begin with one: task.world.initial_mobs={mob}"
    )


def _initial_mobs(task: Task) -> list[str]:
    names = str(task.world.get("initial_mobs", "")).split(",")
    return [name.strip() for name in names if name.strip()]


def _worn(task: Task) -> set[str]:
    """What an episode begins with in the slots for armour and in the off hand."""
    try:
        slots = slots_in(str(task.world.get("initial_slots", "")))
    except ValueError:
        return set()  # which is a problem of its own
    return {name for slot, name in slots.items() if slot >= SLOTS}


def world_lacks(task: Task, kind: str) -> str:
    """The real package takes the arguments of its open-ended task, and no others."""
    given = [name for name in EMBEDDED_ALONE if task.world.get(name)] if kind == "minedojo" else []
    if not given:
        return ""
    if "initial_mobs" in given:
        lacks = f"lays out no initial mobs ({task.world['initial_mobs']})"
    else:
        lacks = f"has no {', '.join(given)} (task.world)"
    return f"the real MineDojo package {lacks}, which the task {task.id!r} has: world=embedded does"


def setting(task: Task) -> Mapping[str, str]:
    """Where a task's episodes begin, for prompts."""
    found = {"Biome": biome_of(task) or "any of them"}
    time = task.world.get("start_time", NOON)
    if isinstance(time, int) and DUSK <= time % DAY < DAWN:
        passes = task.world.get("allow_time_passage", True)
        found["Time"] = "night" if passes else "night, and it stays night"
    if mobs := task.world.get("initial_mobs"):
        found["Mobs at the start"] = str(mobs)
    if is_empty_handed(task):
        found["In hand"] = "nothing"
    elif slots := task.world.get("initial_slots"):
        found["Slots"] = str(slots)
    return found


def _world_problems(task: Task) -> Iterator[str]:
    for name in task.world:
        if name not in OPTIONS:
            yield f"world.{name}: worlds have no such option{near(name, OPTIONS)}"
    given = {name: task.world[name] for name in Staging.__struct_fields__ if name in task.world}
    for name in ("start_health", "start_food"):
        value = task.world.get(name, FULL)
        if not 0 < _number(value) <= FULL:
            yield f"world.{name}: it is above 0 and at most {FULL:g}, not {value!r}"
    speed = task.world.get("break_speed_multiplier", 1)
    if not 0 < _number(speed) < math.inf:
        yield f"world.break_speed_multiplier: it is a finite number above 0, not {speed!r}"
    area = task.world.get("area", AREAS[0])
    if not is_integer(area) or area not in AREAS:
        sizes = ", ".join(map(str, AREAS))
        yield f"world.area: it is one of {sizes} columns, not {area!r}"
    strict = task.world.get("strict", True)
    if not isinstance(strict, bool):
        yield f"world.strict: it is true or false, not {strict!r}"
    if "start_position" in given:  # five numbers, and an option is one number or a text
        yield "world.start_position: a task cannot set where the player begins: leave it out"
        return
    try:
        staging = staging_of(given)
    except (ValueError, TypeError) as error:
        yield f"world: {error}"
        return
    held = {_plain(name) for name in task.inventory}
    for name in slots_in(staging.initial_slots).values():
        if problem := not_an_item(name):
            yield f"world.initial_slots: {problem}"
        elif name not in held:
            yield f"world.initial_slots: the inventory has no {name} to begin with: add it there"
    biome, kind = biome_of(task), task.world.get("generate_world_type")
    if biome and kind == "default":
        yield (
            "biome: a world of all biomes (world.generate_world_type=default) is not all of "
            f"{biome}: leave one of the two out"
        )
    if not biome and kind == "specified_biome":
        yield "biome: world.generate_world_type=specified_biome needs one"


def _inventory_problems(inventory: dict[str, int]) -> Iterator[str]:
    slots = 0
    for name, count in inventory.items():
        # Worlds take an item by other names, too; plans and conditions count it by this one alone.
        plain = _plain(name)
        if problem := not_an_item(plain):
            yield f"inventory: {problem}"
        elif name != plain:
            yield f"inventory: there is no item {name!r}: call it {plain}"
        elif plain == "air" or count < 1:
            yield f"inventory: it cannot hold {count} of {name}"
        else:
            slots += stacks(plain, count)
    if slots > SLOTS:
        yield f"inventory: it needs {slots} slots, and there are {SLOTS}"


def _plain(item: str) -> str:
    """Its registry name, as the world takes it from an inventory."""
    return item.removeprefix("minecraft:").replace(" ", "_")


def _number(value: str | float) -> float:
    """Not a number where it is none, which is within no bounds."""
    return math.nan if isinstance(value, str | bool) else float(value)
