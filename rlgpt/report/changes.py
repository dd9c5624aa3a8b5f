"""Parameters that were set while a run went on, read from its folder."""

from pathlib import Path
from typing import Any

import msgspec

from messages.undecodable import UNDECODABLE
from nodes.common.parameters.kept_parameters import FILE, TAKEN, Taken, read_changes
from rlgpt.report.node_files import objects


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter that was set. ``taken``: by which training and from which sample on, in words;
    empty for what counts at once."""

    time: float
    node: str
    name: str
    old: Any
    new: Any
    by: str = ""
    reset: bool = False
    taken: str = ""


def taken_of(run: Path) -> list[Taken]:
    """What trainings took, the oldest first."""
    found: list[Taken] = []
    for _, line in objects(run / "learner" / TAKEN):
        try:
            found.append(msgspec.convert(line, Taken))
        except msgspec.ValidationError:
            continue
    return found


def changes_of(run: Path) -> list[Changed]:
    """Every change of every node, the oldest first."""
    taken = taken_of(run)
    found: list[Changed] = []
    for path in sorted(run.glob(f"*/{FILE}")):
        node = path.parent.name
        try:
            changes = read_changes(path)
        except (OSError, *UNDECODABLE):
            continue
        for change in changes:
            words = _taken(change.name, change.time, taken) if node == "learner" else ""
            fields = msgspec.structs.asdict(change)
            found.append(Changed(node=node, taken=words, **fields))
    return sorted(found, key=lambda change: change.time)


def _taken(name: str, time: float, taken: list[Taken]) -> str:
    first = next((each for each in taken if each.name == name and each.time >= time), None)
    if first is None:
        return ""
    return f"{first.policy}, from {first.samples:,} samples on"
