"""The behaviour of blocks and the support that they need, as arrays by block id."""

import numpy as np

from voxeldojo.rules import BLOCKS, item_id, item_names

IDS = {block.name: block.id for block in BLOCKS}
DOORS = [name for name in IDS if name.endswith("_door")]
# Blocks that support a torch, a rail or a door: opaque full cubes.
NOT_WHOLE = ("stairs", "slab", "slab2", "farmland", "grass_path", "cocoa", "sign", "plate")
SEE_THROUGH = {
    "glass", "stained_glass", "glass_pane", "stained_glass_pane", "iron_bars", "bed", "chest",
    "trapped_chest", "ender_chest", "mob_spawner", "piston", "sticky_piston", "piston_head",
    "cactus", "cake", "trapdoor", "iron_trapdoor", "cauldron", "brewing_stand", "dragon_egg",
    "enchanting_table", "end_portal_frame", "beacon", "anvil", "hopper", "slime", "leaves",
    "leaves2", "daylight_detector", "daylight_detector_inverted", "cobblestone_wall", "carpet",
    "unpowered_repeater", "powered_repeater", "unpowered_comparator", "powered_comparator",
    "skull", "flower_pot", "end_rod", "chorus_plant", "chorus_flower", "ice", "frosted_ice",
    "snow_layer", "web",
}  # fmt: skip


def _flags(*names: str) -> np.ndarray:
    table = np.zeros(256, np.bool_)
    for name in names:
        table[IDS[name]] = True
    return table


WHOLE = np.zeros(256, np.bool_)
for _block in BLOCKS:
    _open = _block.name in SEE_THROUGH or _block.name.endswith(
        (*NOT_WHOLE, "_door", "fence", "fence_gate", "shulker_box")
    )
    _double = _block.name.startswith("double_") or "double_slab" in _block.name
    WHOLE[_block.id] = "light" in _block.flags and (_double or not _open)
TORCH_GROUND = WHOLE | _flags("fence", "glass", "stained_glass", "cobblestone_wall")
TORCH_GROUND |= _flags("nether_brick_fence", *(n for n in IDS if n.endswith("_fence")))
SOIL = _flags("grass", "dirt", "farmland")
FALLS = _flags("sand", "gravel", "anvil", "dragon_egg")
LOGS = _flags("log", "log2")
LEAVES = _flags("leaves", "leaves2")
# Blocks of two halves, of which the second drops nothing.
TWO_HALVES = _flags("bed", "double_plant", *DOORS)

# The support that a block needs; 0: none.
(
    FLOOR, PLANT, CROP, WART, MUSHROOM, REEDS, CACTUS, TORCH, LADDER, LEVER, VINE, COCOA, DOOR,
    BED, CHORUS, LILY, FIRE, CARPET, TALL_PLANT, DRY_PLANT, PORTAL, HOOK, FIELD,
) = range(1, 24)  # fmt: skip
STANDS = np.zeros(256, np.int64)
for _need, _names in {
    FLOOR: (
        "rail golden_rail detector_rail activator_rail redstone_wire unpowered_repeater"
        " powered_repeater unpowered_comparator powered_comparator stone_pressure_plate"
        " wooden_pressure_plate light_weighted_pressure_plate heavy_weighted_pressure_plate"
        " standing_sign standing_banner cake flower_pot snow_layer"
    ),
    PLANT: "sapling tallgrass yellow_flower red_flower",
    DRY_PLANT: "deadbush",
    TALL_PLANT: "double_plant",
    CROP: "wheat carrots potatoes beetroots melon_stem pumpkin_stem",
    WART: "nether_wart",
    MUSHROOM: "brown_mushroom red_mushroom",
    REEDS: "reeds",
    CACTUS: "cactus",
    TORCH: "torch redstone_torch unlit_redstone_torch",
    LADDER: "ladder wall_sign wall_banner",
    LEVER: "lever stone_button wooden_button",
    VINE: "vine",
    COCOA: "cocoa",
    DOOR: " ".join(DOORS),
    BED: "bed",
    CHORUS: "chorus_plant chorus_flower",
    LILY: "waterlily",
    FIRE: "fire",
    CARPET: "carpet",
    PORTAL: "portal",
    HOOK: "tripwire_hook",
    FIELD: "farmland grass_path",
}.items():
    for _name in _names.split():
        STANDS[IDS[_name]] = _need

