"""Reads the rule files beside this module into typed, immutable tables."""

from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from voxeldojo.names import near

HERE = Path(__file__).parent
Row = TypeVar("Row")


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """One block. ``drops`` rows are [item, fewest, most, chance] or with a fifth, the variant."""

    id: int  # Minecraft 1.11.2's numeric id, 0..255
    name: str  # registry name, "log"
    localised: str  # the name in voxels and rays, "wood"
    hardness: float  # -1: cannot be broken
    material: str = ""  # row of SPEEDS
    tools: list[str] = []  # the tools that make it drop; empty: it drops with any or none
    level: int = -1  # harvest level, as in ray readings
    drops: list[list[Any]] = []
    height: float = 1.0  # of the collision box, 0: can be walked through
    flags: list[str] = []  # collidable no_tool movement liquid solid burns light replaceable
    glow: int = 0
    slipperiness: float = 0.6


class Item(msgspec.Struct, frozen=True, kw_only=True):
    name: str  # registry name
    stack: int
    durability: int = 0  # 0: cannot wear out
    block: str = ""  # registry name of the block it places
    slot: Literal["mainhand", "offhand", "feet", "legs", "chest", "head"] = "mainhand"
    food: tuple[float, float] = (0.0, 0.0)  # food points, saturation
    fuel: int = 0  # ticks it burns
    armour: int = 0
    toughness: float = 0.0  # of armour
    container: str = ""  # the item that remains when a recipe uses it up
    variants: list[str] = []
    subtypes: int = 0


class Recipe(msgspec.Struct, frozen=True, array_like=True):
    count: int
    ingredients: dict[str, int]


class Craft(msgspec.Struct, frozen=True, kw_only=True):
    """One of the 244 values of the craft argument. The mask only uses the first recipe."""

    item: str
    station: Literal["hand", "table", "furnace"]
    recipes: list[Recipe]


class Terrain(msgspec.Struct, frozen=True, kw_only=True):
    """The blocks of the ground and the plants on it. Numbers are Minecraft's own rates in a chunk
    of 16 x 16 columns: trees one by one, grass and flowers in patches."""

    top: str
    fill: str  # the three or four blocks under it
    top_variant: int = 0
    fill_variant: int = 0
    style: str = ""  # one of rulebook.STYLES: its other peculiarities
    trees: float = 0.0
    kinds: dict[str, float] = {}  # shares of the trees by the names in rulebook.TREES
    grass: float = 0.0
    fern: float = 0.0  # share of ferns in the grass
    flowers: float = 0.0
    blossoms: str = ""  # one of rulebook.BLOSSOMS
    doubles: float = 0.0  # plants two blocks high
    double_kinds: list[int] = []  # their variants
    mushrooms: float = 0.0
    reeds: float = 0.0
    cactus: float = 0.0
    deadbush: float = 0.0
    lilies: float = 0.0
    melons: float = 0.0


class Biome(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    name: str
    temperature: float  # below 0.15 it snows and water freezes
    rainfall: float
    depth: float  # 17 blocks of height above sea level for each 1.0
    scale: float  # how much the height varies
    terrain: Terrain


class Speed(msgspec.Struct, frozen=True, kw_only=True):
    material: str
    tools: dict[str, float]


def _read(name: str, row: type[Row]) -> list[Row]:
    text = (HERE / name).read_bytes()
    return msgspec.json.decode(text, type=list[row])


BLOCKS: list[Block] = _read("blocks.json", Block)
ITEMS: list[Item] = _read("items.json", Item)
CRAFTS: list[Craft] = _read("recipes.json", Craft)
BIOMES: list[Biome] = _read("biomes.json", Biome)
SPEEDS: dict[str, dict[str, float]] = {r.material: r.tools for r in _read("speeds.json", Speed)}

item_names: list[str] = [item.name for item in ITEMS]
block_names: list[str] = list(dict.fromkeys(block.localised for block in BLOCKS))

_ITEM_IDS = {name: number for number, name in enumerate(item_names)}
_CRAFT_IDS = {craft.item: number for number, craft in enumerate(CRAFTS)}
_BIOMES = {biome.name: biome for biome in BIOMES}


def item_id(name: str) -> int:
    """The item's id, its place in ``item_names``.

    Raises:
        ValueError: there is no item of that name.
    """
    number = _ITEM_IDS.get(name)
    if number is None:
        raise ValueError(f"there is no item {name!r}{near(name, item_names)}")
    return number


def craft_index(name: str) -> int:
    """The craft argument (0..243) that makes ``name``.

    Raises:
        ValueError: nothing of that name can be crafted or smelted.
    """
    number = _CRAFT_IDS.get(name)
    if number is None:
        raise ValueError(f"{name!r} cannot be crafted or smelted{near(name, _CRAFT_IDS)}")
    return number


def biome_named(name: str) -> Biome:
    """The biome, "forest hills" and "forest_hills" being the same.

    Raises:
        ValueError: there is no such biome.
    """
    biome = _BIOMES.get(name.strip().lower().replace(" ", "_"))
    if biome is None:
        known = near(name, _BIOMES) or f"; there are {', '.join(sorted(_BIOMES))}"
        raise ValueError(f"there is no biome {name!r}{known}")
    return biome
