"""How blocks look: a table of recipes (painting.py) by block name and metadata."""

from collections.abc import Iterable

from voxeldojo.engine.picture.painting import Colour, Recipe

Faces = tuple[Recipe, ...]  # bottom, top, north, south, west, east
NORTH, SOUTH, WEST, EAST = 2, 3, 4, 5

DYES = (
    "white", "orange", "magenta", "light_blue", "yellow", "lime", "pink", "gray", "silver", "cyan",
    "purple", "blue", "brown", "green", "red", "black",
)  # fmt: skip
WOOL: tuple[Colour, ...] = (
    (234, 236, 237), (240, 118, 19), (189, 68, 179), (58, 175, 217), (248, 198, 39), (112, 185, 25),
    (237, 141, 172), (62, 68, 71), (142, 142, 134), (21, 137, 145), (121, 42, 172), (53, 57, 157),
    (114, 71, 40), (84, 109, 27), (160, 39, 34), (20, 21, 25),
)  # fmt: skip
CLAYS: tuple[Colour, ...] = (
    (209, 178, 161), (161, 83, 37), (149, 88, 108), (113, 108, 137), (186, 133, 35), (103, 117, 52),
    (161, 78, 78), (57, 42, 35), (135, 106, 97), (86, 91, 91), (118, 70, 86), (74, 59, 91),
    (77, 51, 35), (76, 83, 42), (143, 61, 46), (37, 22, 16),
)  # fmt: skip
WOODS = ("oak", "spruce", "birch", "jungle", "acacia", "dark_oak")
PLANKS: tuple[Colour, ...] = (
    (162, 130, 78), (108, 80, 47), (196, 180, 122), (160, 115, 80), (168, 90, 50), (66, 43, 20),
)  # fmt: skip
BARKS: tuple[Colour, ...] = (
    (104, 82, 50), (58, 38, 20), (214, 212, 204), (88, 68, 28), (104, 97, 88), (52, 40, 24),
)  # fmt: skip
LEAVES: tuple[Colour, ...] = (
    (62, 128, 36), (52, 92, 56), (112, 150, 66), (48, 136, 26), (90, 140, 44), (44, 104, 26),
)  # fmt: skip
MORTAR: Colour = (176, 168, 160)

STONE = ("grain", (126, 126, 126), 5.0)
DIRT = ("grain", (134, 96, 67), 9.0)
TURF = ("grain", (104, 164, 62), 10.0)
SNOW = ("grain", (240, 247, 250), 3.0)
SAND = ("grain", (219, 207, 160), 5.0)
RED_SAND = ("grain", (184, 98, 38), 5.0)
GRAVEL = ("cobble", (134, 128, 124), (108, 102, 100), 26)
NETHERRACK = ("cobble", (116, 56, 54), (84, 34, 34), 18)
END_STONE = ("cobble", (220, 222, 165), (198, 198, 142), 16)
OBSIDIAN = ("swirl", (14, 10, 24), (52, 38, 78), 255, 8)
QUARTZ = ("grain", (236, 232, 226), 3.0)
PURPUR = ("bricks", (168, 122, 168), (134, 92, 134), 8, 8)
GLASS = ("pane", (196, 226, 232))
WATER = ("swirl", (38, 70, 190), (62, 100, 226), 165)
LAVA = ("swirl", (212, 70, 8), (252, 176, 54), 255, 8)
BRICKS = ("bricks", (150, 88, 70), MORTAR)
STONE_BRICKS = ("bricks", (124, 124, 124), (88, 88, 88), 16, 8)
NETHER_BRICKS = ("bricks", (48, 24, 28), (28, 12, 16))
RED_NETHER_BRICKS = ("bricks", (74, 8, 10), (44, 2, 4))
COBBLE = ("cobble", (132, 132, 132), (86, 86, 86))
MOSSY = ("cobble", (128, 130, 126), (80, 86, 78), 11, (92, 122, 66))
IRON = ("polished", (222, 222, 222))
SMOOTH = ("frame", ("grain", (164, 164, 164), 3.0), (134, 134, 134))
OVEN = ("cobble", (118, 118, 118), (84, 84, 84), 14)
MACHINE = ("grain", (112, 112, 112), 6.0)
SANDSTONE = (
    "bands",
    4.0,
    (3, (226, 214, 168)),
    (6, (214, 200, 150)),
    (1, (190, 176, 126)),
    (6, (222, 210, 164)),
)
RED_SANDSTONE = ("bands", 4.0, (3, (184, 98, 38)), (6, (170, 86, 30)), (1, (140, 66, 20)), (6, (180, 94, 34)))  # fmt: skip