# Blocks with random ticks. Others are never in the list.
GROWS = _flags(
    "wheat", "carrots", "potatoes", "beetroots", "melon_stem", "pumpkin_stem", "nether_wart",
    "cocoa", "sapling", "reeds", "cactus", "farmland", "dirt", "lava", "flowing_lava",
)  # fmt: skip

# Blocks that fluids do not flow into: those with a collision box, and some thin ones.
DAM = np.zeros(256, np.bool_)
for _block in BLOCKS:
    DAM[_block.id] = "movement" in _block.flags
DAM |= _flags("standing_sign", "wall_sign", "ladder", "reeds", "portal", "end_portal", *DOORS)
DAM |= _flags("structure_void", "end_gateway")
SOLID = np.zeros(256, np.bool_)
for _block in BLOCKS:
    SOLID[_block.id] = "solid" in _block.flags

# Fire: the encouragement and the flammability of each block, as in BlockFire.
KINDLES = np.zeros(256, np.int64)
EATEN = np.zeros(256, np.int64)
for _names, _kindles, _eaten in (
    ("log log2 coal_block", 5, 5),
    ("leaves leaves2 wool", 30, 60),
    ("bookshelf", 30, 20),
    ("tnt vine", 15, 100),
    ("tallgrass double_plant yellow_flower red_flower deadbush", 60, 100),
    ("hay_block carpet", 60, 20),
    ("planks double_wooden_slab wooden_slab", 5, 20),
):
    for _name in _names.split():
        KINDLES[IDS[_name]], EATEN[IDS[_name]] = _kindles, _eaten
for _name in IDS:
    _wood = _name.split("_")[0] in ("oak", "spruce", "birch", "jungle", "acacia", "dark", "fence")
    if _wood and _name.endswith(("stairs", "fence", "fence_gate")):
        KINDLES[IDS[_name]], EATEN[IDS[_name]] = 5, 20

# Explosions: the resistance of each block, as Minecraft's getExplosionResistance.
RESISTANCE = np.zeros(256)
for _block in BLOCKS:
    RESISTANCE[_block.id] = _block.hardness if _block.hardness >= 0.0 else 3.6e6
for _names, _value in (
    ("flowing_water water flowing_lava lava", 100.0),
    ("portal fire", 0.0),
    ("obsidian anvil enchanting_table", 1200.0),
    ("ender_chest", 600.0),
    ("end_stone dragon_egg", 9.0),
    ("hopper", 4.8),
    ("hardened_clay stained_hardened_clay", 4.2),
    (
        "stone cobblestone brick_block mossy_cobblestone stone_slab double_stone_slab stonebrick"
        " iron_block gold_block diamond_block coal_block emerald_block lapis_block iron_bars"
        " cobblestone_wall nether_brick nether_brick_fence red_nether_brick prismarine"
        " purpur_block purpur_pillar purpur_slab purpur_double_slab jukebox redstone_block"
        " stone_stairs brick_stairs stone_brick_stairs nether_brick_stairs purpur_stairs",
        6.0,
    ),
    ("planks wooden_slab double_wooden_slab", 3.0),
    ("lapis_block", 3.0),
):
    for _name in _names.split():
        RESISTANCE[IDS[_name]] = _value
for _name in IDS:
    if KINDLES[IDS[_name]] == 5 and _name.endswith(("stairs", "fence", "fence_gate")):
        RESISTANCE[IDS[_name]] = 3.0

# The item that a falling block becomes where it cannot lie.
ITEM_OF = np.zeros(256, np.int64)
for _block in BLOCKS:
    if _block.name in item_names:
        ITEM_OF[_block.id] = item_id(_block.name)
