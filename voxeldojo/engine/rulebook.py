"""The rule files (voxeldojo/rules) as arrays for the kernels."""

import copyreg
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voxeldojo.engine.compiling.arrays_by_address import by_address
from voxeldojo.engine.compiling.compiled_apart import places
from voxeldojo.engine.mobs.table import mob_tables, spawn_tables
from voxeldojo.engine.structures.catalogue import structures
from voxeldojo.rules import BIOMES, BLOCKS, CRAFTS, ITEMS, SPEEDS, Block, block_names, item_id

EQUIPMENT = {"feet": 36, "legs": 37, "chest": 38, "head": 39, "offhand": 40, "mainhand": 0}
STATIONS = {"hand": 0, "table": 1, "furnace": 2}
INGREDIENTS = 6
DOOR, GATE, TRAPDOOR, SLAB, SNOW = 1, 2, 3, 4, 5

BLOCK = np.dtype(
    [
        ("hardness", "f8"),
        ("height", "f8"),  # of the collision box
        ("half", "f8"),  # half the width of the box that rays hit, 0.5 is a full block
        ("top", "f8"),  # height of the box that rays hit
        ("slipperiness", "f8"),
        ("name", "i4"),  # index into block_names
        ("material", "i4"),  # column of Rules.speeds
        ("drop", "i4"),  # first row of Rules.drops
        ("drops", "i4"),
        ("variants", "i4"),  # mask of the metadata bits that the dropped item keeps
        ("level", "i4"),
        ("glow", "i4"),
        ("needs_tool", "i4"),
        ("selectable", "i4"),  # rays stop at it
        ("collidable", "i4"),
        ("no_tool", "i4"),
        ("movement", "i4"),
        ("liquid", "i4"),
        ("solid", "i4"),
        ("burns", "i4"),
        ("light", "i4"),
        ("replaceable", "i4"),
        ("shape", "i4"),  # 0, or the rule by which metadata say the height: DOOR, GATE ...
    ],
    align=True,
)
ITEM = np.dtype(
    [
        ("stack", "i4"),
        ("durability", "i4"),
        ("block", "i4"),  # block id that it places, 0 if none
        ("slot", "i4"),  # where equip puts it
        ("food", "f8"),
        ("saturation", "f8"),
        ("fuel", "i4"),
        ("armour", "i4"),
        ("toughness", "f8"),  # of armour
        ("container", "i4"),
        ("tool", "i4"),  # 0 none, 1 tool, 2 sword, 3 shears
        ("shield", "i4"),
    ],
    align=True,
)
LOOT = np.dtype(
    [("item", "i4"), ("fewest", "i4"), ("most", "i4"), ("variant", "i4"), ("chance", "f8")],
    align=True,
)
BIOME = np.dtype(
    [
        ("depth", "f8"),
        ("scale", "f8"),
        ("temperature", "f8"),
        ("rainfall", "f8"),
        ("trees", "f8"),  # all in a chunk of 16 x 16 columns, see voxeldojo/rules/tables.py
        ("grass", "f8"),
        ("fern", "f8"),
        ("flowers", "f8"),
        ("doubles", "f8"),
        ("mushrooms", "f8"),
        ("reeds", "f8"),
        ("cactus", "f8"),
        ("deadbush", "f8"),
        ("lilies", "f8"),
        ("melons", "f8"),
        ("top", "i4"),  # block ids and metadata
        ("fill", "i4"),
        ("top_variant", "i4"),
        ("fill_variant", "i4"),
        ("style", "i4"),  # place in STYLES
        ("blossoms", "i4"),  # place in BLOSSOMS
    ],
    align=True,
)
STYLES = (
    "", "hills", "gravel", "mega", "roofed", "swamp", "savanna_m", "spikes", "mesa", "wooded_mesa",
    "bryce",
)  # fmt: skip
BLOSSOMS = ("", "meadow", "orchid", "all")
TREES = (
    "oak", "big_oak", "birch", "tall_birch", "spruce", "pine", "mega_spruce", "mega_pine", "jungle",
    "mega_jungle", "jungle_bush", "swamp_oak", "acacia", "dark_oak", "big_mushroom",
)  # fmt: skip
DOUBLES = 4  # variants of tall plants a biome may have

