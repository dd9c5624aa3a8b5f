"""The seed of a training: of its weights, choices and minibatches."""

import zlib
from pathlib import Path
from typing import Any

import msgspec

from messages.training import TrainingSpec
from messages.world import DEFAULT_GAME


def seed_of(spec: TrainingSpec) -> int:
    """The same spec trains the same policy."""
    told = msgspec.to_builtins(spec)
    # Fields that came later: specs without them keep their seeds.
    for later in ("start", "lead", "clone", "guards", "guard", "guarded"):
        if not told[later]:
            del told[later]
    for program in (*told["interface"]["macros"], *told["prefix"], *_programs(told)):
        if program["interrupt"] is None:
            del program["interrupt"]
    if not told["interface"]["autocraft"]:
        del told["interface"]["autocraft"]
    for interface in _interfaces(told):
        if interface["memory"] == "none":
            del interface["memory"], interface["memory_size"]
    if told["task"]["biome"] is None:
        told["task"]["biome"] = "forest"  # which stood there before a task could leave it open
    if told["task"]["game"] == DEFAULT_GAME:
        del told["task"]["game"]
    for term in told["interface"]["rewards"]:
        if not term["negatives"]:
            del term["negatives"]
    # What it is does not depend on where a library lies, whose paths are absolute,
    for policy in (told.get("start"), *(stage["policy"] for stage in told.get("lead", []))):
        if policy and Path(policy["checkpoint"]).is_absolute():
            del policy["checkpoint"]
    # nor on how long it may go on.
    del told["most"], told["give_up_at"], told["tryouts"]
    return zlib.crc32(msgspec.json.encode(told))


def _programs(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Programs of a spec, as builtins, that came later than its macros and its prefix."""
    leading = [stage["program"] for stage in spec.get("lead", []) if stage["program"]]
    return [*leading, *spec.get("clone", [])]


def _interfaces(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Of policies: the trained one and guards."""
    guards = [*spec.get("guards", []), *([spec["guard"]] if spec.get("guard") else [])]
    return [spec["interface"], *(guard["interface"] for guard in guards if guard["interface"])]