def boards(kind: int) -> Recipe:
    return ("planks", PLANKS[kind])


def bark(kind: int) -> Recipe:
    if kind == 2:
        return ("birch", BARKS[2], (44, 42, 38))
    return ("bark", BARKS[kind])


def crown(kind: int) -> Recipe:
    return ("leaves", LEAVES[kind])


def over(base: Recipe | None, rows: tuple[str, ...], *colours: tuple[int, ...]) -> Recipe:
    return ("art", base, rows, *colours)


def same(recipe: Recipe) -> Faces:
    return (recipe,) * 6


def column(end: Recipe, side: Recipe) -> Faces:
    return (end, end, side, side, side, side)


def stacked(bottom: Recipe, top: Recipe, side: Recipe) -> Faces:
    return (bottom, top, side, side, side, side)


def fronted(faces: Faces, front: Recipe, places: Iterable[int]) -> list[Faces]:
    """By metadata: the faces with the front on the given one."""
    return [
        tuple(front if n == place else face for n, face in enumerate(faces)) for place in places
    ]


def lying(end: Recipe, side: Recipe) -> list[Faces]:
    """By bits 2 and 3 of the metadata: upright, along x, along z, bark all round."""
    return [
        column(end, side),
        (side, side, side, side, end, end),
        (side, side, end, end, side, side),
        same(side),
    ]


def logs(kinds: Iterable[int]) -> list[Faces]:
    kinds = list(kinds)
    turned = [lying(("rings", PLANKS[kind], BARKS[kind]), bark(kind)) for kind in kinds]
    return [turned[kind % len(kinds)][turn] for turn in range(4) for kind in range(4)]


LEVEL_FRONTS = (NORTH, NORTH, NORTH, SOUTH, WEST, EAST, NORTH, NORTH)  # furnaces, chests
HEAD_FRONTS = (SOUTH, WEST, NORTH, EAST)  # pumpkins
PIPE_FRONTS = (0, 1, 2, 3, 4, 5, 0, 0)  # dispensers, pistons

