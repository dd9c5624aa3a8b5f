"""Textures of 16 x 16 pixels, drawn here by rule: nothing of the game's own art is used.

A pixel is red, green, blue and alpha (0: a hole that one looks through).
"""

import zlib
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.rules import BLOCKS, ITEMS

SIZE = 16
Colour = tuple[int, int, int]

STONE: Colour = (126, 126, 126)
DIRT: Colour = (134, 96, 67)
GRASS: Colour = (105, 168, 62)
SAND: Colour = (219, 207, 160)
WOODS: tuple[Colour, ...] = ((104, 82, 50), (62, 42, 24), (214, 212, 204), (88, 68, 30))
PLANKS: tuple[Colour, ...] = (
    (162, 130, 78),
    (104, 78, 46),
    (196, 180, 122),
    (154, 110, 76),
    (168, 90, 50),
    (66, 43, 20),
)
LEAVES: tuple[Colour, ...] = ((58, 124, 32), (52, 88, 54), (104, 146, 62), (44, 130, 24))
ORES: dict[str, Colour] = {
    "coal_ore": (38, 38, 38),
    "iron_ore": (216, 175, 147),
    "gold_ore": (250, 220, 70),
    "redstone_ore": (200, 20, 20),
    "lapis_ore": (36, 70, 180),
    "diamond_ore": (93, 226, 220),
    "emerald_ore": (40, 200, 90),
}
PLAIN: dict[str, Colour] = {
    "bedrock": (70, 70, 70),
    "gravel": (132, 126, 122),
    "clay": (160, 166, 178),
    "snow": (244, 250, 250),
    "snow_layer": (244, 250, 250),
    "ice": (150, 184, 250),
    "water": (50, 80, 220),
    "flowing_water": (50, 80, 220),
    "lava": (226, 98, 20),
    "flowing_lava": (226, 98, 20),
    "obsidian": (22, 18, 34),
    "netherrack": (112, 52, 50),
    "iron_block": (222, 222, 222),
    "gold_block": (250, 230, 80),
    "diamond_block": (100, 226, 220),
    "coal_block": (20, 20, 20),
    "farmland": (94, 60, 34),
    "wool": (232, 232, 232),
    "cactus": (20, 110, 32),
    "pumpkin": (206, 122, 22),
    "glass": (208, 236, 240),
    "chest": (158, 108, 40),
    "tnt": (200, 60, 40),
}
ITEM_COLOURS: dict[str, Colour] = {
    "stick": (116, 84, 42),
    "coal": (40, 40, 40),
    "iron_ingot": (224, 224, 224),
    "gold_ingot": (252, 224, 74),
    "diamond": (92, 232, 224),
    "apple": (214, 40, 40),
    "wheat_seeds": (92, 152, 40),
    "flint": (60, 60, 60),
    "redstone": (190, 20, 10),
    "shears": (190, 190, 190),
    "bucket": (170, 170, 170),
    "milk_bucket": (245, 245, 245),
}
MATERIALS: dict[str, Colour] = {
    "wooden": (140, 104, 56),
    "stone": (130, 130, 130),
    "iron": (222, 222, 222),
    "golden": (250, 222, 70),
    "diamond": (80, 220, 212),
    "leather": (140, 86, 50),
    "chainmail": (150, 150, 150),
}
CROSSED = (
    "tallgrass",
    "deadbush",
    "yellow_flower",
    "red_flower",
    "sapling",
    "brown_mushroom",
    "red_mushroom",
    "double_plant",
    "reeds",
    "wheat",
    "carrots",
    "potatoes",
    "beetroots",
    "web",
    "torch",
    "redstone_torch",
)


class Textures(NamedTuple):
    pixels: NDArray[np.uint8]  # (textures, 16, 16, 4), row 0 at the top
    faces: NDArray[np.int64]  # (256 blocks, 4 kinds, 3) texture of bottom, top and side
    crossed: NDArray[np.bool_]  # (256,) drawn as two crossed planes
    icons: NDArray[np.int64]  # (items,) texture in the hot bar and of item entities


