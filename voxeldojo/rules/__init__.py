"""World rules as data: blocks, items, recipes, tool speeds and biomes of Minecraft 1.11.2.

The world, the features, the prompts and the checks of coded actions all read these files. Where the
facts come from is written in docs/data.md. `tables.py` reads blocks, items, recipes, speeds and
biomes, `mobs.py` mobs, and `sources.py` the ways to get things.
"""

from voxeldojo.rules.tables import (
    BIOMES,
    BLOCKS,
    CRAFTS,
    ITEMS,
    SPEEDS,
    Biome,
    Block,
    Craft,
    Item,
    Recipe,
    Terrain,
    biome_named,
    block_names,
    craft_index,
    item_id,
    item_names,
)

__all__ = [
    "BIOMES",
    "BLOCKS",
    "CRAFTS",
    "ITEMS",
    "SPEEDS",
    "Biome",
    "Block",
    "Craft",
    "Item",
    "Recipe",
    "Terrain",
    "biome_named",
    "block_names",
    "craft_index",
    "item_id",
    "item_names",
]