# Boxes that rays hit, (half width, height), where it isn't the whole block.
PLANTS = {
    "tallgrass": (0.4, 0.8),
    "deadbush": (0.4, 0.8),
    "double_plant": (0.5, 1.0),
    "yellow_flower": (0.2, 0.6),
    "red_flower": (0.2, 0.6),
    "brown_mushroom": (0.2, 0.4),
    "red_mushroom": (0.2, 0.4),
    "sapling": (0.4, 0.8),
    "torch": (0.1, 0.6),
    "redstone_torch": (0.1, 0.6),
    "snow_layer": (0.5, 0.125),
    "wheat": (0.5, 0.25),
    "carrots": (0.5, 0.25),
    "potatoes": (0.5, 0.25),
    "beetroots": (0.5, 0.25),
    "reeds": (0.375, 1.0),
}
# What shears cut off whole, as item ids by block id.
SHEARS = 3
SHEARED = np.zeros(256, np.int64)
for _block in BLOCKS:
    if _block.name in ("leaves", "leaves2", "tallgrass", "deadbush", "vine", "web"):
        SHEARED[_block.id] = item_id(_block.name)

VARIANTS = {"log": 3, "log2": 3, "leaves": 3, "leaves2": 3, "sapling": 7, "tallgrass": 3}

# Light that blocks let through although they are solid, or absorb although they are not.
CLEAR = {
    "glass",
    "stained_glass",
    "glass_pane",
    "stained_glass_pane",
    "iron_bars",
    "bed",
    "chest",
    "trapped_chest",
    "ender_chest",
    "mob_spawner",
    "piston",
    "sticky_piston",
    "piston_head",
    "cactus",
    "cake",
    "trapdoor",
    "iron_trapdoor",
    "cauldron",
    "brewing_stand",
    "enchanting_table",
    "end_portal_frame",
    "dragon_egg",
    "beacon",
    "anvil",
    "hopper",
    "slime",
    "barrier",
    "daylight_detector",
    "daylight_detector_inverted",
    "cobblestone_wall",
    "stone_pressure_plate",
    "wooden_pressure_plate",
    "light_weighted_pressure_plate",
    "heavy_weighted_pressure_plate",
    "unpowered_repeater",
    "powered_repeater",
    "unpowered_comparator",
    "powered_comparator",
    "skull",
    "carpet",
    "flower_pot",
    "end_rod",
    "chorus_plant",
    "chorus_flower",
    "structure_void",
    "cocoa",
}
DIM = {"leaves": 1, "leaves2": 1, "web": 1, "water": 3, "flowing_water": 3, "ice": 3}
DIM["frosted_ice"] = 3
# Where MineDojo's list gives another form's light, or none.
GLOW = {
    "furnace": 0,
    "redstone_ore": 0,
    "unlit_redstone_torch": 0,
    "red_mushroom": 0,
    "magma": 3,
    "beacon": 15,
    "end_portal": 15,
    "end_portal_frame": 1,
    "dragon_egg": 1,
    "brewing_stand": 1,
    "ender_chest": 7,
    "sea_lantern": 15,
    "lit_redstone_lamp": 15,
    "redstone_lamp": 0,
    "powered_repeater": 9,
    "powered_comparator": 9,
}


def opacity(block: Block) -> int:
    """Light that a block absorbs; the 1 that light loses on every step is not counted."""
    if block.name in DIM:
        return DIM[block.name]
    open_work = block.name in CLEAR or block.name.endswith(
        ("_door", "fence", "fence_gate", "shulker_box")
    )
    return 15 if "light" in block.flags and not open_work else 0


def shape_of(name: str) -> int:
    """The rule for a block's height by its metadata; 0 if the height is fixed."""
    if name.endswith("trapdoor"):
        return TRAPDOOR
    if name.endswith("_door"):
        return DOOR
    if name.endswith("fence_gate"):
        return GATE
    if name.endswith(("_slab", "_slab2")) and "double" not in name:
        return SLAB
    return SNOW if name == "snow_layer" else 0


