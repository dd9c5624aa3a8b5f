"""How an item is had in Minecraft: one way to each, read from the rules and from ways.yaml.

The way in ways.yaml comes first, then the natural block that drops it, then its recipe, then a mob.
A block or a mob that is found in the Nether or the End alone has that as the station of its way;
to one that is found nowhere, as a mob that has to be built, no way leads.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from voxeldojo.rules import BLOCKS, CRAFTS, Recipe
from voxeldojo.rules.mobs import MOBS
from voxeldojo.rules.sources import BlockSource, sources
from worlds.common.ways import Way, Ways, read_ways

MADE = frozenset({"craft", "smelt"})
STATIONS = {"table": "crafting_table", "furnace": "furnace"}
PLACES = ("nether", "end")
"""What is counted as the station of ways that are open there alone."""
_PLACES = {"nether": "nether", "the_end": "end", "end_islands": "end"}
TIERS = ("wooden", "stone", "iron", "diamond")
_LEAST_FIRST = ("wooden", "golden", "stone", "iron", "diamond")


def by_tier(tools: Sequence[str]) -> list[str]:
    """The ways of the lowest tier first; as they come where none has a tier."""
    return [tool for tier in TIERS for tool in tools if tool.startswith(tier)] or list(tools)


def _least_first(tools: Sequence[str]) -> list[str]:
    """A golden pickaxe digs what a wooden one does. The least that is enough keeps the
    better ones for what takes them."""

    def rank(tool: str) -> int:
        tier = tool.partition("_")[0]
        return _LEAST_FIRST.index(tier) if tier in _LEAST_FIRST else len(_LEAST_FIRST)

    return sorted(tools, key=rank)


def _chosen() -> dict[str, list[Way]]:
    return {
        item: [msgspec.structs.replace(way, tools=_least_first(way.tools)) for way in ways]
        for item, ways in read_ways(Path(__file__).with_name("ways.yaml")).items()
    }


def _found() -> frozenset[str]:
    """The blocks that worlds are made with or that grow, and the mobs that spawn."""
    table = sources()
    grown = {gift for deed in table.deeds for gift in deed.gives if gift.startswith("block:")}
    return frozenset(
        (
            *(source.block for source in table.blocks),
            *(gift.removeprefix("block:") for gift in grown),
            *(source.mob for source in table.mobs if source.within),
        )
    )


def _by_the_rules() -> dict[str, list[Way]]:
    found: dict[str, Way] = {}
    there = _found()
    for mob in MOBS:
        for drop in mob.drops if mob.name in there else ():
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
        for drop in block.drops if block.name in there else ():
            # Of what is made, only the block's own certain drop is a source: a crafting table that
            # is dug gives one, and is none.
            if drop[0] not in found or (drop[3] == 1 and drop[0] == block.name):
                if block.name in found and drop[0] == block.name:
                    continue
                found[drop[0]] = Way(how="dig", of=block.name, tools=_least_first(block.tools))
    return {item: [way] for item, way in found.items()}


def _plainest(recipes: list[Recipe]) -> Recipe:
    """The recipe with the fewest kinds of ingredients; the first of them."""
    return min(recipes, key=lambda recipe: len(recipe.ingredients))


def _dimensions() -> dict[str, set[str]]:
    """Where blocks and mobs are found: in the ``nether``, the ``end``, or elsewhere (``""``)."""
    table = sources()
    within = dict(_PLACES)
    for place in table.places:  # fortresses and cities
        if place.place not in within and (homes := {within.get(each, "") for each in place.within}):
            within[place.place] = homes.pop() if len(homes) == 1 else ""
    found: dict[str, set[str]] = {}
    for kind in (table.blocks, table.mobs):
        for source in kind:
            name = source.block if isinstance(source, BlockSource) else source.mob
            # What is built or called up has no place.
            for home in source.within or [""]:
                found.setdefault(name, set()).add(within.get(home, ""))
    return found


def _in_its_place(way: Way, homes: Mapping[str, str]) -> Way:
    if way.how in MADE or way.of not in homes:
        return way
    return msgspec.structs.replace(way, station=homes[way.of])


def found_here(way: Way, place: str) -> bool:
    """Whether what a way leads to is in this place (one of `PLACES`), or needs no place."""
    return way.how in MADE or place in FOUND.get(way.of, {place})


def _table() -> dict[str, list[Way]]:
    ways = _by_the_rules() | _chosen()
    return {item: [_in_its_place(way, HOMES) for way in several] for item, several in ways.items()}


FOUND = _dimensions()
HOMES = {name: min(homes) for name, homes in FOUND.items() if len(homes) == 1 and "" not in homes}
"""The place that a block or a mob is found in alone."""
MOBS_FOUND = frozenset(source.mob for source in sources().mobs if source.within)
"""The mobs that spawn somewhere; the others are built or laid out."""
NO_WAY_TO_THE_END = (
    "no way to the End can be played: it takes twelve eyes of ender and the portal of a "
    "stronghold, and the rulebook has no program that finds one"
)
NO_WAY_TO_A_WITHER = (
    "a nether star is had from a wither alone, which is built of soul sand and skulls, and the "
    "rulebook has no program that builds one"
)
WAYS = Ways(
    _table(),
    MADE,
    by_tier,
    beyond={
        "shulker_shell": "",  # shulkers live where no task leads
        "nether_star": NO_WAY_TO_A_WITHER,
        "end": NO_WAY_TO_THE_END,
    },
)
way_to, open_ways, easiest = WAYS.way_to, WAYS.open_ways, WAYS.easiest
