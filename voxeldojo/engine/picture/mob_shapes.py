"""The shapes of mobs: boxes, faces, and bodies that several kinds have in common.

A box is (x0, y0, z0, x1, y1, z1) in sixteenths of a metre from the middle of the feet, the mob
looking along +z; its faces are recipes of painting.py, stretched over them.
"""

from typing import NamedTuple

from voxeldojo.engine.picture.block_styles import Faces, Recipe, over, same
from voxeldojo.engine.picture.painting import Colour
from voxeldojo.engine.picture.shapes import Sixteenths


class Part(NamedTuple):
    place: Sixteenths
    faces: Faces


def coat(colour: Colour, spread: float = 6.0) -> Recipe:
    return ("grain", colour, spread)


def headed(hide: Recipe, face: Recipe) -> Faces:
    return (hide, hide, hide, face, hide, hide)


def middle(width: float, y: float, height: float, z: float, length: float, faces: Faces) -> Part:
    """A box in the mob's middle plane."""
    return Part((-width / 2, y, z, width / 2, y + height, z + length), faces)


def pair(
    x: float, width: float, place: tuple[float, float, float, float], faces: Faces
) -> list[Part]:
    """Two boxes, mirrored: legs, arms, wings. ``place``: y0, z0, y1, z1."""
    y0, z0, y1, z1 = place
    return [
        Part((x, y0, z0, x + width, y1, z1), faces),
        Part((-x - width, y0, z0, -x, y1, z1), faces),
    ]


BEAST = (
    "        ",
    "        ",
    "01    10",
    "        ",
    "  2222  ",
    "  2332  ",
    "  2222  ",
    "        ",
)
PIG = (
    "        ",
    "        ",
    "01    10",
    "  2222  ",
    "  3223  ",
    "  2222  ",
    "        ",
    "        ",
)
WOOLLY = (
    "        ",
    " 222222 ",
    " 222222 ",
    " 012210 ",
    " 222222 ",
    " 223322 ",
    " 222222 ",
    "        ",
)
HEN = (
    "        ",
    "        ",
    "1      1",
    "  2222  ",
    "  2222  ",
    "   33   ",
    "   33   ",
    "        ",
)
UNDEAD = (
    "        ",
    "        ",
    "        ",
    " 11  11 ",
    " 11  11 ",
    "   22   ",
    "  2222  ",
    "        ",
)
HISSING = (
    "        ",
    "        ",
    " 11  11 ",
    " 11  11 ",
    "   11   ",
    "  1111  ",
    "  1111  ",
    "  1  1  ",
)
BONY = (
    "        ",
    "        ",
    "        ",
    " 11  11 ",
    " 11  11 ",
    "   11   ",
    " 222222 ",
    "        ",
)
ENDER = (
    "        ",
    "        ",
    "        ",
    "        ",
    "101  101",
    "        ",
    "        ",
    "        ",
)
EYES8 = (
    "        ",
    " 1 11 1 ",
    "  1  1  ",
    " 1 11 1 ",
    "        ",
    "  2222  ",
    "  2  2  ",
    "        ",
)
SQUARE = (
    "        ",
    "        ",
    " 11  11 ",
    " 11  11 ",
    "        ",
    "   1    ",
    "        ",
    "        ",
)
ONE_EYE = (
    "        ",
    "  1111  ",
    " 111111 ",
    " 112211 ",
    " 112211 ",
    " 111111 ",
    "  1111  ",
    "        ",
)
WAILING = (
    "        ",
    "        ",
    " 1    1 ",
    " 11  11 ",
    " 1    1 ",
    "  1111  ",
    "  1  1  ",
    "        ",
)
NOSY = (
    "        ",
    "        ",
    "22222222",
    " 01  10 ",
    "   33   ",
    "   33   ",
    "   33   ",
    "  4444  ",
)
FIERY = (
    "        ",
    "        ",
    "11    11",
    " 1    1 ",
    "        ",
    "  2222  ",
    "        ",
    "        ",
)
PUMPKIN = (
    "        ",
    " 11  11 ",
    " 11  11 ",
    "   11   ",
    "        ",
    "11 11 11",
    " 111111 ",
    "        ",
)
WHITE, BLACK = (250, 250, 250), (16, 16, 16)


