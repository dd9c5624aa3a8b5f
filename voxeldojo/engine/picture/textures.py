"""The tables of recipes painted: what kernels draw blocks, items and mobs from."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from voxeldojo.engine.compiling.arrays_by_address import by_address
from voxeldojo.engine.picture.block_styles import WOOL, Faces, faces_of
from voxeldojo.engine.picture.item_styles import FLAT_BLOCKS, STAND_FOR, icon_of
from voxeldojo.engine.picture.mob_shapes import Part
from voxeldojo.engine.picture.mob_styles import MOBS, SHOTS, SWELLING, UNKNOWN, fleece
from voxeldojo.engine.picture.painting import SIZE, Painter
from voxeldojo.engine.picture.shapes import (
    BOXES,
    FLUID,
    HIDDEN,
    JOINED,
    Box,
    shape_of,
)
from voxeldojo.rules import BIOMES, BLOCKS, ITEMS
from voxeldojo.rules.mobs import MOBS as KINDS

TEXELS = SIZE * SIZE
ICON = 32  # pixels along each side of an icon
CLOUDS = 64
DRY, RAINY, SNOWY = 0, 1, 2
SHEEP, SWOLLEN, FLYING, MODELS = 64, 80, 81, 96  # rows of ``mob_first`` after those of the kinds
SELF_LIT = {
    "lava", "flowing_lava", "fire", "glowstone", "sea_lantern", "torch", "end_rod", "portal",
    "lit_redstone_lamp", "end_portal", "magma", "redstone_torch",
}  # fmt: skip


@by_address
class Looks(NamedTuple):
    """A texture is named by where its first pixel lies in ``ink``. Rows of blocks are 16 id +
    metadata. Lengths are in metres."""

    ink: NDArray[np.uint32]  # (256 T,) row 0 at the top: red, green << 8, blue << 16, alpha << 24
    faces: NDArray[np.int32]  # (4096, 6) textures of bottom, top, north, south, west, east
    model: NDArray[np.uint8]  # (4096,) HIDDEN .. FLUID of shapes.py
    first: NDArray[np.int32]  # (4096,) first row of ``boxes``
    count: NDArray[np.int32]  # (4096,)
    boxes: NDArray[np.float64]  # (N, 6)
    joins: NDArray[np.int32]  # (N,) sides on which a neighbour must join for this box
    fitted: NDArray[np.int32]  # (N,) 1: the texture is stretched over the box
    group: NDArray[np.uint8]  # (256,) what joins what; 0 nothing
    solid: NDArray[np.uint8]  # (256,) 1: fences and panes join it, and no light goes through
    halves: NDArray[np.uint8]  # (256,) 1: the upper half looks as the lower half's metadata says
    lit: NDArray[np.uint8]  # (256,) 1: as bright as can be, whatever the light
    item_faces: NDArray[np.int32]  # (items, 6)
    item_flat: NDArray[np.uint8]  # (items,) 1: lies about as a flat thing
    icons: NDArray[np.uint32]  # (items, 32, 32)
    mob_first: NDArray[np.int32]  # (MODELS,) first row of ``mob_boxes``
    mob_count: NDArray[np.int32]  # (MODELS,)
    mob_reach: NDArray[np.float64]  # (MODELS,) no box of it is further from the feet
    mob_boxes: NDArray[np.float64]  # (M, 6)
    mob_faces: NDArray[np.int32]  # (M, 6)
    clouds: NDArray[np.uint8]  # (64, 64)
    falls: NDArray[np.uint8]  # (256,) by biome id: DRY, RAINY or SNOWY


@cache
def textures() -> Looks:
    painter = Painter()
    faces, model, first, count, boxes = _blocks(painter)
    item_faces, item_flat, icons = _items(painter, faces)
    mob_first, mob_count, reach, parts = _mobs()
    mob_faces = np.array([[TEXELS * painter.number(r) for r in p.faces] for p in parts], np.int32)
    ink = np.array(painter.textures).astype(np.uint32).reshape(-1, 4)
    ids = np.zeros((4, 256), np.uint8)
    for block in BLOCKS:
        solid = model[16 * block.id] not in (HIDDEN, BOXES, FLUID) and block.height == 1.0
        ids[0, block.id] = JOINED.get(block.name, 0)
        ids[1, block.id] = solid and "solid" in block.flags
        ids[2, block.id] = block.name.endswith("_door") or block.name == "double_plant"
        ids[3, block.id] = block.name in SELF_LIT
    falls = np.full(256, RAINY, np.uint8)
    for biome in BIOMES:
        falls[biome.id] = (
            SNOWY if biome.temperature < 0.15 else DRY if biome.rainfall <= 0.0 else RAINY
        )
    return Looks(
        ink=np.ascontiguousarray(
            ink[:, 0] | ink[:, 1] << 8 | ink[:, 2] << 16 | ink[:, 3] << 24, np.uint32
        ),
        faces=faces,
        model=model,
        first=first,
        count=count,
        boxes=np.array([box.place for box in boxes], np.float64) / 16.0,
        joins=np.array([box.joins for box in boxes], np.int32),
        fitted=np.array([box.fitted for box in boxes], np.int32),
        group=ids[0].copy(),
        solid=ids[1].copy(),
        halves=ids[2].copy(),
        lit=ids[3].copy(),
        item_faces=item_faces,
        item_flat=item_flat,
        icons=icons,
        mob_first=mob_first,
        mob_count=mob_count,
        mob_reach=reach,
        mob_boxes=np.array([part.place for part in parts], np.float64) / 16.0,
        mob_faces=mob_faces,
        clouds=_clouds(),
        falls=falls,
    )


def _blocks(painter: Painter) -> tuple[
    NDArray[np.int32], NDArray[np.uint8], NDArray[np.int32], NDArray[np.int32], list[Box]
]:  # fmt: skip
    faces = np.zeros((4096, 6), np.int32)
    model = np.zeros(4096, np.uint8)
    first, count = np.zeros(4096, np.int32), np.zeros(4096, np.int32)
    boxes: list[Box] = []
    places: dict[tuple[Box, ...], int] = {}
    for block in BLOCKS:
        for meta in range(16):
            row = 16 * block.id + meta
            recipes = faces_of(block.name, meta)
            if recipes is None:
                continue
            faces[row] = [TEXELS * painter.number(recipe) for recipe in recipes]
            model[row], own = shape_of(block.name, meta)
            if own:
                key = tuple(own)
                if key not in places:
                    places[key] = len(boxes)
                    boxes += own
                first[row], count[row] = places[key], len(own)
    return faces, model, first, count, boxes


def _items(
    painter: Painter, faces: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint32]]:
    ids = {block.name: block.id for block in BLOCKS}
    item_faces = np.zeros((len(ITEMS), 6), np.int32)
    flat = np.zeros(len(ITEMS), np.uint8)
    icons = np.zeros((len(ITEMS), ICON, ICON), np.uint32)
    for number, item in enumerate(ITEMS):
        recipe = icon_of(item.name)
        block = STAND_FOR.get(item.name, item.block or item.name)
        if recipe is None and block in FLAT_BLOCKS:
            found: Faces | None = faces_of(block, 1 if block == "tallgrass" else 0)
            recipe = found[2] if found else None
        if recipe is not None:
            item_faces[number] = TEXELS * painter.number(recipe)
            flat[number] = 1
            icons[number] = _packed(painter.pixels(recipe)).repeat(2, 0).repeat(2, 1)
        elif block in ids and number:
            item_faces[number] = faces[16 * ids[block] + (3 if "chest" in block else 0)]
            icons[number] = _cube_icon(painter, item_faces[number], block)
    return item_faces, flat, icons


def _packed(pixels: NDArray[np.float64]) -> NDArray[np.uint32]:
    whole: Any = np.clip(pixels, 0, 255).astype(np.uint32)
    return whole[..., 0] | whole[..., 1] << 8 | whole[..., 2] << 16 | whole[..., 3] << 24


def _cube_icon(painter: Painter, faces: NDArray[np.int32], block: str) -> NDArray[np.uint32]:
    """A block as it is seen from a corner above."""
    kind, boxes = shape_of(block, 3 if "chest" in block else 0)
    places = [box.place for box in boxes if not box.joins] if kind == BOXES else []
    x0, y0, z0, x1, y1, z1 = places[0] if len(places) == 1 else (0, 0, 0, 16, 16, 16)
    icon = np.zeros((ICON, ICON, 4))
    texture = [painter.textures[int(face) // TEXELS] for face in faces]
    for row in range(ICON):
        for column in range(ICON):
            across, down = (column + 0.5 - ICON / 2) / (ICON / 2 - 2), (row + 0.5) / (ICON - 1)
            # across = (x - z) / 16; 32 down = (x + z) / 2 + 16 - y
            best = None
            x_plus_z = (down * 32.0 - (16.0 - y1)) * 2.0
            x, z = (x_plus_z + 16.0 * across) / 2.0, (x_plus_z - 16.0 * across) / 2.0
            if x0 <= x < x1 and z0 <= z < z1:
                best = texture[1][int(z), int(x)]
            if best is None:  # the south side: z = z1
                x = z1 + 16.0 * across
                y = 16.0 - (down * 32.0 - (x + z1) / 2.0)
                if x0 <= x < x1 and y0 <= y < y1:
                    best = texture[3][15 - int(y), int(x)] * (0.8, 0.8, 0.8, 1.0)
            if best is None:  # the east side: x = x1
                z = x1 - 16.0 * across
                y = 16.0 - (down * 32.0 - (x1 + z) / 2.0)
                if z0 <= z < z1 and y0 <= y < y1:
                    best = texture[5][15 - int(y), int(z)] * (0.6, 0.6, 0.6, 1.0)
            if best is not None:
                icon[row, column] = best
    icon[..., 3] = np.where(icon[..., 3] > 0, 255, 0)
    return _packed(icon)


def _mobs() -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64], list[Part]]:
    models = dict.fromkeys(range(MODELS), UNKNOWN)
    for number, mob in enumerate(KINDS, 1):
        models[number] = MOBS.get(mob.name, UNKNOWN)
    for colour in range(16):
        models[SHEEP + colour] = fleece(WOOL[colour])
    models[SWOLLEN] = SWELLING
    for number, (_, parts) in enumerate(SHOTS):
        models[FLYING + number] = parts
    first, count = np.zeros(MODELS, np.int32), np.zeros(MODELS, np.int32)
    reach = np.zeros(MODELS)
    all_parts: list[Part] = []
    for row, parts in models.items():
        first[row], count[row] = len(all_parts), len(parts)
        corners = np.array([part.place for part in parts]).reshape(-1, 3)
        reach[row] = np.sqrt((corners**2).sum(1)).max() / 16.0
        all_parts += parts
    return first, count, reach, all_parts


def _clouds() -> NDArray[np.uint8]:
    chance = np.random.default_rng(7)
    field = chance.normal(0.0, 1.0, (CLOUDS, CLOUDS))
    for _ in range(3):
        field = field + sum(np.roll(field, step, axis) for step in (1, -1) for axis in (0, 1))
    return (field > np.quantile(field, 0.68)).astype(np.uint8)
