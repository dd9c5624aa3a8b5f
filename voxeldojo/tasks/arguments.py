"""Checks the arguments of MineDojo's meta tasks: names, types, and which go together."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
import yaml

from voxeldojo.names import near, quoted
from voxeldojo.tasks.all_tasks import TaskSpec, UnknownTask
from voxeldojo.tasks.argument_types import (
    CHECKS,
    HERE,
    MOBS,
    WrongArgument,
    WrongValue,
    item,
    mob,
)

OPEN_ENDED = "open-ended"


class Argument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    type: str
    default: Any = msgspec.UNSET  # unset: it has to be given
    choices: list[str] = []
    least: float | None = None
    most: float | None = None


class MetaTaskArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    groups: list[str]
    takes: list[str]
    defaults: dict[str, Any]


class Arguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    arguments: dict[str, Argument]
    groups: dict[str, list[str]]
    meta_tasks: dict[str, MetaTaskArguments]
    techs: dict[str, list[str]]


def meta_tasks() -> list[str]:
    return list(_arguments().meta_tasks)


def meta_task_named(name: str) -> str:
    """The meta task's name in lower case ("Harvest", "Open-Ended" are MineDojo's own spellings).

    Raises:
        UnknownTask: there is no such meta task.
    """
    lower = name.lower()
    if lower not in _arguments().meta_tasks:
        raise UnknownTask(
            f"there is no meta task {quoted(name)}; there are {', '.join(_arguments().meta_tasks)}"
        )
    return lower


def argument_names(meta_task: str) -> list[str]:
    """The arguments that a meta task takes, in the order in which the table has them."""
    entry = _arguments().meta_tasks[meta_task_named(meta_task)]
    taken = {*entry.takes, *(name for group in entry.groups for name in _arguments().groups[group])}
    return [name for name in _arguments().arguments if name in taken]


def make_kwargs(meta_task: str, /, **given: Any) -> dict[str, Any]:
    """The arguments of a meta task, checked, with every default filled in.

    One name becomes a list of one; an image size becomes (height, width); an inventory becomes a
    list of InventoryItem; quantities and weights become one per target.

    Raises:
        UnknownTask: there is no such meta task.
        WrongArgument: an unknown or missing argument, or one of a wrong type.
        WrongValue: a value out of range, an unknown name, arguments that do not go together.
    """
    meta_task = meta_task_named(meta_task)
    allowed = argument_names(meta_task)
    unknown = [name for name in given if name not in allowed]
    if unknown:
        raise WrongArgument(
            f"{meta_task} takes no argument {quoted(unknown[0])}{near(unknown[0], allowed)}"
        )
    defaults = _arguments().meta_tasks[meta_task].defaults
    found: dict[str, Any] = {}
    for name in allowed:
        argument = _arguments().arguments[name]
        default = defaults.get(name, argument.default)
        value = given.get(name, default)
        if value is msgspec.UNSET:
            raise WrongArgument(f"{meta_task} needs the argument {quoted(name)}")
        found[name] = None if value is None and default is None else _checked(name, argument, value)
    _check_together(meta_task, found)
    return found


def task_kwargs(spec: TaskSpec, /, **given: Any) -> dict[str, Any]:
    """The arguments of a ready-made task, checked. ``given`` ones replace the task's own."""
    return make_kwargs(spec.kind, **{**spec.kwargs, **given})


def tech_items(tech: str | None, tech_item: str | None) -> list[str]:
    """The items that a tech consists of, or the one item.

    Raises:
        WrongValue: both or neither are given, or there is no such tech or item.
    """
    techs = _arguments().techs
    if (tech is None) == (tech_item is None):
        raise WrongValue("give a tech or a tech_item, one of the two")
    if tech is not None:
        if tech not in techs:
            raise WrongValue(f"there is no tech {quoted(tech)}; there are {', '.join(techs)}")
        return techs[tech]
    known = [name for names in techs.values() for name in names]
    if tech_item not in known:
        raise WrongValue(f"no tech has the item {quoted(tech_item)}{near(tech_item, known)}")
    return [str(tech_item)]