def beast(
    hide: Recipe,
    face: Recipe,
    legs: Recipe,
    *,
    leg: float,
    body: tuple[float, float, float],
    head: tuple[float, float, float],
    thick: float = 4,
    neck: float = 0,
    extra: list[Part] | None = None,
) -> list[Part]:
    """On four legs: ``leg`` their length, ``body`` and ``head`` width, height and length."""
    width, height, length = body
    wide, tall, long = head
    back = -length / 2
    top = leg + height + neck
    parts = [
        middle(width, leg, height, back, length, same(hide)),
        middle(wide, top - tall + 3, tall, length / 2 - 2, long, headed(hide, face)),
        *pair(width / 2 - thick, thick, (0, back + 1, leg, back + 1 + thick), same(legs)),
        *pair(width / 2 - thick, thick, (0, -back - 1 - thick, leg, -back - 1), same(legs)),
        *(extra or []),
    ]
    if neck:
        parts.append(middle(wide - 1, leg + height - 2, neck + 2, length / 2 - 4, 4, same(hide)))
    return parts


def upright(
    skin: Recipe,
    face: Recipe,
    shirt: Recipe,
    trousers: Recipe,
    *,
    arms: str = "down",
    thick: float = 4,
    leg: float = 12,
    extra: list[Part] | None = None,
) -> list[Part]:
    """On two legs, as wide as a player. ``arms``: down, forward, or folded."""
    shoulder = leg + 12
    parts = [
        middle(8, shoulder, 8, -4, 8, headed(skin, face)),
        middle(8, leg, 12, -2, 4, same(shirt)),
        *pair(
            4 - thick if thick > 3 else 1, thick, (0, -thick / 2, leg, thick / 2), same(trousers)
        ),
        *(extra or []),
    ]
    sleeve = (skin, shirt, skin, skin, skin, skin)
    if arms == "down":
        parts += pair(4, thick, (leg, -thick / 2, shoulder, thick / 2), sleeve)
    elif arms == "forward":
        parts += pair(
            4, thick, (shoulder - thick, -2, shoulder, 10), (skin, skin, skin, skin, shirt, shirt)
        )
    else:
        parts += [middle(12, leg + 5, 5, 2, 3, same(shirt))]
    return parts


def grown(place: Sixteenths, size: float) -> Sixteenths:
    x0, y0, z0, x1, y1, z1 = place
    return x0 * size, y0 * size, z0 * size, x1 * size, y1 * size, z1 * size


def spider(hide: Recipe, face: Recipe, size: float) -> list[Part]:
    parts = [
        middle(12, 5, 8, -14, 12, same(hide)),
        middle(6, 6, 6, -3, 6, same(hide)),
        middle(8, 5, 8, 3, 8, headed(hide, face)),
    ]
    for reach, place in enumerate((-4.0, -1.5, 1.0, 3.5)):
        spread = (reach - 1.5) * 4
        for start, end, low, high in ((3, 10, 6, 9), (9, 17, 0, 7)):
            shift = spread * (end / 17)
            parts += pair(
                start, end - start, (low, place + shift, high, place + shift + 2), same(hide)
            )
    return [Part(grown(part.place, size), part.faces) for part in parts]


def cube(size: float, hide: Recipe, face: Recipe) -> list[Part]:
    return [middle(size, 0, size, -size / 2, size, headed(hide, face))]


def scaled(parts: list[Part], size: float) -> list[Part]:
    return [Part(grown(part.place, size), part.faces) for part in parts]