@by_address
class Rules(NamedTuple):
    block: NDArray[np.void]  # (256,) BLOCK
    block_name: NDArray[np.int64]  # (256,) index into block_names, alone for speed
    item: NDArray[np.void]  # (items,) ITEM
    opacity: NDArray[np.uint8]  # (256,) light that a block absorbs, 15 is all
    glow: NDArray[np.uint8]  # (256,) light that it gives
    biome: NDArray[np.void]  # (256,) BIOME by Minecraft's id
    trees: NDArray[np.float64]  # (256, TREES) share of a biome's trees up to and with this kind
    doubles: NDArray[np.int64]  # (256, DOUBLES) a biome's variants of tall plants, to draw from
    drops: NDArray[np.void]  # LOOT
    speeds: NDArray[np.float64]  # (items, materials)
    harvests: NDArray[np.bool_]  # (items, 256): the block drops something when broken with it
    crafted: NDArray[np.int64]  # (244,) item
    station: NDArray[np.int64]  # (244,) 0 hand, 1 table, 2 furnace
    first: NDArray[np.int64]  # (245,) first recipe of each craft argument
    yields: NDArray[np.int64]  # (recipes,)
    needs: NDArray[np.int64]  # (recipes, INGREDIENTS, 2) item and count, count 0 ends
    mob: NDArray[np.void]  # (kinds,) KIND, row 0 none
    mob_drops: NDArray[np.void]  # FALLS
    spawns: NDArray[np.void]  # SPAWN
    spawn_lists: NDArray[np.int64]  # (256, lists, 2) rows of spawns by biome: first and how many
    structure: NDArray[np.void]  # this and the rest: structures/catalogue.py
    habitat: NDArray[np.bool_]
    layout: NDArray[np.void]
    piece: NDArray[np.void]
    cells: NDArray[np.uint16]
    dweller: NDArray[np.void]
    chest: NDArray[np.void]
    pool: NDArray[np.void]
    entry: NDArray[np.void]
    apart: NDArray[np.int64]  # addresses of the kernels that are called by them: compiled_apart.py


@cache
def rules() -> Rules:
    materials = {name: number + 1 for number, name in enumerate(SPEEDS)}
    block_ids = {entry.name: entry.id for entry in BLOCKS}
    block, harvests, loot = _blocks(materials)
    biome, trees, doubles = _biomes(block_ids)
    opacity_of = {entry.id: opacity(entry) for entry in BLOCKS}
    glow_of = {entry.id: GLOW.get(entry.name, entry.glow) for entry in BLOCKS}
    recipes = [recipe for craft in CRAFTS for recipe in craft.recipes]
    needs = np.zeros((len(recipes), INGREDIENTS, 2), np.int64)
    for number, recipe in enumerate(recipes):
        for column, (name, count) in enumerate(recipe.ingredients.items()):
            needs[number, column] = item_id(name), count
    mob, mob_drops = mob_tables()
    spawns, spawn_lists = spawn_tables()
    return Rules(
        block=block,
        opacity=np.array([opacity_of.get(number, 0) for number in range(256)], np.uint8),
        glow=np.array([glow_of.get(number, 0) for number in range(256)], np.uint8),
        block_name=block["name"].astype(np.int64),
        item=_items(block_ids),
        biome=biome,
        trees=trees,
        doubles=doubles,
        drops=loot,
        speeds=_speeds(materials),
        harvests=harvests,
        crafted=np.array([item_id(craft.item) for craft in CRAFTS]),
        station=np.array([STATIONS[craft.station] for craft in CRAFTS]),
        first=np.cumsum([0, *(len(craft.recipes) for craft in CRAFTS)]),
        yields=np.array([recipe.count for recipe in recipes]),
        needs=needs,
        mob=mob,
        mob_drops=mob_drops,
        spawns=spawns,
        spawn_lists=spawn_lists,
        **structures()._asdict(),
        apart=places(),
    )


# The addresses in ``apart`` are those of this process. Another one has to find its own.
copyreg.pickle(Rules, lambda _: (rules, ()))


