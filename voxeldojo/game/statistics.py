"""Minecraft's statistics, by which MineDojo's tech tree, combat and survival tasks are judged.

The names are the game's own (statistics.json). Achievements are listed, but never awarded.
"""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from voxeldojo.rules import item_names
from voxeldojo.rules.mobs import mob_names
from voxeldojo.tasks import MOBS

# For some kinds the counters have older names than /summon.
STAT_NAMES = [MOBS.stat_names.get(name, name) for name in mob_names]


class Names(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    achievements: list[str]
    counters: list[str]
    mobs: list[str]
    craft_item: list[str]
    mine_block: list[str]
    break_item: list[str]


@cache
def _names() -> Names:
    path = Path(__file__).parent / "statistics.json"
    return msgspec.json.decode(path.read_bytes(), type=Names)


class Statistics:
    """Counts from the start of the world. The dicts that ``tree`` and ``achievements`` return are
    never changed afterwards, so callers can keep them without a copy."""

    def __init__(self) -> None:
        names = _names()
        self._counters = dict.fromkeys(names.counters, 0)
        self._groups = {
            "break_item": dict.fromkeys(names.break_item, 0),
            "craft_item": dict.fromkeys(names.craft_item, 0),
            "drop": dict.fromkeys(item_names, 0),
            "mine_block": dict.fromkeys(names.mine_block, 0),
            "pickup": dict.fromkeys(item_names, 0),
            "use_item": dict.fromkeys(item_names, 0),
        }
        self._killed = dict.fromkeys(names.mobs, 0)
        self._killed_by = dict.fromkeys(names.mobs, 0)
        self._achievements = dict.fromkeys(names.achievements, 0)

    def add(self, counter: str, amount: int = 1) -> None:
        self._counters[counter] += amount

    def set(self, counter: str, value: int) -> None:
        self._counters[counter] = value

    def count(self, group: str, name: str, amount: int = 1) -> None:
        """Count in a group with an entry for each item or block; unknown names are not counted."""
        entries = self._groups[group]
        if name in entries:
            self._groups[group] = {**entries, name: entries[name] + amount}

    def kills(self, fresh: NDArray[np.int64]) -> None:
        """Mobs killed by the player since the last call, by kind."""
        for kind in np.flatnonzero(fresh > 0).tolist():
            self.add("mob_kills", int(fresh[kind]))
            name = STAT_NAMES[kind]
            if name in self._killed:
                self._killed = {**self._killed, name: self._killed[name] + int(fresh[kind])}

    def killed_by(self, kind: int) -> None:
        """A mob of that kind killed the player."""
        name = STAT_NAMES[kind]
        if name in self._killed_by:
            self._killed_by = {**self._killed_by, name: self._killed_by[name] + 1}

    def tree(self) -> dict[str, Any]:
        return {
            **self._counters,
            **{group: {"minecraft": entries} for group, entries in self._groups.items()},
            "kill_entity": self._killed,
            "entity_killed_by": self._killed_by,
        }

    def achievements(self) -> dict[str, int]:
        return self._achievements
