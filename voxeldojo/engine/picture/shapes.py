"""What shape blocks have in the picture: boxes by block name and metadata, in sixteenths.

A box is (x0, y0, z0, x1, y1, z1). It may be wanted only beside a neighbour (``joins``), and its
texture may be stretched over it (``fitted``) where it is not cut out of the cell's.
"""

from typing import NamedTuple

HIDDEN, CUBE, HOLED, CROSSED, BOXES, CLEAR, FLUID = 0, 1, 2, 3, 4, 5, 6
NORTH_SIDE, SOUTH_SIDE, WEST_SIDE, EAST_SIDE = 1, 2, 4, 8
Sixteenths = tuple[float, float, float, float, float, float]


class Box(NamedTuple):
    """``joins``: the sides on which a neighbour must join, 0: always there."""

    place: Sixteenths
    joins: int = 0
    fitted: bool = False


HIDES = {"air", "barrier", "structure_void", "piston_extension"}
# One looks through their holes, or past them.
HOLES = {
    "leaves", "leaves2", "glass", "mob_spawner", "beacon",
}  # fmt: skip
TINTED = {"ice", "frosted_ice", "stained_glass", "slime"}
FLUIDS = {"water", "flowing_water", "lava", "flowing_lava"}
CROSSES = {
    "tallgrass", "deadbush", "yellow_flower", "red_flower", "sapling", "brown_mushroom",
    "red_mushroom", "double_plant", "reeds", "wheat", "carrots", "potatoes", "beetroots", "web",
    "nether_wart", "pumpkin_stem", "melon_stem", "fire",
}  # fmt: skip
# What a fence, wall or pane joins: its like, and whatever is solid.
JOINED = {
    "fence": 1, "spruce_fence": 1, "birch_fence": 1, "jungle_fence": 1, "acacia_fence": 1,
    "dark_oak_fence": 1, "nether_brick_fence": 2, "cobblestone_wall": 3, "glass_pane": 4,
    "iron_bars": 4, "stained_glass_pane": 4,
}  # fmt: skip
SIDES = (NORTH_SIDE, SOUTH_SIDE, WEST_SIDE, EAST_SIDE)


def whole(height: float) -> list[Box]:
    return [Box((0, 0, 0, 16, height, 16))]


def inset(side: float, height: float) -> list[Box]:
    return [Box((side, 0, side, 16 - side, height, 16 - side))]


def arms(half: float, low: float, high: float) -> list[Box]:
    """From the middle to each of the four sides, where something joins."""
    near, far = 8 - half, 8 + half
    places: tuple[Sixteenths, ...] = (
        (near, low, 0, far, high, near),
        (near, low, far, far, high, 16),
        (0, low, near, near, high, far),
        (far, low, near, 16, high, far),
    )
    return [Box(place, side) for place, side in zip(places, SIDES, strict=True)]


def upright(side: int, thick: float, low: float = 0, high: float = 16) -> Box:
    """A board along a side of the cell: 0 north, 1 south, 2 west, 3 east."""
    places: tuple[Sixteenths, ...] = (
        (0, low, 0, 16, high, thick),
        (0, low, 16 - thick, 16, high, 16),
        (0, low, 0, thick, high, 16),
        (16 - thick, low, 0, 16, high, 16),
    )
    return Box(places[side])


# Where a ladder, sign or button of metadata 2..5 hangs: on the south, north, east, west side.
HUNG = {2: 1, 3: 0, 4: 3, 5: 2}


def _torch(meta: int) -> list[Box]:
    places: dict[int, Sixteenths] = {
        1: (0.5, 3, 7, 2.5, 13, 9),
        2: (13.5, 3, 7, 15.5, 13, 9),
        3: (7, 3, 0.5, 9, 13, 2.5),
        4: (7, 3, 13.5, 9, 13, 15.5),
    }
    return [Box(places.get(meta & 7, (7, 0, 7, 9, 10, 9)), 0, True)]


def _stairs(meta: int) -> list[Box]:
    low, high = ((8, 16), (0, 8)) if meta & 4 else ((0, 8), (8, 16))
    backs: tuple[Sixteenths, ...] = (
        (8, high[0], 0, 16, high[1], 16),
        (0, high[0], 0, 8, high[1], 16),
        (0, high[0], 8, 16, high[1], 16),
        (0, high[0], 0, 16, high[1], 8),
    )
    return [Box((0, low[0], 0, 16, low[1], 16)), Box(backs[meta & 3])]


def _door(meta: int) -> list[Box]:
    # Facing east, south, west, north; the upper half is drawn with the lower half's metadata.
    closed, opened = (2, 0, 3, 1), (0, 3, 1, 2)
    return [upright((opened if meta & 4 else closed)[meta & 3], 3)]


