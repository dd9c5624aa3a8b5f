"""Reads mobs.json, the one table of mobs: health, attacks, sizes, drops and where they spawn.

Rows of drops are [item, fewest, most, chance] or with a fifth, the variant (-1: the mob's own);
those under ``rare`` drop only if the player hurt the mob.
"""

from typing import Any, Literal

import msgspec

from voxeldojo.rules.tables import HERE


class Spawn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row of a biome's spawn lists; biomes and groups of them as in sources.yaml."""

    kind: Literal["creature", "monster", "water", "ambient", "fortress", "monument"] = (
        msgspec.field(name="list")
    )
    within: list[str] = msgspec.field(name="in")
    weight: int
    group: tuple[int, int]
    without: list[str] = msgspec.field(default=[], name="except")


class Mob(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str  # as /summon takes it
    entity: str = ""  # its name in lidar readings; empty: the same
    nature: Literal["passive", "neutral", "hostile"]
    health: float
    damage: float = 0.0  # of a blow, normal difficulty
    speed: float  # Minecraft's attribute; 2.16 times its square are metres per tick
    width: float
    height: float
    xp: tuple[int, int]
    drops: list[list[Any]] = []
    rare: list[list[Any]] = []
    food: list[str] = []  # items that it follows, breeds with or is tamed with
    undead: bool = False
    burns: bool = False  # at daylight
    fireproof: bool = False
    flies: bool = False
    swims: bool = False
    climbs: bool = False
    armour: float = 0.0
    sight: float = 16.0  # metres
    panic: float = 1.25  # times faster when it was hurt
    attack: str = "blow"
    spawn: list[Spawn] = []

    @property
    def entity_name(self) -> str:
        return self.entity or self.name


MOBS: list[Mob] = msgspec.json.decode((HERE / "mobs.json").read_bytes(), type=list[Mob])
mob_names: list[str] = ["", *(mob.name for mob in MOBS)]
"""By number; 0 is no mob."""
entity_names: list[str] = ["null", *(mob.entity_name for mob in MOBS)]
MOB_IDS: dict[str, int] = {name: number for number, name in enumerate(mob_names) if name}