def _checked(name: str, argument: Argument, value: Any) -> Any:
    found = CHECKS[argument.type](name, value)
    if argument.choices and found not in argument.choices:
        raise WrongValue(f"{name} is one of {', '.join(argument.choices)}, not {quoted(found)}")
    if argument.least is not None and found < argument.least:
        raise WrongValue(f"{name} is at least {argument.least:g}, not {quoted(found)}")
    if argument.most is not None and found > argument.most:
        raise WrongValue(f"{name} is at most {argument.most:g}, not {quoted(found)}")
    return found


def _check_together(meta_task: str, found: dict[str, Any]) -> None:
    if "target_names" in found:
        check = item if meta_task == "harvest" else mob
        targets = [check("target_names", name) for name in found["target_names"]]
        found["target_quantities"] = _each("target_quantities", found["target_quantities"], targets)
        found["reward_weights"] = _each("reward_weights", found["reward_weights"], targets)
    if meta_task == "techtree":
        targets = tech_items(found["tech"], found["tech_item"])
        for name in ("obtain_items_reward_weights", "use_items_reward_weights"):
            found[name] = _each(name, found[name], targets)
    if meta_task == "survival" and found["target_days"] <= 1:
        raise WrongValue(f"target_days is more than 1, not {found['target_days']}")
    if found.get("initial_mobs"):
        _need_range(found, "initial_mobs", "initial_mob_spawn_range")
    if found.get("spawn_rate") is not None:
        found["spawn_rate"] = _spawn_rates(meta_task, found)
        _need_range(found, "spawn_rate", "spawn_range")
    if meta_task == OPEN_ENDED:
        _check_world(found)


def _each(name: str, value: Any, targets: list[str]) -> dict[str, Any]:
    """One value per target."""
    if isinstance(value, Mapping):
        if set(value) != set(targets):
            raise WrongValue(
                f"{name} is for {', '.join(map(str, value))}, the targets are {targets}"
            )
        return dict(value)
    if isinstance(value, list):
        if len(value) != len(targets):
            raise WrongValue(f"{name} has {len(value)} entries for {len(targets)} targets")
        return dict(zip(targets, value, strict=True))
    return dict.fromkeys(targets, value)


def _need_range(found: dict[str, Any], name: str, prefix: str) -> None:
    low, high = found[f"{prefix}_low"], found[f"{prefix}_high"]
    if low is None or high is None:
        raise WrongValue(f"{name} needs {prefix}_low and {prefix}_high, (x, y, z) each")
    if any(least > most for least, most in zip(low, high, strict=True)):
        raise WrongValue(f"{prefix}_low {low} is above {prefix}_high {high}")


def _spawn_rates(meta_task: str, found: dict[str, Any]) -> dict[str, float]:
    """What is spawned -> its probability in each step."""
    rates = found["spawn_rate"]
    if not isinstance(rates, Mapping):
        if meta_task == "techtree":
            raise WrongArgument("techtree's spawn_rate is a dict of what is spawned -> probability")
        targets = found["target_names"]
        if meta_task == "harvest":
            missing = [name for name in targets if name not in MOBS.spawned_for]
            if missing:
                raise WrongValue(
                    f"nothing can be spawned for {quoted(missing[0])}; "
                    "give spawn_rate as a dict of what is spawned -> probability"
                )
            targets = [MOBS.spawned_for[name] for name in targets]
        rates = _each("spawn_rate", list(rates) if isinstance(rates, tuple) else rates, targets)
    known = [*MOBS.spawned.mobs, *MOBS.spawned.blocks]
    for name in rates:
        if name not in known:
            raise WrongValue(f"{quoted(name)} cannot be spawned; there are {', '.join(known)}")
    return dict(rates)


def _check_world(found: dict[str, Any]) -> None:
    if found["use_depth"]:
        raise WrongValue("there is no depth map: use_depth must be False, as in MineDojo")
    kind = found["generate_world_type"]
    if kind == "from_file" and found["world_file_path"] is None:
        raise WrongValue("generate_world_type from_file needs a world_file_path")
    if kind == "specified_biome" and found["specified_biome"] is None:
        raise WrongValue("generate_world_type specified_biome needs a specified_biome")
    if found["fast_reset_random_teleport_range"] is not None and not found["fast_reset"]:
        raise WrongArgument("fast_reset_random_teleport_range needs fast_reset=True")


@cache
def _arguments() -> Arguments:
    text = (HERE / "arguments.yaml").read_text(encoding="utf-8")
    return msgspec.convert(yaml.safe_load(text), Arguments)