class Painter:
    """Collects textures; the same name always gives the same grain."""

    def __init__(self) -> None:
        self.done: dict[str, int] = {}
        self.pixels: list[NDArray[np.uint8]] = []

    def grain(self, name: str, spread: float) -> NDArray[np.float64]:
        random = np.random.default_rng(zlib.crc32(name.encode()))
        return random.normal(0.0, spread, (SIZE, SIZE))

    def add(self, name: str, pixels: NDArray[np.float64]) -> int:
        if name not in self.done:
            if pixels.shape[2] == 3:
                pixels = np.concatenate([pixels, np.full((SIZE, SIZE, 1), 255.0)], axis=2)
            self.done[name] = len(self.pixels)
            self.pixels.append(np.clip(pixels, 0, 255).astype(np.uint8))
        return self.done[name]

    def rough(self, name: str, colour: Colour, spread: float = 9.0) -> NDArray[np.float64]:
        return np.array(colour, float) + self.grain(name, spread)[:, :, None]

    def plain(self, name: str, colour: Colour, spread: float = 9.0) -> int:
        return self.add(name, self.rough(name, colour, spread))


def _bark(painter: Painter, kind: int) -> int:
    name = f"bark {kind}"
    pixels = painter.rough(name, WOODS[kind], 4.0)
    streaks = painter.grain(name + " streaks", 1.0)
    if kind == 2:
        # Birch: white with short dark dashes across.
        for row in range(1, SIZE, 4):
            start = int(abs(streaks[row, 0]) * 9) % 11
            pixels[row : row + 2, start : start + 5] = (44, 42, 38)
    else:
        pixels += 17.0 * np.sign(streaks[0])[None, :, None]
        pixels[streaks > 1.4] -= 26.0
    return painter.add(name, pixels)


def _rings(painter: Painter, kind: int) -> int:
    name = f"rings {kind}"
    y, x = np.mgrid[0:SIZE, 0:SIZE] - 7.5
    distance = np.maximum(abs(x), abs(y))
    pixels = painter.rough(name, PLANKS[kind], 5.0)
    pixels[distance.astype(int) % 3 == 1] -= 24.0
    pixels[distance > 7.0] = WOODS[kind]
    return painter.add(name, pixels)


def _foliage(painter: Painter, kind: int) -> int:
    name = f"leaves {kind}"
    pixels = painter.rough(name, LEAVES[kind], 20.0)
    alpha = np.where(painter.grain(name + " holes", 1.0) > 0.95, 0.0, 255.0)
    return painter.add(name, np.concatenate([pixels, alpha[:, :, None]], axis=2))


def _boards(painter: Painter, kind: int) -> int:
    name = f"planks {kind}"
    pixels = painter.rough(name, PLANKS[kind], 5.0)
    pixels[3::4] -= 34.0
    for board in range(4):
        pixels[board * 4 : board * 4 + 3, (board * 7 + 3) % SIZE] -= 26.0
    return painter.add(name, pixels)


def _turf(painter: Painter) -> int:
    pixels = painter.rough("dirt", DIRT)
    fringe = 3 + (abs(painter.grain("fringe", 1.6)[0])).astype(int)
    green = painter.rough("grass top", GRASS, 12.0)
    for column in range(SIZE):
        pixels[: fringe[column], column] = green[: fringe[column], column]
    return painter.add("grass side", pixels)


def _specks(painter: Painter, name: str, colour: Colour) -> int:
    pixels = painter.rough("stone", STONE, 7.0)
    blots = painter.grain(name + " blots", 1.0)
    blots = blots + np.roll(blots, 1, 0) + np.roll(blots, 1, 1)
    pixels[blots > 1.9] = colour
    return painter.add(name, pixels)


def _cobble(painter: Painter) -> int:
    pixels = painter.rough("cobblestone", (136, 136, 136), 8.0)
    pixels[::5] -= 44.0
    for row in range(4):
        pixels[row * 5 : row * 5 + 5, (row * 5 + 2) % SIZE :: 8] -= 44.0
    return painter.add("cobblestone", pixels)