OVEN_FRONT = (
    "        ",
    " 000000 ",
    "        ",
    " 111111 ",
    " 111111 ",
    " 122221 ",
    " 122221 ",
    "        ",
)
LIT = ((60, 60, 60), (24, 24, 24), (250, 150, 30))
DARK = ((60, 60, 60), (24, 24, 24), (38, 38, 38))
GRIN = (
    "        ",
    " 00  00 ",
    " 00  00 ",
    "   00   ",
    "        ",
    "00 00 00",
    " 000000 ",
    "        ",
)
LATCH = (
    "        ",
    "        ",
    "0000000 ",
    "   11   ",
    "   11   ",
    "        ",
    "        ",
    "        ",
)
TOOLS = (
    "0000000000000000", "0000000000000000", "0000000000000000", "                ",
    "  111111     2  ", "     11     22  ", "    1 1    222  ", "   1       22   ",
    "  1       1 2   ", " 1       1      ", "        1       ", "       1        ",
    "      1         ", "                ", "                ", "0000000000000000",
)  # fmt: skip
GRID = (
    "0000000000000000", "0              0", "0 1111 1111 11 0", "0 1    1     1 0",
    "0 1    1     1 0", "0 1    1     1 0", "0 1111 1111 11 0", "0 1    1     1 0",
    "0 1    1     1 0", "0 1    1     1 0", "0 1111 1111 11 0", "0 1    1     1 0",
    "0 1    1     1 0", "0 1111 1111 11 0", "0              0", "0000000000000000",
)  # fmt: skip
BOOKS = (
    "        ",
    "01231402",
    "01231402",
    "        ",
    "        ",
    "31402130",
    "31402130",
    "        ",
)
DOOR = (
    "0000000000000000", "0              0", "0 11111  11111 0", "0 11111  11111 0",
    "0 11111  11111 0", "0 11111  11111 0", "0              0", "0              0",
    "0            2 0", "0            2 0", "0 11111  11111 0", "0 11111  11111 0",
    "0 11111  11111 0", "0 11111  11111 0", "0              0", "0000000000000000",
)  # fmt: skip
RUNGS = (
    "  0          0  ", "  0          0  ", " 1111111111111  ", "  0          0  ",
    "  0          0  ", "  0          0  ", " 1111111111111  ", "  0          0  ",
    "  0          0  ", "  0          0  ", " 1111111111111  ", "  0          0  ",
    "  0          0  ", "  0          0  ", " 1111111111111  ", "  0          0  ",
)  # fmt: skip
TRACK = (
    "  1          1  ", "0010000000000100", "0010000000000100", "  1          1  ",
    "  1          1  ", "0010000000000100", "0010000000000100", "  1          1  ",
    "  1          1  ", "0010000000000100", "0010000000000100", "  1          1  ",
    "  1          1  ", "0010000000000100", "0010000000000100", "  1          1  ",
)  # fmt: skip
HATCH = (
    "00000000",
    "0  00  0",
    "0  00  0",
    "00000000",
    "00000000",
    "0  00  0",
    "0  00  0",
    "00000000",
)
BARS = tuple("0 0 0 0 0 0 0 0 " if row % 5 else "0000000000000000" for row in range(16))
CAGE = (
    "00000000",
    "0  00  0",
    "0  00  0",
    "00000000",
    "00000000",
    "0  00  0",
    "0  00  0",
    "00000000",
)
BLAST = (
    "00000000",
    "00000000",
    "11111111",
    "12 21 21",
    "12212221",
    "11111111",
    "00000000",
    "00000000",
)
HUB = (
    "        ",
    "  0000  ",
    " 0    0 ",
    " 0 11 0 ",
    " 0 11 0 ",
    " 0    0 ",
    "  0000  ",
    "        ",
)
PLATE = (
    "        ",
    "        ",
    "  0000  ",
    "  0110  ",
    "  0110  ",
    "  0000  ",
    "        ",
    "        ",
)
PAD = (
    "    00000       ", "  000000000     ", " 00000000000    ", " 0000000000 00  ",
    "00000000000 000 ", "0000000000 0000 ", "000000000  00000", "0000000  0000000",
    "0000000000000000", "0000000000000000", "000000000000000 ", " 00000000000000 ",
    " 0000000000000  ", "  00000000000   ", "    0000000     ", "                ",
)  # fmt: skip
TORCH = tuple("0000000000000000" if row < 3 else "1111111122222222" for row in range(16))
RUNE = (
    "        ",
    " 0 00 0 ",
    "  0  0  ",
    " 00 0   ",
    "  0  00 ",
    " 0 00 0 ",
    "   0  0 ",
    "        ",
)

