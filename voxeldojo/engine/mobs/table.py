"""The rules of mobs (rules/mobs.json) as arrays for the kernels."""

import numpy as np
from numpy.typing import NDArray

from voxeldojo.rules import BIOMES, item_id
from voxeldojo.rules.mobs import MOBS
from voxeldojo.rules.sources import overworld_biomes, sources

PASSIVE, NEUTRAL, HOSTILE = 0, 1, 2
NATURES = {"passive": PASSIVE, "neutral": NEUTRAL, "hostile": HOSTILE}
# How a kind attacks.
NO_ATTACK, BLOW, SWELL, BOW, FIRE, GHAST, POTION, BULLET = 0, 1, 2, 3, 4, 5, 6, 7
BEAM, FANGS, DRAGON, SKULL, SPIT, SNOW = 8, 9, 10, 11, 12, 13
ATTACKS = {
    "none": NO_ATTACK,
    "blow": BLOW,
    "swell": SWELL,
    "bow": BOW,
    "fire": FIRE,
    "ghast": GHAST,
    "potion": POTION,
    "bullet": BULLET,
    "beam": BEAM,
    "fangs": FANGS,
    "dragon": DRAGON,
    "skull": SKULL,
    "spit": SPIT,
    "snow": SNOW,
}
FOODS = 10
KIND = np.dtype(
    [
        ("health", "f8"),
        ("damage", "f8"),
        ("pace", "f8"),  # metres per tick and tick that its legs push
        ("half", "f8"),  # half its width
        ("tall", "f8"),
        ("armour", "f8"),
        ("sight", "f8"),
        ("panic", "f8"),  # how much faster it runs from harm
        ("xp_fewest", "i4"),
        ("xp_most", "i4"),
        ("drop", "i4"),  # first row of Rules.mob_drops
        ("drops", "i4"),
        ("rare", "i4"),  # rows after those that fall only by the player's hand
        ("nature", "i4"),
        ("attack", "i4"),
        ("undead", "i4"),
        ("burns", "i4"),
        ("fireproof", "i4"),
        ("flies", "i4"),
        ("swims", "i4"),
        ("climbs", "i4"),
        ("food", "i4", (FOODS,)),  # item ids, 0 ends
    ],
    align=True,
)
FALLS = np.dtype(
    [("item", "i4"), ("fewest", "i4"), ("most", "i4"), ("variant", "i4"), ("chance", "f8")],
    align=True,
)
SPAWN = np.dtype([("kind", "i4"), ("weight", "i4"), ("fewest", "i4"), ("most", "i4")], align=True)
CREATURES, MONSTERS, WATERS, AMBIENTS, FORTRESSES, MONUMENTS = 0, 1, 2, 3, 4, 5
LISTS = {
    "creature": CREATURES,
    "monster": MONSTERS,
    "water": WATERS,
    "ambient": AMBIENTS,
    "fortress": FORTRESSES,
    "monument": MONUMENTS,
}


def spawn_tables() -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """(SPAWN rows, (256, lists, 2) first row and rows by biome and list)."""
    spots = sources().spots
    ids = {biome.name: biome.id for biome in BIOMES}
    found: dict[tuple[int, int], list[tuple[int, int, int, int]]] = {}
    for number, mob in enumerate(MOBS, 1):
        for spawn in mob.spawn:
            row = (number, spawn.weight, *spawn.group)
            places = [spot.partition(":")[2] for spot in spots(spawn.within, spawn.without)]
            if "overworld" in places:
                places = overworld_biomes()
            for place in places:
                found.setdefault((ids[place], LISTS[spawn.kind]), []).append(row)
    rows: list[tuple[int, int, int, int]] = []
    lists = np.zeros((256, len(LISTS), 2), np.int64)
    for (biome, column), entries in sorted(found.items()):
        lists[biome, column] = len(rows), len(entries)
        rows += entries
    return np.array(rows, SPAWN), lists


def mob_tables() -> tuple[NDArray[np.void], NDArray[np.void]]:
    """(KIND rows, FALLS rows); row 0 of the kinds is none."""
    kinds = np.zeros(len(MOBS) + 1, KIND)
    falls: list[tuple[int, int, int, int, float]] = []
    for number, mob in enumerate(MOBS, 1):
        row = kinds[number]
        row["health"], row["damage"] = mob.health, mob.damage
        row["pace"] = 0.98 * mob.speed * mob.speed
        row["half"], row["tall"] = mob.width / 2.0, mob.height
        row["armour"], row["sight"] = mob.armour, mob.sight
        row["panic"] = mob.panic
        row["xp_fewest"], row["xp_most"] = mob.xp
        row["drop"], row["drops"], row["rare"] = len(falls), len(mob.drops), len(mob.rare)
        for fall in [*mob.drops, *mob.rare]:
            variant = fall[4] if len(fall) > 4 else 0
            falls.append((item_id(fall[0]), fall[1], fall[2], variant, fall[3]))
        row["nature"], row["attack"] = NATURES[mob.nature], ATTACKS[mob.attack]
        for flag in ("undead", "burns", "fireproof", "flies", "swims", "climbs"):
            row[flag] = getattr(mob, flag)
        row["food"][: len(mob.food)] = [item_id(name) for name in mob.food]
    return kinds, np.array(falls, FALLS)
