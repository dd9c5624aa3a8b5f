"""The seed of a training: of its weights, choices and minibatches."""

import zlib
from pathlib import Path
from typing import Any

import msgspec

from messages.training import TrainingSpec
from messages.world import DEFAULT_GAME


def seed_of(spec: TrainingSpec) -> int:
    """The seed of a training: the same spec trains the same policy."""
    fields = msgspec.to_builtins(spec)
    # Fields that were added later: specs without them keep their seeds.
    for later in ("start", "lead", "clone", "guards", "guard", "guarded"):
        if not fields[later]:
            del fields[later]
    for program in (*fields["interface"]["macros"], *fields["prefix"], *_programs(fields)):
        if program["interrupt"] is None:
            del program["interrupt"]
    if not fields["interface"]["autocraft"]:
        del fields["interface"]["autocraft"]
    for interface in _interfaces(fields):
        if interface["memory"] == "none":
            del interface["memory"], interface["memory_size"]
    if fields["task"]["biome"] is None:
        fields["task"]["biome"] = "forest"  # the default before a task could leave it open
    if fields["task"]["game"] == DEFAULT_GAME:
        del fields["task"]["game"]
    for term in fields["interface"]["rewards"]:
        if not term["negatives"]:
            del term["negatives"]
    # The seed does not depend on the folder of a skill library, whose paths are absolute,
    stages = [*fields.get("lead", []), *fields.get("guarded", [])]
    policies = [fields.get("start"), *(stage["policy"] for stage in stages)]
    for policy in (*policies, *_guards(fields)):
        if policy and Path(policy["checkpoint"]).is_absolute():
            del policy["checkpoint"]
    # nor on how long the training may go on.
    del fields["most"], fields["grows_to"], fields["give_up_at"], fields["tryouts"]
    return zlib.crc32(msgspec.json.encode(fields))


def _programs(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Programs, as builtins, in fields of a spec that are newer than macros and prefix."""
    leading = [stage["program"] for stage in spec.get("lead", []) if stage["program"]]
    return [*leading, *spec.get("clone", [])]


def _interfaces(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The interfaces of policies: the trained one and guards."""
    guards = [guard["interface"] for guard in _guards(spec) if guard["interface"]]
    return [spec["interface"], *guards]


def _guards(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The guards: those that take over, and the one that is trained."""
    return [*spec.get("guards", []), *([spec["guard"]] if spec.get("guard") else [])]
