"""MineDojo's tasks by their ids, as tasks of ours: the same start, and a condition that holds when
MineDojo's own success does."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec

from messages.world import JUDGED, UNSAID, Condition, Task
from voxeldojo.rules import BIOMES
from voxeldojo.tasks import (
    KINDS,
    TaskSpec,
    WorldSettings,
    slots_text,
    task_ids,
    task_kwargs,
    task_spec,
    tech_items,
    world_settings,
)
from voxeldojo.tasks.horizons import PLAYTHROUGH_STEPS, TASK_HORIZON
from worlds.card import Goals, Unclear
from worlds.minecraft.card.conditions import CONDITIONS, TICKS
from worlds.minecraft.card.goals_in_words import Words, plain

DRAGON_EGG = "dragon_egg"
_BIOMES = {biome.id: biome.name for biome in BIOMES}
_FULL = 20.0  # of life and of food


class MineDojoGoals(Goals):
    kinds = KINDS

    def names(self, kind: str = "") -> list[str]:
        return task_ids(kind or None)

    def kind(self, name: str) -> str:
        return task_spec(name).kind

    def guidance(self, name: str) -> str:
        return task_spec(name).guidance or ""

    def task(self, name: str) -> Task:
        spec = task_spec(name)
        kwargs = _kwargs(spec)
        settings = world_settings(spec.kind, kwargs)
        return Task(
            id=spec.id,
            prompt=spec.prompt,
            success=_success(spec, kwargs),
            biome=_BIOMES[settings.biome] if settings.biome is not None else "",
            inventory=_inventory(settings),
            horizon=_horizon(spec, kwargs),
            world=_world(settings),
        )

    def open_task(self, prompt: str) -> Task:
        """One of MineDojo's own prompts begins as the task that has it. All others begin as those
        of its tasks that ask for nothing: in a world of all biomes, at dawn, with empty hands.
        Words that ask for a length of life have a horizon of that length, as survival has. The
        prompt of a creative task that nothing can be counted by is that task, success included."""
        if (name := _by_prompt().get(plain(prompt))) is not None:
            return msgspec.structs.replace(self.task(name), success=UNSAID)
        try:
            needed = CONDITIONS.steps_needed(self.understood(prompt))
        except Unclear:
            if (name := _by_creative_prompt().get(plain(prompt))) is not None:
                return self.task(name)
            needed = 1
        horizon = max(TASK_HORIZON, needed)
        return Task(id="goal", prompt=prompt, biome="", horizon=horizon, world={"start_time": 0})

    def understood(self, prompt: str) -> Condition:
        return _words().understood(prompt)

    def nearest(self, prompt: str) -> list[str]:
        return _words().near(prompt)


def _success(spec: TaskSpec, kwargs: dict[str, Any]) -> Condition:
    """Ready-made tasks have one target each."""
    if spec.kind in ("harvest", "combat"):
        ((target, quantity),) = kwargs["target_quantities"].items()
        kind = "have" if spec.kind == "harvest" else "killed"
        return Condition(kind=kind, name=target, quantity=quantity)
    if spec.kind == "techtree":
        (item,) = tech_items(kwargs["tech"], kwargs["tech_item"])
        return Condition(kind="used", name=item)
    if spec.kind == "survival":
        return Condition(kind="lived", name="days", quantity=kwargs["target_days"])
    if spec.kind == "playthrough":
        return Condition(kind="have", name=DRAGON_EGG)
    return Condition(kind=JUDGED, name=spec.id)


def _kwargs(spec: TaskSpec) -> dict[str, Any]:
    # The size of pictures is no part of the task; the arguments want one all the same.
    return task_kwargs(spec, image_size=1)


def _inventory(settings: WorldSettings) -> dict[str, int]:
    held: dict[str, int] = {}
    for item in settings.inventory:
        held[item.name] = held.get(item.name, 0) + item.quantity
    return held


def _world(settings: WorldSettings) -> dict[str, str | int | float | bool]:
    """What differs from a world at noon, as options by MineDojo's names. A task without a biome is
    played in a world of all biomes."""
    found: dict[str, str | int | float | bool] = {"start_time": settings.time or 0}
    if not settings.time_passes:
        found["allow_time_passage"] = False
    if not settings.mobs_spawn:
        found["allow_mob_spawn"] = False
    if settings.weather is not None:
        found["initial_weather"] = settings.weather
    if settings.inventory:
        found["initial_slots"] = slots_text(settings.inventory)
    if (mobs := settings.initial_mobs) is not None:
        found["initial_mobs"] = ", ".join(mobs.mobs)
        found["initial_mob_spawn_range_low"] = _numbers(mobs.low)
        found["initial_mob_spawn_range_high"] = _numbers(mobs.high)
    for name, value in (("start_health", settings.health), ("start_food", settings.food)):
        if value != _FULL:
            found[name] = value
    return found


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{value:g}" for value in values)


def _horizon(spec: TaskSpec, kwargs: dict[str, Any]) -> int:
    if spec.kind == "survival":  # it ends by itself; a step takes a tick or more
        return kwargs["target_days"] * TICKS["days"]
    return PLAYTHROUGH_STEPS if spec.kind == "playthrough" else TASK_HORIZON


def _counted() -> list[str]:
    """The ids of all tasks that no critic has to judge."""
    return [*task_ids("programmatic"), *task_ids("playthrough")]


@cache
def _words() -> Words:
    specs = [task_spec(name) for name in _counted()]
    return Words({spec.prompt: _success(spec, _kwargs(spec)) for spec in specs})


@cache
def _by_prompt() -> dict[str, str]:
    return {plain(task_spec(name).prompt): name for name in _counted()}


@cache
def _by_creative_prompt() -> dict[str, str]:
    """Of several tasks with one prompt the first."""
    return {plain(task_spec(name).prompt): name for name in reversed(task_ids("creative"))}


GOALS = MineDojoGoals()