def _trapdoor(meta: int) -> list[Box]:
    if meta & 4:
        return [upright((1, 0, 3, 2)[meta & 3], 3)]
    return [Box((0, 13, 0, 16, 16, 16) if meta & 8 else (0, 0, 0, 16, 3, 16))]


def _gate(meta: int) -> list[Box]:
    if meta & 1:  # it spans north to south
        posts = [Box((7, 5, 0, 9, 16, 2)), Box((7, 5, 14, 9, 16, 16))]
        rails: list[Sixteenths] = [(7, 6, 2, 9, 9, 14), (7, 12, 2, 9, 15, 14)]
        swung: list[Sixteenths] = [(9, 6, 0, 16, 15, 2), (9, 6, 14, 16, 15, 16)]
    else:
        posts = [Box((0, 5, 7, 2, 16, 9)), Box((14, 5, 7, 16, 16, 9))]
        rails = [(2, 6, 7, 14, 9, 9), (2, 12, 7, 14, 15, 9)]
        swung = [(0, 6, 9, 2, 15, 16), (14, 6, 9, 16, 15, 16)]
    return [*posts, *(Box(place) for place in (swung if meta & 4 else rails))]


def _vine(meta: int) -> list[Box]:
    sides = [side for bit, side in ((1, 1), (2, 2), (4, 0), (8, 3)) if meta & bit]
    return [upright(side, 0.5) for side in sides] or [Box((0, 15.5, 0, 16, 16, 16))]


def _button(meta: int) -> list[Box]:
    places: dict[int, Sixteenths] = {
        0: (5, 14, 6, 11, 16, 10),
        1: (0, 6, 5, 2, 10, 11),
        2: (14, 6, 5, 16, 10, 11),
        3: (5, 6, 0, 11, 10, 2),
        4: (5, 6, 14, 11, 10, 16),
    }
    return [Box(places.get(meta & 7, (5, 0, 6, 11, 2, 10)))]


def _skull(meta: int) -> list[Box]:
    places: dict[int, Sixteenths] = {
        2: (4, 4, 8, 12, 12, 16),
        3: (4, 4, 0, 12, 12, 8),
        4: (8, 4, 4, 16, 12, 12),
        5: (0, 4, 4, 8, 12, 12),
    }
    return [Box(places.get(meta & 7, (4, 0, 4, 12, 8, 12)), 0, True)]


def _piston_head(meta: int) -> list[Box]:
    plates: tuple[Sixteenths, ...] = (
        (0, 0, 0, 16, 4, 16), (0, 12, 0, 16, 16, 16), (0, 0, 0, 16, 16, 4), (0, 0, 12, 16, 16, 16),
        (0, 0, 0, 4, 16, 16), (12, 0, 0, 16, 16, 16),
    )  # fmt: skip
    rods: tuple[Sixteenths, ...] = (
        (6, 4, 6, 10, 16, 10), (6, 0, 6, 10, 12, 10), (6, 6, 4, 10, 10, 16), (6, 6, 0, 10, 10, 12),
        (4, 6, 6, 16, 10, 10), (0, 6, 6, 12, 10, 10),
    )  # fmt: skip
    side = min(meta & 7, 5)
    return [Box(plates[side]), Box(rods[side])]


def _portal(meta: int) -> list[Box]:
    return [Box((6, 0, 0, 10, 16, 16) if meta & 3 == 2 else (0, 0, 6, 16, 16, 10))]


def _cocoa(meta: int) -> list[Box]:
    size = 4 + 2 * min(2, meta >> 2)
    low, high = 8 - size / 2, 8 + size / 2
    places: tuple[Sixteenths, ...] = (
        (low, 11 - size, 15 - size, high, 12, 15), (1, 11 - size, low, 1 + size, 12, high),
        (low, 11 - size, 1, high, 12, 1 + size), (15 - size, 11 - size, low, 15, 12, high),
    )  # fmt: skip
    return [Box(places[meta & 3])]