def _blocks(
    materials: dict[str, int],
) -> tuple[NDArray[np.void], NDArray[np.bool_], NDArray[np.void]]:
    """``block``, ``harvests`` and ``drops`` of the rules; a material's number by its name."""
    block = np.zeros(256, BLOCK)
    harvests = np.ones((len(ITEMS), 256), np.bool_)
    loot: list[tuple[int, int, int, int, float]] = []
    items = {item.name: item for item in ITEMS}
    for entry in BLOCKS:
        row = block[entry.id]
        row["hardness"] = entry.hardness
        row["height"] = 0.0 if entry.name == "ladder" else entry.height  # it lies on the wall
        half, top = PLANTS.get(entry.name, (0.5, min(entry.height, 1.0) or 1.0))
        row["half"], row["top"] = half, top
        row["slipperiness"] = entry.slipperiness
        row["name"] = block_names.index(entry.localised)
        row["material"] = materials.get(entry.material, 0)
        row["level"] = entry.level
        row["glow"] = entry.glow
        row["needs_tool"] = bool(entry.tools)
        row["selectable"] = entry.name != "air" and "liquid" not in entry.flags
        for flag in (
            "collidable",
            "no_tool",
            "movement",
            "liquid",
            "solid",
            "burns",
            "light",
            "replaceable",
        ):
            row[flag] = flag in entry.flags
        row["shape"] = shape_of(entry.name)
        own = items.get(entry.name)
        kept = 0
        if own is not None and (own.variants or own.subtypes):
            kept = 15
        row["variants"] = VARIANTS.get(entry.name, 7 if entry.name.endswith("slab") else kept)
        row["drop"], row["drops"] = len(loot), len(entry.drops)
        for drop in entry.drops:
            variant = drop[4] if len(drop) > 4 else -1
            loot.append((item_id(drop[0]), drop[1], drop[2], variant, drop[3]))
        if entry.tools:
            harvests[:, entry.id] = False
            harvests[[item_id(name) for name in entry.tools if name in items], entry.id] = True
    return block, harvests, np.array(loot, LOOT)


def _items(block_ids: dict[str, int]) -> NDArray[np.void]:
    item = np.zeros(len(ITEMS), ITEM)
    for number, entry in enumerate(ITEMS):
        row = item[number]
        row["stack"], row["durability"] = entry.stack, entry.durability
        # A banner has a block form in MineDojo's list, but no block of its own name.
        row["block"] = block_ids.get(entry.block, block_ids["standing_banner"])
        if not entry.block:
            row["block"] = 0
        row["slot"] = EQUIPMENT[entry.slot]
        row["food"], row["saturation"] = entry.food
        row["fuel"], row["armour"] = entry.fuel, entry.armour
        row["toughness"] = entry.toughness
        row["shield"] = entry.name == "shield"
        row["container"] = item_id(entry.container) if entry.container else 0
        if entry.name.endswith(("_axe", "_pickaxe", "_shovel")):
            row["tool"] = 1
        elif entry.name.endswith("_sword"):
            row["tool"] = 2
        elif entry.name == "shears":
            row["tool"] = 3
    return item


def _speeds(materials: dict[str, int]) -> NDArray[np.float64]:
    """How many times faster than a bare hand each item digs each material."""
    speeds = np.ones((len(ITEMS), len(materials) + 1))
    for material, tools in SPEEDS.items():
        for name, speed in tools.items():
            speeds[item_id(name), materials[material]] = speed
    return speeds


def _biomes(
    block_ids: dict[str, int],
) -> tuple[NDArray[np.void], NDArray[np.float64], NDArray[np.int64]]:
    biome = np.zeros(256, BIOME)
    trees = np.zeros((256, len(TREES)))
    doubles = np.zeros((256, DOUBLES), np.int64)
    for entry in BIOMES:
        row, terrain = biome[entry.id], entry.terrain
        for name in ("depth", "scale", "temperature", "rainfall"):
            row[name] = getattr(entry, name)
        for name in BIOME.names or ():
            if name in ("top", "fill"):
                row[name] = block_ids[getattr(terrain, name)]
            elif name == "style":
                row[name] = STYLES.index(terrain.style)
            elif name == "blossoms":
                row[name] = BLOSSOMS.index(terrain.blossoms)
            elif name not in ("depth", "scale", "temperature", "rainfall"):
                row[name] = getattr(terrain, name)
        shares = np.array([terrain.kinds.get(name, 0.0) for name in TREES])
        trees[entry.id] = np.cumsum(shares) / max(shares.sum(), 1e-9)
        if terrain.double_kinds:
            doubles[entry.id] = np.resize(terrain.double_kinds, DOUBLES)
    return biome, trees, doubles