def _bricks(painter: Painter) -> int:
    pixels = painter.rough("bricks", (150, 84, 68), 8.0)
    pixels[3::4] = (180, 172, 164)
    for row in range(4):
        pixels[row * 4 : row * 4 + 3, (row % 2) * 4 :: 8] = (180, 172, 164)
    return painter.add("bricks", pixels)


def _blades(painter: Painter) -> int:
    """Grass blades that bend to either side."""
    pixels = np.zeros((SIZE, SIZE, 4))
    heights = 7 + (abs(painter.grain("blades", 3.5)[0])).astype(int)
    for column in range(0, SIZE, 2):
        for row in range(min(SIZE, int(heights[column]))):
            place = (column + (row // 4) * (1 if column % 4 else -1)) % SIZE
            pixels[SIZE - 1 - row, place] = (82 + 5 * row, 142 + 5 * row, 48, 255)
    return painter.add("blades", pixels)


def _blossom(painter: Painter, name: str, colour: Colour) -> int:
    pixels = np.zeros((SIZE, SIZE, 4))
    pixels[8:, 7] = (60, 120, 40, 255)
    pixels[11, 8:10] = (60, 120, 40, 255)
    pixels[4:9, 5:10] = (*colour, 255)
    pixels[4, 5] = pixels[4, 9] = pixels[8, 5] = pixels[8, 9] = 0
    pixels[6, 7] = (250, 230, 120, 255)
    return painter.add(name, pixels)


def _bush(painter: Painter, name: str, colour: Colour) -> int:
    pixels = np.zeros((SIZE, SIZE, 4))
    pixels[9:, 7] = (92, 66, 36, 255)
    spots = abs(painter.grain(name, 1.0)) > 0.6
    spots[12:] = spots[:3] = False
    spots[:, :3] = spots[:, 13:] = False
    pixels[spots] = (*colour, 255)
    return painter.add(name, pixels)


def _torch(painter: Painter, name: str, colour: Colour) -> int:
    pixels = np.zeros((SIZE, SIZE, 4))
    pixels[7:, 7:9] = (120, 90, 50, 255)
    pixels[5:7, 7:9] = (*colour, 255)
    return painter.add(name, pixels)


def _workbench(painter: Painter) -> tuple[int, int]:
    top = painter.rough("table top", (150, 98, 56), 6.0)
    top[::5] = (96, 60, 30)
    top[:, ::5] = (96, 60, 30)
    side = painter.rough("table side", PLANKS[0], 6.0)
    side[:4] = (110, 72, 40)
    side[6:12, 3:5] = (190, 190, 190)
    side[6:8, 2:6] = (190, 190, 190)
    side[6:13, 10:12] = (96, 66, 34)
    side[6:8, 9:14] = (120, 120, 120)
    return painter.add("table top", top), painter.add("table side", side)


def _furnace(painter: Painter) -> tuple[int, int]:
    top = painter.rough("furnace top", (116, 116, 116), 6.0)
    side = painter.rough("furnace side", (116, 116, 116), 6.0)
    side[0] = side[-1] = (84, 84, 84)
    side[9:15, 4:12] = (24, 24, 24)
    side[3:5, 4:12] = (60, 60, 60)
    return painter.add("furnace top", top), painter.add("furnace side", side)


def _tool(painter: Painter, name: str, kind: str, colour: Colour) -> int:
    """An icon: a handle from the lower left to the upper right, and the tool's head."""
    pixels = np.zeros((SIZE, SIZE, 4))
    for step in range(12):
        pixels[14 - step, 1 + step : 3 + step] = (110, 80, 40, 255)
    head = (*colour, 255)
    if kind == "pickaxe":
        pixels[1:3, 5:13] = head
        pixels[3:10, 12:14] = head
    elif kind == "axe":
        pixels[1:7, 7:12] = head
    elif kind == "shovel":
        pixels[1:6, 10:15] = head
    elif kind == "hoe":
        pixels[1:3, 6:13] = head
    else:
        for step in range(4, 13):
            pixels[14 - step, step : step + 3] = head
        pixels[10:12, 3:7] = (90, 66, 36, 255)
    return painter.add(name, pixels)


def _dot(painter: Painter, name: str, colour: Colour) -> int:
    y, x = np.mgrid[0:SIZE, 0:SIZE] - 7.5
    pixels = np.zeros((SIZE, SIZE, 4))
    inside = x * x + y * y < 30.0
    pixels[inside] = np.concatenate(
        [painter.rough(name, colour, 12.0), np.full((SIZE, SIZE, 1), 255.0)], axis=2
    )[inside]
    return painter.add(name, pixels)


def _colour_of(name: str) -> Colour:
    """A colour for what has none of its own: always the same, never garish."""
    digest = zlib.crc32(name.encode())
    return (80 + digest % 130, 80 + (digest >> 8) % 130, 80 + (digest >> 16) % 130)


@cache
def textures() -> Textures:
    painter = Painter()
    dirt = painter.plain("dirt", DIRT)
    faces = np.zeros((256, 4, 3), np.int64)
    crossed = np.zeros(256, np.bool_)
    special = {
        "grass": (dirt, painter.plain("grass top", GRASS, 12.0), _turf(painter)),
        "crafting_table": (_boards(painter, 0), *_workbench(painter)),
        "furnace": (painter.plain("furnace top", (116, 116, 116)), *_furnace(painter)),
    }
    single = {
        "stone": painter.plain("stone", STONE, 7.0),
        "dirt": dirt,
        "sand": painter.plain("sand", SAND, 6.0),
        "sandstone": painter.plain("sandstone", (216, 202, 152), 4.0),
        "cobblestone": _cobble(painter),
        "brick_block": _bricks(painter),
        "tallgrass": _blades(painter),
        "deadbush": _bush(painter, "dead bush", (120, 84, 44)),
        "sapling": _bush(painter, "sapling", (70, 130, 40)),
        "yellow_flower": _blossom(painter, "dandelion", (246, 220, 40)),
        "red_flower": _blossom(painter, "poppy", (210, 30, 30)),
        "torch": _torch(painter, "torch", (255, 214, 90)),
        "redstone_torch": _torch(painter, "redstone torch", (220, 40, 30)),
        **{name: _specks(painter, name, colour) for name, colour in ORES.items()},
    }
    for block in BLOCKS:
        crossed[block.id] = block.name in CROSSED
        if block.name in special:
            faces[block.id, :] = special[block.name]
        elif block.name in ("log", "log2"):
            for kind in range(4):
                end = _rings(painter, kind)
                faces[block.id, kind] = (end, end, _bark(painter, kind))
        elif block.name in ("leaves", "leaves2"):
            for kind in range(4):
                faces[block.id, kind] = _foliage(painter, kind)
        elif block.name == "planks":
            for kind in range(4):
                faces[block.id, kind] = _boards(painter, kind)
        elif block.name in single:
            faces[block.id, :] = single[block.name]
        else:
            colour = PLAIN.get(block.name, _colour_of(block.name))
            faces[block.id, :] = painter.plain(f"block {block.name}", colour)
    ids = {block.name: block.id for block in BLOCKS}
    icons = np.zeros(len(ITEMS), np.int64)
    for number, item in enumerate(ITEMS):
        first, _, kind = item.name.rpartition("_")
        if item.block in ids:
            icons[number] = faces[ids[item.block], 0, 2]
        elif kind in ("pickaxe", "axe", "shovel", "hoe", "sword"):
            icons[number] = _tool(painter, item.name, kind, MATERIALS[first])
        else:
            colour = ITEM_COLOURS.get(item.name) or MATERIALS.get(first) or _colour_of(item.name)
            icons[number] = _dot(painter, f"item {item.name}", colour)
    return Textures(np.stack(painter.pixels), faces, crossed, icons)
