"""The counts from which rewards and success are computed, independent of the engine."""

from collections.abc import Mapping
from typing import Any

import msgspec

from voxeldojo.tasks import MOBS


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """The counts at one moment, by registry name ("log", "zombie_pigman"); missing names count 0.

    ``inventory``: quantities in all 41 slots, armour and off hand included. ``used`` and
    ``killed``: the game's counters since the world began, stat.use_item and stat.kill_entity; a
    fast reset does not reset them. ``time_since_death``: ticks.
    """

    inventory: Mapping[str, int] = {}
    used: Mapping[str, int] = {}
    killed: Mapping[str, int] = {}
    time_since_death: int = 0


def tally_of_info(info: Mapping[str, Any]) -> Tally:
    """The tally in MineDojo's own ``info``, the raw JSON of the Java side.

    Raises:
        ValueError: the info has no inventory; it is not one of MineDojo's.
    """
    if "inventory" not in info:
        raise ValueError("this info has no inventory: it does not come from MineDojo's step")
    held: dict[str, int] = {}
    for slot in info["inventory"]:
        held[slot["name"]] = held.get(slot["name"], 0) + int(slot["quantity"])
    return tally_of(held, info.get("stat", {}))


def tally_of(held: Mapping[str, int], stat: Mapping[str, Any]) -> Tally:
    """The tally from quantities by name and from the statistics of the info."""
    killed = dict(stat.get("kill_entity", {}))
    # The game counts some kills under older names; tasks use the names of /summon.
    for summoned, counted in MOBS.stat_names.items():
        if counted in killed:
            killed.setdefault(summoned, killed[counted])
    return Tally(
        inventory=held,
        used=dict(stat.get("use_item", {}).get("minecraft", {})),
        killed=killed,
        time_since_death=int(stat.get("time_since_death", 0)),
    )
