"""For each task: whether its targets can be got in its world, and if not, why."""

from functools import cache

import msgspec

from voxeldojo.meta_tasks.meta_task import DRAGON_EGG
from voxeldojo.obtainable.derivations import (
    Derivation,
    Rule,
    World,
    derive,
    rules_for,
)
from voxeldojo.rules import BIOMES
from voxeldojo.rules.sources import overworld_biomes, sources
from voxeldojo.tasks import TaskSpec, task_kwargs, tech_items


class Verdict(msgspec.Struct, frozen=True):
    """``reason``: "" if obtainable. ``biome``: the one in which it is, if any could be chosen."""

    obtainable: bool
    reason: str = ""
    biome: str = ""


def judge(spec: TaskSpec, *, engine: bool) -> Verdict:
    """``engine``: by the rules of the embedded world, else by Minecraft's.

    Harvest: the target can be got without what the task gives of it. Combat: the mob is placed at
    the start or spawns. Tech tree: the item can be got. Survival and creative need nothing.
    """
    worlds = worlds_of(spec, engine=engine)
    if not worlds:
        biome = task_kwargs(spec, image_size=1).get("specified_biome")
        return Verdict(False, f"the engine cannot make the biome {biome}")
    for world in worlds:
        derivation = _derived(world)
        if all(name in derivation for name in targets_of(spec)):
            return Verdict(True, "", world.biomes[0] if len(world.biomes) == 1 else "")
    return Verdict(False, why_not(targets_of(spec), worlds))


def explain(spec: TaskSpec, *, engine: bool) -> list[Rule]:
    """The steps that lead to the first target; empty if it cannot be got."""
    for world in worlds_of(spec, engine=engine):
        derivation = _derived(world)
        for name in targets_of(spec):
            if name in derivation:
                return derivation.steps(name)
    return []


def targets_of(spec: TaskSpec) -> list[str]:
    """The tokens that a task needs."""
    kwargs = spec.kwargs
    if spec.kind in ("harvest", "combat"):
        names = kwargs["target_names"]
        found = [names] if isinstance(names, str) else names
        return [f"mob:{name}" for name in found] if spec.kind == "combat" else list(found)
    if spec.kind == "techtree":
        return list(tech_items(kwargs.get("tech"), kwargs.get("tech_item")))
    return [DRAGON_EGG] if spec.kind == "playthrough" else []


def worlds_of(spec: TaskSpec, *, engine: bool) -> list[World]:
    """The world of a task; several if the engine may choose among worlds of one biome."""
    kwargs = task_kwargs(spec, image_size=1)
    given = {item.name for item in kwargs["initial_inventory"] or []}
    # Targets are counted from the start: given ones do not help.
    items = tuple(sorted(given - set(targets_of(spec))))
    mobs = tuple(sorted(set(kwargs.get("initial_mobs") or [])))
    biome = kwargs.get("specified_biome")
    if not engine:
        biomes = [(str(biome),)] if biome is not None else [tuple(overworld_biomes())]
    else:
        made = [entry.name for entry in BIOMES]
        if biome is not None:
            biomes = [(str(biome),)] if biome in made else []
        elif sources().engine.default_world == "mixed":
            biomes = [tuple(overworld_biomes())]
        else:
            # The forest first: it is the embedded world's default.
            biomes = [(name,) for name in sorted(made, key=lambda name: name != "forest")]
    return [World(choice, items, mobs, engine) for choice in biomes]


def why_not(targets: list[str], worlds: list[World]) -> str:
    """What is missing: the first step of the way by Minecraft's rules that the engine lacks, or the
    target that no rule gives."""
    for world in worlds:
        had, by_rules = _derived(world), _derived(msgspec.structs.replace(world, engine=False))
        for target in targets:
            if target in had or target not in by_rules:
                continue
            for rule in by_rules.steps(target):
                if rule.gives not in had and all(need in had for need in rule.needs):
                    return f"the engine lacks {rule.gives} ({rule.how})"
    for target in targets:
        if not rules_for(target):
            return f"nothing gives {target}"
    return f"no one of these worlds has all that {', '.join(targets)} needs"


@cache
def _derived(world: World) -> Derivation:
    return derive(world)