SLABS = (
    ("smooth", SMOOTH), ("sandstone", SANDSTONE), ("wood", boards(0)), ("cobblestone", COBBLE),
    ("brick", BRICKS), ("stone_brick", STONE_BRICKS), ("nether_brick", NETHER_BRICKS),
    ("quartz", QUARTZ),
)  # fmt: skip
STAIRS = {
    "oak": boards(0), "spruce": boards(1), "birch": boards(2), "jungle": boards(3),
    "acacia": boards(4), "dark_oak": boards(5), "stone": COBBLE, "brick": BRICKS,
    "stone_brick": STONE_BRICKS, "nether_brick": NETHER_BRICKS, "sandstone": SANDSTONE,
    "red_sandstone": RED_SANDSTONE, "quartz": QUARTZ, "purpur": PURPUR,
}  # fmt: skip
ORES: dict[str, Colour] = {
    "coal_ore": (44, 44, 44), "iron_ore": (216, 175, 147), "gold_ore": (252, 222, 80),
    "redstone_ore": (210, 20, 20), "lit_redstone_ore": (255, 50, 40), "lapis_ore": (36, 72, 190),
    "diamond_ore": (93, 230, 226), "emerald_ore": (30, 205, 90),
}  # fmt: skip
METALS: dict[str, Colour] = {
    "gold_block": (250, 220, 70), "iron_block": (222, 222, 222), "diamond_block": (104, 226, 220),
    "lapis_block": (38, 68, 170), "emerald_block": (62, 212, 108), "redstone_block": (176, 26, 10),
    "coal_block": (24, 24, 24),
}  # fmt: skip
# One recipe for all faces, whatever the metadata.
PLAIN: dict[str, Recipe] = {
    "dirt": DIRT, "cobblestone": COBBLE, "mossy_cobblestone": MOSSY, "gravel": GRAVEL,
    "bedrock": ("cobble", (92, 92, 92), (36, 36, 36), 9), "clay": ("grain", (160, 166, 178), 4.0),
    "snow": SNOW, "snow_layer": SNOW, "ice": ("glaze", (132, 172, 250), 170),
    "frosted_ice": ("glaze", (142, 180, 250), 190), "packed_ice": ("swirl", (136, 168, 236), (172, 200, 250)),
    "water": WATER, "flowing_water": WATER, "lava": LAVA, "flowing_lava": LAVA,
    "glass": GLASS, "glass_pane": GLASS, "obsidian": OBSIDIAN, "netherrack": NETHERRACK,
    "soul_sand": ("spots", ("grain", (86, 66, 52), 7.0), (64, 48, 38), 0.3),
    "glowstone": ("cobble", (236, 196, 116), (150, 106, 56), 12),
    "end_stone": END_STONE, "end_bricks": ("bricks", (224, 228, 170), (186, 190, 130), 8, 8),
    "nether_brick": NETHER_BRICKS, "nether_brick_fence": NETHER_BRICKS,
    "red_nether_brick": RED_NETHER_BRICKS,
    "nether_wart_block": ("cobble", (118, 6, 8), (84, 0, 2), 20),
    "quartz_ore": ("specks", NETHERRACK, (232, 222, 214)),
    "magma": ("specks", ("cobble", (92, 34, 24), (54, 20, 18), 10), (255, 140, 40), 0.24),
    "brick_block": BRICKS, "hardened_clay": ("grain", (150, 92, 66), 3.0),
    "sea_lantern": ("frame", ("swirl", (170, 205, 196), (236, 250, 244)), (140, 180, 176)),
    "slime": ("glaze", (112, 196, 92), 170), "portal": ("swirl", (70, 10, 150), (170, 60, 230), 190, 8),
    "end_portal": ("specks", ("grain", (10, 16, 22), 6.0), (120, 220, 200), 0.05),
    "end_gateway": ("specks", ("grain", (10, 16, 22), 6.0), (120, 220, 200), 0.05),
    "mob_spawner": over(None, CAGE, (30, 44, 54)), "web": ("web", (225, 230, 232)),
    "fire": ("flame",), "vine": ("vines", (58, 118, 36)), "reeds": ("canes", (148, 192, 100), (110, 160, 70)),
    "deadbush": ("twigs", (112, 76, 38)), "brown_mushroom": ("mushroom", (146, 110, 80)),
    "red_mushroom": ("mushroom", (208, 32, 30), (250, 236, 230)),
    "yellow_flower": ("flower", (248, 222, 40), (214, 170, 20)),
    "waterlily": over(None, PAD, (30, 116, 40)), "ladder": over(None, RUNGS, (120, 92, 54), (156, 122, 72)),
    "rail": over(None, TRACK, (120, 90, 54), (170, 168, 166)),
    "golden_rail": over(None, TRACK, (130, 96, 40), (244, 206, 60)),
    "detector_rail": over(None, TRACK, (126, 110, 96), (178, 172, 166)),
    "activator_rail": over(None, TRACK, (150, 54, 40), (170, 164, 160)),
    "redstone_wire": ("dust", (196, 20, 10)), "tripwire": ("dust", (200, 200, 200), 0.1),
    "torch": over(None, TORCH, (255, 220, 110), (128, 98, 58), (104, 78, 44)),
    "redstone_torch": over(None, TORCH, (255, 60, 40), (128, 98, 58), (104, 78, 44)),
    "unlit_redstone_torch": over(None, TORCH, (96, 30, 26), (128, 98, 58), (104, 78, 44)),
    "end_rod": over(None, TORCH, (255, 250, 240), (240, 232, 226), (226, 216, 212)),
    "iron_bars": over(None, BARS, (138, 138, 134)),
    "iron_trapdoor": over(IRON, HATCH, (196, 196, 196)),
    "trapdoor": over(boards(0), HATCH, (126, 96, 52)),
    "iron_door": over(IRON, DOOR, (170, 170, 170), (200, 200, 200), (90, 90, 90)),
    "dragon_egg": ("specks", ("grain", (14, 10, 20), 3.0), (70, 20, 90), 0.1),
    "barrier": ("ink", STONE, 0), "structure_void": ("ink", STONE, 0), "piston_extension": ("ink", STONE, 0),
    "command_block": over(("grain", (176, 126, 94), 6.0), HUB, (110, 74, 50), (230, 220, 200)),
    "repeating_command_block": over(("grain", (116, 96, 180), 6.0), HUB, (70, 54, 120), (230, 220, 200)),
    "chain_command_block": over(("grain", (128, 170, 150), 6.0), HUB, (80, 116, 98), (230, 220, 200)),
    "structure_block": over(("grain", (86, 70, 88), 6.0), HUB, (150, 130, 150), (220, 210, 220)),
    "noteblock": over(("grain", (104, 64, 42), 6.0), HUB, (70, 40, 24), (40, 24, 14)),
    "redstone_lamp": over(("cobble", (112, 68, 36), (62, 36, 20), 9), HUB, (80, 48, 26), (140, 90, 50)),
    "lit_redstone_lamp": over(("cobble", (240, 190, 110), (150, 96, 48), 9), HUB, (250, 220, 150), (255, 240, 190)),
    "beacon": over(GLASS, HUB, (60, 40, 90), (120, 240, 236)),
    "chorus_plant": ("cobble", (110, 78, 112), (80, 52, 82), 10),
    "chorus_flower": ("spots", ("grain", (156, 124, 156), 6.0), (236, 226, 236), 0.4),
    "purpur_block": PURPUR, "purpur_double_slab": PURPUR, "purpur_slab": PURPUR,
    "cobblestone_wall": COBBLE, "flower_pot": ("grain", (126, 66, 48), 5.0),
    "anvil": ("polished", (72, 72, 72)), "cauldron": ("polished", (64, 64, 66)),
    "hopper": ("polished", (76, 76, 78)), "brewing_stand": ("grain", (124, 110, 92), 10.0),
    "skull": ("spots", ("grain", (198, 198, 190), 4.0), (60, 60, 60), 0.16),
    "lever": ("bark", (120, 94, 56)), "tripwire_hook": ("bark", (140, 118, 86)),
    "stone_button": STONE, "wooden_button": boards(0), "stone_pressure_plate": STONE,
    "wooden_pressure_plate": boards(0), "light_weighted_pressure_plate": ("polished", METALS["gold_block"]),
    "heavy_weighted_pressure_plate": IRON, "standing_sign": boards(0), "wall_sign": boards(0),
    "standing_banner": ("grain", WOOL[0], 4.0), "wall_banner": ("grain", WOOL[0], 4.0),
    "nether_wart": ("crop", (110, 20, 24), (170, 24, 30), 0.5, None),
    "cocoa": ("grain", (150, 92, 42), 8.0), "double_stone_slab2": RED_SANDSTONE, "stone_slab2": RED_SANDSTONE,
    "piston_head": over(boards(0), PLATE, (126, 96, 52), (150, 120, 70)),
    "unpowered_repeater": over(SMOOTH, PLATE, (110, 40, 36), (90, 20, 16)),
    "powered_repeater": over(SMOOTH, PLATE, (230, 60, 40), (255, 90, 60)),
    "unpowered_comparator": over(SMOOTH, PLATE, (120, 50, 40), (220, 214, 206)),
    "powered_comparator": over(SMOOTH, PLATE, (240, 80, 50), (240, 236, 230)),
    **{name: ("polished", colour) for name, colour in METALS.items()},
    **{name: ("specks", STONE, colour) for name, colour in ORES.items()},
    **{f"{name}_stairs": recipe for name, recipe in STAIRS.items()},
    **{f"{wood}_fence": boards(n) for n, wood in enumerate(WOODS)},
    **{f"{wood}_fence_gate": boards(n) for n, wood in enumerate(WOODS)},
    **{f"{wood}_door": over(boards(n), DOOR, tuple(c * 3 // 4 for c in PLANKS[n]), tuple(min(255, c * 9 // 8) for c in PLANKS[n]), (60, 60, 60)) for n, wood in enumerate(WOODS)},
    "fence": boards(0), "fence_gate": boards(0),
    "wooden_door": over(boards(0), DOOR, (116, 90, 50), (182, 150, 96), (60, 60, 60)),
    **{f"{dye}_shulker_box": ("frame", ("grain", WOOL[n], 4.0), tuple(c * 7 // 10 for c in WOOL[n])) for n, dye in enumerate(DYES)},
}  # fmt: skip

CHEST_WOOD = ("frame", ("planks", (158, 112, 44)), (72, 48, 18))
ENDER_WOOD = ("frame", ("swirl", (22, 34, 40), (48, 64, 70)), (12, 18, 22))
TABLE_SIDE = over(boards(0), TOOLS, (104, 70, 38), (120, 120, 120), (186, 186, 186))
DISPENSER = over(OVEN, HUB, (70, 70, 70), (20, 20, 20))
PISTON_SIDE = ("bands", 5.0, (4, (162, 130, 78)), (12, (112, 112, 112)))
PISTON_TOP = over(boards(0), PLATE, (126, 96, 52), (150, 120, 70))
STICKY_TOP = over(boards(0), PLATE, (100, 170, 80), (120, 190, 96))
PUMPKIN = ("bark", (204, 122, 28), 10.0)
MELON = ("bark", (112, 142, 34), 14.0)
HAY = ("bark", (192, 162, 38), 12.0)
BONE = ("grain", (226, 222, 200), 5.0)
CAP_SIDE = {
    "brown_mushroom_block": ("grain", (146, 110, 84), 6.0),
    "red_mushroom_block": ("spots", ("grain", (186, 34, 30), 5.0), (222, 206, 196), 0.18),
}
PORES = ("grain", (206, 172, 128), 5.0)
STALK = ("grain", (208, 204, 194), 5.0)
FLOWERS: tuple[tuple[Colour, Colour], ...] = (
    ((214, 34, 30), (30, 20, 20)), ((48, 170, 240), (230, 240, 250)), ((188, 108, 246), (240, 226, 250)),
    ((236, 238, 242), (246, 220, 70)), ((226, 40, 30), (250, 200, 60)), ((240, 132, 30), (250, 200, 60)),
    ((240, 240, 240), (240, 220, 120)), ((238, 170, 214), (240, 220, 120)), ((244, 244, 244), (248, 214, 30)),
)  # fmt: skip
GROWTH = tuple(stage / 7.0 for stage in range(8))


def caps(name: str) -> list[Faces]:
    side = CAP_SIDE[name]
    all_pores = same(PORES)
    return [all_pores, *[same(side)] * 9, column(PORES, STALK), all_pores, all_pores, all_pores, same(side), same(STALK)]  # fmt: skip


# By metadata; a shorter list is repeated.
VARIED: dict[str, list[Faces]] = {
    "stone": [same(r) for r in (STONE, ("grain", (154, 108, 90), 12.0), ("polished", (158, 112, 94)), ("grain", (190, 190, 192), 12.0), ("polished", (192, 192, 194)), ("grain", (132, 134, 134), 8.0), ("polished", (134, 136, 136)), STONE)],
    "dirt": [same(DIRT), same(("grain", (120, 86, 60), 12.0)), stacked(DIRT, ("grain", (94, 64, 26), 10.0), ("fringe", DIRT, ("grain", (94, 64, 26), 10.0))), same(DIRT)],
    "grass": [stacked(DIRT, TURF, ("fringe", DIRT, TURF))],
    "mycelium": [stacked(DIRT, ("grain", (112, 98, 104), 9.0), ("fringe", DIRT, ("grain", (112, 98, 104), 9.0)))],
    "grass_path": [stacked(DIRT, ("grain", (150, 120, 66), 8.0), ("fringe", DIRT, ("grain", (150, 120, 66), 8.0), 2))],
    "farmland": [stacked(DIRT, ("bricks", (124, 84, 54), (98, 64, 40), 16, 4), DIRT), *[stacked(DIRT, ("bricks", (88, 56, 34), (62, 38, 22), 16, 4), DIRT)] * 7],
    "planks": [same(boards(n % 6)) for n in range(8)],
    "double_wooden_slab": [same(boards(n % 6)) for n in range(8)],
    "wooden_slab": [same(boards(n % 6)) for n in range(8)],
    "sapling": [same(("bush", LEAVES[n % 6], BARKS[0])) for n in range(8)],
    "log": logs(range(4)),
    "log2": logs((4, 5)),
    "leaves": [same(crown(n)) for n in range(4)],
    "leaves2": [same(crown(4)), same(crown(5))],
    "sand": [same(SAND), same(RED_SAND)],
    "sponge": [same(("cobble", (200, 194, 74), (152, 144, 44), 14)), same(("cobble", (160, 156, 60), (110, 106, 40), 14))],
    "sandstone": [stacked(SAND, ("grain", (226, 216, 172), 3.0), SANDSTONE), stacked(SAND, ("grain", (226, 216, 172), 3.0), over(SANDSTONE, RUNE, (180, 166, 116))), same(("grain", (222, 212, 166), 3.0)), same(SANDSTONE)],
    "red_sandstone": [stacked(RED_SAND, ("grain", (186, 100, 40), 3.0), RED_SANDSTONE), stacked(RED_SAND, RED_SAND, over(RED_SANDSTONE, RUNE, (140, 66, 20))), same(RED_SAND), same(RED_SANDSTONE)],
    "wool": [same(("grain", colour, 6.0)) for colour in WOOL],
    "carpet": [same(("grain", colour, 6.0)) for colour in WOOL],
    "stained_glass": [same(("glaze", colour, 130)) for colour in WOOL],
    "stained_glass_pane": [same(("glaze", colour, 150)) for colour in WOOL],
    "stained_hardened_clay": [same(("grain", colour, 3.0)) for colour in CLAYS],
    "stone_slab": [column(SMOOTH, ("bricks", (160, 160, 160), (130, 130, 130), 16, 8)), *[same(r) for _, r in SLABS[1:]]],
    "double_stone_slab": [column(SMOOTH, ("bricks", (160, 160, 160), (130, 130, 130), 16, 8)), *[same(r) for _, r in SLABS[1:]]],
    "stonebrick": [same(STONE_BRICKS), same(("spots", STONE_BRICKS, (96, 122, 74), 0.3)), same(("specks", STONE_BRICKS, (70, 70, 70), 0.14)), same(over(STONE_BRICKS, HUB, (92, 92, 92), (104, 104, 104)))],
    "monster_egg": [same(r) for r in (STONE, COBBLE, STONE_BRICKS, ("spots", STONE_BRICKS, (96, 122, 74), 0.3))],
    "prismarine": [same(("cobble", (98, 156, 142), (70, 122, 116), 12)), same(("bricks", (100, 166, 150), (62, 116, 108), 8, 8)), same(("bricks", (58, 92, 76), (38, 66, 56), 8, 8)), same(("cobble", (98, 156, 142), (70, 122, 116), 12))],
    "quartz_block": [same(QUARTZ), same(over(QUARTZ, RUNE, (206, 198, 190))), column(QUARTZ, ("bark", (232, 226, 220), 5.0)), same(QUARTZ)],
    "purpur_pillar": [column(PURPUR, ("bark", (172, 128, 172), 8.0))],
    "bone_block": lying(("rings", (220, 214, 188), (196, 190, 166)), BONE),
    "hay_block": lying(("rings", (196, 166, 60), (150, 120, 30)), HAY),
    "bookshelf": [column(boards(0), over(boards(0), BOOKS, (150, 40, 36), (46, 90, 150), (60, 120, 60), (190, 160, 80), (110, 60, 120)))],
    "tnt": [stacked(("grain", (196, 60, 40), 6.0), over(("grain", (196, 60, 40), 6.0), HUB, (150, 40, 28), (60, 60, 60)), over(("bark", (206, 58, 40), 8.0), BLAST, (206, 58, 40), (236, 232, 226), (30, 30, 30)))],
    "crafting_table": [(boards(0), over(boards(0), GRID, (96, 62, 32), (110, 76, 44)), *(TABLE_SIDE,) * 4)],
    "furnace": fronted(column(SMOOTH, OVEN), over(OVEN, OVEN_FRONT, *DARK), LEVEL_FRONTS),
    "lit_furnace": fronted(column(SMOOTH, OVEN), over(OVEN, OVEN_FRONT, *LIT), LEVEL_FRONTS),
    "dispenser": fronted(column(SMOOTH, OVEN), DISPENSER, PIPE_FRONTS),
    "dropper": fronted(column(SMOOTH, OVEN), DISPENSER, PIPE_FRONTS),
    "observer": fronted(same(MACHINE), over(MACHINE, GRIN, (40, 40, 40)), PIPE_FRONTS),
    "piston": fronted(column(MACHINE, PISTON_SIDE), PISTON_TOP, PIPE_FRONTS),
    "sticky_piston": fronted(column(MACHINE, PISTON_SIDE), STICKY_TOP, PIPE_FRONTS),
    "chest": fronted(same(CHEST_WOOD), over(CHEST_WOOD, LATCH, (72, 48, 18), (200, 200, 196)), LEVEL_FRONTS),
    "trapped_chest": fronted(same(CHEST_WOOD), over(CHEST_WOOD, LATCH, (120, 40, 18), (200, 200, 196)), LEVEL_FRONTS),
    "ender_chest": fronted(same(ENDER_WOOD), over(ENDER_WOOD, LATCH, (12, 18, 22), (90, 200, 150)), LEVEL_FRONTS),
    "pumpkin": fronted(column(("rings", (206, 130, 34), (170, 96, 20)), PUMPKIN), over(PUMPKIN, GRIN, (50, 26, 6)), HEAD_FRONTS),
    "lit_pumpkin": fronted(column(("rings", (206, 130, 34), (170, 96, 20)), PUMPKIN), over(PUMPKIN, GRIN, (255, 226, 110)), HEAD_FRONTS),
    "melon_block": [column(("grain", (126, 152, 44), 12.0), MELON)],
    "cactus": [column(("frame", ("grain", (96, 146, 62), 6.0), (60, 104, 36)), ("specks", ("bark", (68, 122, 44), 10.0), (200, 206, 160), 0.04))],
    "jukebox": [stacked(boards(3), over(("grain", (116, 76, 52), 5.0), PLATE, (60, 36, 22), (20, 14, 10)), ("grain", (112, 72, 50), 8.0))],
    "cake": [stacked(("grain", (180, 110, 60), 5.0), over(("grain", (240, 236, 230), 3.0), PLATE, (206, 40, 40), (206, 40, 40)), ("bands", 3.0, (9, (240, 236, 230)), (7, (184, 112, 62))))],
    "enchanting_table": [stacked(OBSIDIAN, over(("grain", (150, 26, 26), 6.0), HUB, (90, 220, 214), (230, 220, 190)), ("bands", 4.0, (4, (150, 26, 26)), (12, (26, 20, 40))))],
    "end_portal_frame": [stacked(END_STONE, over(("grain", (58, 110, 92), 6.0), PLATE, (30, 70, 60), (20, 46, 40) if n < 4 else (120, 230, 160)), ("bands", 5.0, (5, (70, 120, 96)), (11, (218, 220, 164)))) for n in range(8)],
    "daylight_detector": [stacked(boards(5), ("frame", ("bricks", (190, 176, 146), (120, 104, 80), 4, 4), (66, 43, 20)), boards(5))],
    "daylight_detector_inverted": [stacked(boards(5), ("frame", ("bricks", (110, 130, 160), (70, 80, 100), 4, 4), (66, 43, 20)), boards(5))],
    "bed": [stacked(boards(0), ("grain", (170, 30, 30), 6.0) if n < 8 else ("bands", 4.0, (16, (232, 230, 228))), ("bands", 4.0, (10, (158, 28, 28)), (6, (140, 112, 66)))) for n in range(16)],
    "brown_mushroom_block": caps("brown_mushroom_block"),
    "red_mushroom_block": caps("red_mushroom_block"),
    "tallgrass": [same(r) for r in (("twigs", (112, 76, 38)), ("blades", (96, 160, 54)), ("blades", (70, 140, 50), 10, 3), ("blades", (96, 160, 54)))],
    "red_flower": [same(("flower", *FLOWERS[min(n, 8)])) for n in range(16)],
    "double_plant": [same(r) for r in (("flower", (248, 204, 40), (110, 70, 20), 15), ("flower", (206, 150, 220), (226, 190, 236), 15), ("blades", (98, 166, 58), 13), ("blades", (72, 142, 52), 13, 3), ("flower", (208, 24, 40), (150, 10, 20), 14), ("flower", (236, 180, 216), (246, 210, 232), 14), ("blades", (98, 166, 58), 13), ("blades", (98, 166, 58), 13), *[("blades", (98, 166, 58), 10)] * 8)],
    "wheat": [same(("crop", (60, 150, 30), (212, 182, 70), part, (160, 130, 50))) for part in GROWTH],
    "carrots": [same(("crop", (60, 150, 30), (50, 146, 40), part, (240, 140, 30))) for part in GROWTH],
    "potatoes": [same(("crop", (60, 150, 30), (70, 150, 50), part, (204, 170, 90))) for part in GROWTH],
    "beetroots": [same(("crop", (60, 150, 30), (60, 130, 40), n / 3.0, (150, 30, 40))) for n in range(4)],
    "nether_wart": [same(("crop", (110, 20, 24), (170, 24, 30), n / 3.0, None)) for n in range(4)],
    "pumpkin_stem": [same(("crop", (100, 170, 50), (170, 150, 50), part * 0.8, None)) for part in GROWTH],
    "melon_stem": [same(("crop", (100, 170, 50), (170, 150, 50), part * 0.8, None)) for part in GROWTH],
}  # fmt: skip


def faces_of(name: str, meta: int) -> Faces | None:
    """The recipes of a block's six faces, None where it has none."""
    if name in VARIED:
        looks = VARIED[name]
        return looks[meta % len(looks)]
    recipe = PLAIN.get(name)
    return None if recipe is None else same(recipe)