def horse(hide: Colour, mane: Colour, ears: float = 3) -> list[Part]:
    fur, hair = coat(hide), coat(mane)
    face = over(fur, BEAST, WHITE, BLACK, tuple(c * 3 // 4 for c in hide), BLACK)
    extra = [
        middle(2, 22, 12, 5, 3, same(hair)),
        middle(3, 10, 12, -14, 3, same(hair)),
        *pair(1, 2, (33, 9, 33 + ears, 11), same(fur)),
    ]
    return beast(fur, face, fur, leg=12, body=(10, 10, 22), head=(6, 7, 12), neck=8, extra=extra)


def undead(
    skin: Colour, shirt: Colour, trousers: Colour, rows: tuple[str, ...] = UNDEAD
) -> list[Part]:
    hide = coat(skin, 9.0)
    face = over(hide, rows, skin, BLACK, tuple(c * 3 // 4 for c in skin))
    return upright(hide, face, coat(shirt), coat(trousers), arms="forward")


def bony(bone: Colour, size: float = 1.0) -> list[Part]:
    hide = ("bricks", bone, tuple(c * 6 // 10 for c in bone), 16, 4)
    face = over(coat(bone), BONY, bone, (40, 40, 40), (90, 90, 90))
    bow = [Part((-9, 14, 2, -8, 26, 10), same(("frame", ("ink", coat(bone), 0), (110, 80, 44), 3)))]
    return scaled(upright(coat(bone), face, hide, coat(bone), thick=2, extra=bow), size)


def villager(
    robe: Colour, skin: Colour = (190, 140, 112), hat: list[Part] | None = None
) -> list[Part]:
    hide = coat(skin, 4.0)
    face = over(hide, NOSY, WHITE, (30, 90, 50), (86, 56, 34), (168, 112, 88), (150, 96, 76))
    nose = middle(2, 24, 4, 4, 2, same(coat((168, 112, 88), 3.0)))
    return upright(hide, face, coat(robe), coat(robe), arms="folded", extra=[nose, *(hat or [])])


def squid() -> list[Part]:
    hide = coat((52, 72, 96))
    face = over(hide, SQUARE, (52, 72, 96), (200, 210, 220))
    return [
        middle(11, 5, 9, -5, 10, headed(hide, face)),
        *pair(1, 2, (0, -4, 5, -2), same(hide)),
        *pair(1, 2, (0, 2, 5, 4), same(hide)),
        *pair(3.5, 2, (0, -1, 5, 1), same(hide)),
    ]


def guardian(hide: Recipe, size: float) -> list[Part]:
    spike = same(coat((210, 120, 70)))
    parts = [
        middle(
            12,
            1,
            12,
            -6,
            12,
            headed(hide, over(hide, ONE_EYE, WHITE, (236, 226, 200), (160, 30, 60))),
        ),
        *pair(6, 4, (12, -1, 14, 1), spike),
        *pair(6, 4, (0, -1, 2, 1), spike),
        middle(2, 13, 4, -1, 2, spike),
        middle(4, 5, 4, -14, 8, same(hide)),
    ]
    return scaled(parts, size)


def ghast() -> list[Part]:
    hide = coat((240, 240, 240), 4.0)
    legs = [
        part for x in (4, 14, 24) for part in pair(x, 4, (0, -2 + x % 8, 20, 2 + x % 8), same(hide))
    ]
    return [
        middle(64, 16, 60, -32, 64, headed(hide, over(hide, WAILING, WHITE, (90, 90, 90)))),
        *legs,
    ]


def dragon() -> list[Part]:
    hide, wing = ("spots", coat((22, 20, 24)), (44, 42, 48), 0.3), coat((58, 54, 62))
    face = over(hide, FIERY, BLACK, (204, 0, 250), (60, 60, 60))
    return [
        middle(48, 24, 36, -40, 80, same(hide)),
        middle(14, 40, 14, 40, 30, same(hide)),
        middle(26, 36, 26, 68, 30, headed(hide, face)),
        middle(14, 36, 14, -120, 80, same(hide)),
        *pair(24, 100, (56, -40, 60, 30), same(wing)),
        *pair(10, 14, (0, -20, 24, -4), same(hide)),
    ]


def wither() -> list[Part]:
    hide = coat((34, 32, 34))
    face = over(hide, BONY, BLACK, (230, 230, 236), (90, 90, 96))
    return [
        middle(18, 30, 3, -2, 4, same(hide)), middle(3, 14, 18, -2, 3, same(hide)), middle(12, 22, 2, -2, 3, same(hide)),
        middle(8, 40, 8, -4, 8, headed(hide, face)), *pair(8, 6, (36, -3, 42, 3), headed(hide, face)), middle(20, 34, 4, -2, 4, same(hide)),
    ]  # fmt: skip


def iron_golem() -> list[Part]:
    hide = ("spots", coat((214, 208, 200), 5.0), (110, 130, 80), 0.12)
    face = over(hide, NOSY, WHITE, (160, 40, 30), (120, 112, 104), (196, 186, 176), (150, 140, 130))
    return [
        middle(18, 16, 18, -5, 11, same(hide)), middle(8, 33, 10, -3, 8, headed(hide, face)), *pair(9, 4, (12, -3, 34, 3), same(hide)),
        *pair(2, 6, (0, -3, 16, 3), same(hide)),
    ]  # fmt: skip
