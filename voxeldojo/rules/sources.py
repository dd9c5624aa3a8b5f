"""Reads sources.yaml, the ways to get things, into a typed, immutable table."""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

from voxeldojo.rules.mobs import MOBS
from voxeldojo.rules.tables import BIOMES, BLOCKS, item_names

HERE = Path(__file__).parent
DIMENSIONS = ("overworld", "nether", "the_end")
OTHER_BIOMES = ("nether", "the_end", "the_void")
"""Biomes outside the overworld."""


class Engine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    default_world: str
    summoned: list[str]


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    place: str
    within: list[str] = msgspec.field(default=[], name="in")
    without: list[str] = msgspec.field(default=[], name="except")
    needs: list[str] = []
    how: str = ""
    effort: float | None = None
    engine: bool = False


class BlockSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    block: str
    within: list[str] = msgspec.field(name="in")
    without: list[str] = msgspec.field(default=[], name="except")
    engine: bool = False


class MobSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``drops``, rows of [item, fewest, most, chance], come from mobs.json."""

    mob: str
    within: list[str] = msgspec.field(default=[], name="in")
    without: list[str] = msgspec.field(default=[], name="except")
    needs: list[str] = []
    how: str = ""
    drops: list[tuple[str, int, int, float]] = []
    effort: float = 1.0  # of finding one where it spawns
    engine: bool = False


class Deed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that a player does by hand. ``effort``: tries for one of what it gives, if chance
    decides."""

    gives: list[str]
    needs: list[str]
    how: str
    engine: bool = False
    effort: float = 1.0


class Chest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    place: str
    items: list[str]
    engine: bool = False


class NotByHand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    block: str
    item: str


class Sources(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    engine: Engine
    groups: dict[str, list[str]]
    places: list[Place]
    blocks: list[BlockSource]
    mobs: list[MobSource]
    deeds: list[Deed]
    chests: list[Chest]
    not_by_hand: list[NotByHand]

    def spots(self, within: list[str], without: list[str]) -> list[str]:
        """The biomes (``biome:NAME``) and places (``place:NAME``) that lists of names mean."""
        left_out = set(self._names(without))
        found = []
        for name in self._names(within):
            if name == "overworld" and left_out:
                found += [biome for biome in overworld_biomes() if biome not in left_out]
            elif name not in left_out:
                found.append(name)
        biomes = {biome.name for biome in BIOMES} - set(OTHER_BIOMES)
        return [f"biome:{name}" if name in biomes else f"place:{name}" for name in found]

    def _names(self, names: list[str]) -> list[str]:
        found: list[str] = []
        for name in names:
            found += self._names(self.groups[name]) if name in self.groups else [name]
        return list(dict.fromkeys(found))


def overworld_biomes() -> list[str]:
    return [biome.name for biome in BIOMES if biome.name not in OTHER_BIOMES]


@cache
def sources() -> Sources:
    """The table.

    Raises:
        ValueError: it names an unknown item, block, biome or place.
    """
    text = (HERE / "sources.yaml").read_text(encoding="utf-8")
    raw = yaml.safe_load(text)
    drops = {mob.name: [row[:4] for row in [*mob.drops, *mob.rare]] for mob in MOBS}
    for entry in raw["mobs"]:
        if "drops" in entry:
            raise ValueError(f"the drops of {entry['mob']} belong into mobs.json")
        entry["drops"] = drops.get(entry["mob"], [])
    table = msgspec.convert(raw, Sources)
    _check(table)
    return table


def _check(table: Sources) -> None:
    items = set(item_names)
    places = {*DIMENSIONS, *(entry.place for entry in table.places)}
    mobs = {entry.mob for entry in table.mobs}
    # Oak leaves are a block of their own here only, as the source of apples.
    blocks = {*(block.name for block in BLOCKS), "oak_leaves"}
    kinds = {"block": blocks, "mob": mobs, "place": places, "tool": {"hoe"}}

    def known(token: str) -> bool:
        kind, _, name = token.rpartition(":")
        return name in (kinds.get(kind, set()) if kind else items)

    spots: list[Any] = [*table.places, *table.blocks, *table.mobs]
    wrong = [
        f"item {name!r}" for chest in table.chests for name in chest.items if name not in items
    ]
    wrong += [f"item {row[0]!r}" for mob in table.mobs for row in mob.drops if row[0] not in items]
    kinds_of_mobs = {mob.name for mob in MOBS}
    wrong += [f"mob {name!r}" for name in mobs if name not in kinds_of_mobs]
    wrong += [f"block {entry.block!r}" for entry in table.blocks if entry.block not in blocks]
    wrong += [f"place {chest.place!r}" for chest in table.chests if chest.place not in places]
    for entry in [*table.deeds, *table.mobs, *table.places]:
        tokens = [*entry.needs, *(entry.gives if isinstance(entry, Deed) else [])]
        wrong += [repr(token) for token in tokens if not known(token)]
    for entry in spots:
        for spot in table.spots(entry.within, entry.without):
            kind, _, name = spot.partition(":")
            if kind == "place" and name not in places:
                wrong.append(f"biome or place {name!r}")
    if wrong:
        raise ValueError(f"sources.yaml has unknown names: {', '.join(wrong)}")