PLATES = {"stone_pressure_plate", "wooden_pressure_plate", "light_weighted_pressure_plate", "heavy_weighted_pressure_plate"}  # fmt: skip
FLAT = {
    "rail": 1.0, "golden_rail": 1.0, "detector_rail": 1.0, "activator_rail": 1.0, "redstone_wire": 0.4,
    "tripwire": 0.4, "waterlily": 0.4, "carpet": 1.0, "unpowered_repeater": 2.0, "powered_repeater": 2.0,
    "unpowered_comparator": 2.0, "powered_comparator": 2.0, "daylight_detector": 6.0,
    "daylight_detector_inverted": 6.0, "bed": 9.0, "farmland": 15.0, "grass_path": 15.0, "soul_sand": 14.0,
    "enchanting_table": 12.0, "end_portal_frame": 13.0, "end_portal": 12.0,
}  # fmt: skip
INSET = {
    "chest": (1, 14), "trapped_chest": (1, 14), "ender_chest": (1, 14), "cactus": (1, 16), "cake": (1, 8),
    "flower_pot": (5, 6), "dragon_egg": (2, 16), "chorus_plant": (3, 16), "chorus_flower": (1, 15),
}  # fmt: skip
BUILT: dict[str, list[Box]] = {
    "anvil": [Box((2, 0, 2, 14, 4, 14)), Box((5, 4, 6, 11, 10, 10)), Box((0, 10, 3, 16, 16, 13))],
    "cauldron": [Box((0, 3, 0, 16, 16, 2)), Box((0, 3, 14, 16, 16, 16)), Box((0, 3, 0, 2, 16, 16)), Box((14, 3, 0, 16, 16, 16)), Box((0, 3, 0, 16, 5, 16))],
    "hopper": [Box((0, 10, 0, 16, 16, 16)), Box((4, 4, 4, 12, 10, 12)), Box((6, 0, 6, 10, 4, 10))],
    "brewing_stand": [Box((7, 0, 7, 9, 14, 9)), Box((1, 0, 5, 15, 2, 11))],
    "end_rod": [Box((6, 0, 6, 10, 1, 10)), Box((7, 1, 7, 9, 16, 9), 0, True)],
    "standing_sign": [Box((7, 0, 7, 9, 9, 9)), Box((0, 9, 7, 16, 16, 9))],
    "standing_banner": [Box((7, 0, 7, 9, 16, 9)), Box((1, 4, 6, 15, 16, 7))],
    "tripwire_hook": [Box((6, 1, 6, 10, 9, 10))],
    "lever": [Box((5, 0, 4, 11, 3, 12)), Box((7, 3, 7, 9, 11, 9))],
}  # fmt: skip


def _joined(name: str) -> list[Box]:
    if JOINED[name] == 4:
        return [Box((7, 0, 7, 9, 16, 9)), *arms(1, 0, 16)]
    if name == "cobblestone_wall":
        return [Box((4, 0, 4, 12, 16, 12)), *arms(3, 0, 14)]
    return [Box((6, 0, 6, 10, 16, 10)), *arms(1, 6, 9), *arms(1, 12, 15)]


def shape_of(name: str, meta: int) -> tuple[int, list[Box]]:
    """How a block is drawn: HIDDEN ... FLUID, and its boxes where it is BOXES or FLUID."""
    if name in HIDES:
        return HIDDEN, []
    if name in CROSSES:
        return CROSSED, []
    if name in FLUIDS:
        return FLUID, whole(16.0 if meta >= 8 else 14.2 - 1.75 * meta)
    if name in TINTED:
        return CLEAR, []
    if name in HOLES:
        return HOLED, []
    boxes = _boxes(name, meta)
    return (BOXES, boxes) if boxes else (CUBE, [])


def _boxes(name: str, meta: int) -> list[Box]:
    if name in JOINED:
        return _joined(name)
    if name in FLAT:
        return whole(FLAT[name])
    if name in INSET:
        return inset(*INSET[name])
    if name in BUILT:
        return BUILT[name]
    if name in PLATES:
        return [Box((1, 0, 1, 15, 1, 15))]
    if name == "snow_layer":
        return whole(2.0 * (1 + (meta & 7)))
    if name.endswith("_slab") or name == "stone_slab2":
        return (
            []
            if "double" in name
            else [Box((0, 8, 0, 16, 16, 16) if meta & 8 else (0, 0, 0, 16, 8, 16))]
        )
    if name.endswith("_stairs"):
        return _stairs(meta)
    if name.endswith("_door"):
        return _door(meta)
    if name.endswith("fence_gate"):
        return _gate(meta)
    if name.endswith("trapdoor"):
        return _trapdoor(meta)
    if name.endswith("_button"):
        return _button(meta)
    if name.endswith("torch"):
        return _torch(meta)
    if name == "ladder":
        return [upright(HUNG.get(meta, 0), 1)]
    if name in ("wall_sign", "wall_banner"):
        low, high = (4, 12) if name == "wall_sign" else (0, 15)
        return [upright(HUNG.get(meta, 0), 1.5, low, high)]
    shaped = {
        "vine": _vine, "skull": _skull, "piston_head": _piston_head, "portal": _portal, "cocoa": _cocoa,
    }.get(name)  # fmt: skip
    return shaped(meta) if shaped else []
