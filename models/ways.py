"""How an item is had: one way to each, read from the rules and from ways.yaml.

The way in ways.yaml comes first, then the natural block that drops it, then its recipe, then a mob.
Where ways.yaml knows several, the first is taken whose tool is held or could be made at once.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
import yaml

from models.rules import BLOCKS, CRAFTS, Recipe
from models.rules.mobs import MOBS

How = Literal["dig", "craft", "smelt", "kill", "use", "find"]
MADE = frozenset({"craft", "smelt"})
STATIONS = {"table": "crafting_table", "furnace": "furnace"}
TIERS = ("wooden", "stone", "iron", "diamond")
_LEAST_FIRST = ("wooden", "golden", "stone", "iron", "diamond")
WAYS = Path(__file__).parent / "ways.yaml"


class Way(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way to an item. ``of``: the block that is dug, the mob that is killed, or what ``tool``
    is used on. ``tools``: one of them has to be at hand, is kept, and wears."""

    how: How
    of: str = ""
    tools: list[str] = []
    uses: dict[str, int] = {}  # consumed each time
    station: str = ""  # item that has to stand near, and is kept
    gives: int = 1  # items each time, at least


class Unreachable(ValueError):
    """No rule leads to the item; the message says which."""


def way_to(item: str, chosen: frozenset[str] = frozenset()) -> Way:
    """``chosen``: items of which the way with a tool is taken, see ``open_ways``.

    Raises:
        Unreachable: there is none.
    """
    if item in chosen:
        return _several()[item][0]
    way = _ways().get(item)
    if way is None:
        raise Unreachable(f"nothing in the rules leads to {item!r}")
    return way


def open_ways(inventory: Mapping[str, int], make: bool = False) -> frozenset[str]:
    """Items of which the first of several ways is open: its tool is held or, with ``make``, could
    be made at once."""
    return frozenset(
        item
        for item, ways in _several().items()
        if any(
            inventory.get(tool, 0) > 0 or (make and _could_be_made(tool, inventory))
            for tool in ways[0].tools
        )
    )


def easiest(tools: Sequence[str]) -> str:
    """The tool of the lowest tier, else the first."""
    tiers = [tool for tier in TIERS for tool in tools if tool.startswith(tier)]
    return (tiers or list(tools))[0]


def _least_first(tools: Sequence[str]) -> list[str]:
    """A golden pickaxe digs what a wooden one does. Whoever takes the least that will do keeps the
    better ones for what takes them."""

    def rank(tool: str) -> int:
        tier = tool.partition("_")[0]
        return _LEAST_FIRST.index(tier) if tier in _LEAST_FIRST else len(_LEAST_FIRST)

    return sorted(tools, key=rank)


def _could_be_made(tool: str, inventory: Mapping[str, int]) -> bool:
    way = _ways().get(tool)
    return (
        way is not None
        and way.how == "craft"
        and all(inventory.get(used, 0) >= count for used, count in way.uses.items())
        and (not way.station or inventory.get(way.station, 0) > 0)
    )


@cache
def _chosen() -> dict[str, list[Way]]:
    read = msgspec.convert(yaml.safe_load(WAYS.read_text()), type=dict[str, Way | list[Way]])
    found = {item: way if isinstance(way, list) else [way] for item, way in read.items()}
    return {
        item: [msgspec.structs.replace(way, tools=_least_first(way.tools)) for way in ways]
        for item, ways in found.items()
    }


@cache
def _several() -> dict[str, list[Way]]:
    return {item: ways for item, ways in _chosen().items() if len(ways) > 1}


@cache
def _ways() -> dict[str, Way]:
    """The way that is taken where no tool opens another one."""
    found: dict[str, Way] = {}
    for mob in MOBS:
        for drop in mob.drops:
            found.setdefault(drop[0], Way(how="kill", of=mob.name))
    for craft in CRAFTS:
        recipe = _plainest(craft.recipes)
        found[craft.item] = Way(
            how="smelt" if craft.station == "furnace" else "craft",
            uses=dict(recipe.ingredients),
            station=STATIONS.get(craft.station, ""),
            gives=recipe.count,
        )
    for block in BLOCKS:
        for drop in block.drops:
            # Of what is made, only the block's own certain drop is a source: a crafting table that
            # is dug gives one, and is none.
            if drop[0] not in found or (drop[3] == 1 and drop[0] == block.name):
                if block.name in found and drop[0] == block.name:
                    continue
                found[drop[0]] = Way(how="dig", of=block.name, tools=_least_first(block.tools))
    return {**found, **{item: ways[-1] for item, ways in _chosen().items()}}


def _plainest(recipes: list[Recipe]) -> Recipe:
    """The recipe with the fewest kinds of ingredients; the first of them."""
    return min(recipes, key=lambda recipe: len(recipe.ingredients))
