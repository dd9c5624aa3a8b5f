"""What mobs and shots look like: a table of boxes by summon name.

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


COW = ("spots", coat((70, 52, 38)), (238, 236, 232), 0.34)
MOOSHROOM = ("spots", coat((168, 24, 24)), (226, 220, 214), 0.3)
BROWN_FACE = over(coat((70, 52, 38)), BEAST, WHITE, BLACK, (216, 196, 186), (90, 70, 66))
HORNS = pair(4, 2, (24, 8, 27, 10), same(coat((216, 210, 196))))
PINK: Colour = (240, 166, 164)
SHEEP_SKIN: Colour = (226, 196, 174)
GREEN: Colour = (78, 152, 62)
BLUE: Colour = (0, 150, 160)
DENIM: Colour = (66, 58, 156)
CREEPER = ("cobble", (96, 186, 86), (58, 140, 54), 22)


def fleece(colour: Colour) -> list[Part]:
    wool = ("cobble", colour, tuple(c * 9 // 10 for c in colour), 20)
    face = over(wool, WOOLLY, WHITE, BLACK, SHEEP_SKIN, (200, 150, 140))
    return beast(wool, face, coat(SHEEP_SKIN), leg=9, body=(12, 12, 17), head=(8, 8, 8), neck=2)


def creeper(hide: Recipe) -> list[Part]:
    face = over(hide, HISSING, BLACK, BLACK)
    foot = same(hide)
    return [
        middle(8, 18, 8, -4, 8, headed(hide, face)),
        middle(8, 6, 12, -2, 4, same(hide)),
        *pair(0, 4, (0, 2, 6, 6), foot),
        *pair(0, 4, (0, -6, 6, -2), foot),
    ]


def bird(hide: Colour, beak: Colour, leg: Colour, wattle: Colour) -> list[Part]:
    feathers = coat(hide, 5.0)
    return [
        middle(6, 5, 6, -4, 8, same(feathers)),
        middle(4, 9, 6, 3, 3, headed(feathers, over(feathers, HEN, WHITE, BLACK, beak, wattle))),
        middle(3, 11, 2, 6, 2, same(coat(beak))),
        middle(2, 9, 2, 6, 1, same(coat(wattle))),
        *pair(3, 1, (6, -3, 10, 3), same(coat(tuple(c * 9 // 10 for c in hide)))),
        *pair(0.5, 1.4, (0, -1, 5, 0.5), same(coat(leg))),
    ]


def wolf_like(hide: Colour, snout: Colour, tail: float, leg: float = 8) -> list[Part]:
    fur = coat(hide)
    extra = [
        middle(3, leg + 1, 3, 10, 3, same(coat(snout))),
        middle(2, leg + 3, 2, -8 - tail, tail, same(fur)),
        *pair(1, 2, (leg + 9, 6, leg + 11, 7), same(fur)),
    ]
    face = over(fur, BEAST, WHITE, BLACK, snout, BLACK)
    return beast(fur, face, fur, leg=leg, body=(6, 6, 12), head=(6, 6, 5), thick=2, extra=extra)


def robed(robe: Colour, skin: Colour, **more: list[Part]) -> list[Part]:
    return villager(robe, skin, more.get("hat"))


HAT = [
    middle(10, 31, 2, -5, 10, same(coat((50, 40, 60)))),
    middle(7, 33, 5, -4, 7, same(coat((50, 40, 60)))),
]
SNOW, SAND = coat((244, 250, 252), 3.0), coat((200, 180, 130))

MOBS: dict[str, list[Part]] = {
    "cow": beast(COW, BROWN_FACE, COW, leg=12, body=(12, 10, 18), head=(8, 8, 6), extra=[*HORNS, middle(5, 11, 2, -8, 6, same(coat(PINK)))]),
    "mooshroom": beast(MOOSHROOM, over(MOOSHROOM, BEAST, WHITE, BLACK, (216, 196, 186), (90, 70, 66)), MOOSHROOM, leg=12, body=(12, 10, 18), head=(8, 8, 6), extra=[*HORNS, middle(5, 22, 5, -2, 5, same(coat((208, 32, 30))))]),
    "pig": beast(coat(PINK), over(coat(PINK), PIG, WHITE, BLACK, (246, 190, 188), (176, 96, 96)), coat(PINK), leg=6, body=(10, 8, 16), head=(8, 8, 8), extra=[middle(4, 9, 3, 14, 1, same(coat((246, 190, 188))))]),
    "sheep": fleece((234, 236, 232)),
    "chicken": bird((244, 244, 244), (240, 180, 50), (226, 170, 50), (206, 30, 30)),
    "horse": horse((132, 84, 46), (44, 28, 16)),
    "donkey": horse((124, 110, 96), (70, 60, 52), 7),
    "mule": horse((84, 54, 34), (40, 26, 16), 6),
    "skeleton_horse": horse((214, 214, 206), (120, 120, 116)),
    "zombie_horse": horse((82, 130, 78), (50, 84, 50)),
    "llama": beast(coat((214, 192, 150)), over(coat((214, 192, 150)), BEAST, WHITE, BLACK, (196, 170, 126), BLACK), coat((214, 192, 150)), leg=12, body=(11, 11, 17), head=(7, 9, 8), neck=12),
    "rabbit": scaled(wolf_like((150, 118, 80), (190, 160, 124), 2, 4), 0.7),
    "wolf": wolf_like((208, 202, 198), (120, 110, 104), 6),
    "ocelot": wolf_like((236, 196, 84), (240, 226, 200), 8, 6),
    "polar_bear": beast(coat((240, 242, 238)), over(coat((240, 242, 238)), BEAST, BLACK, BLACK, (220, 220, 214), BLACK), coat((236, 238, 234)), leg=10, body=(16, 14, 26), head=(8, 8, 10), thick=6),
    "bat": [middle(4, 4, 6, -2, 4, same(coat((70, 54, 40)))), middle(5, 9, 5, -2, 5, headed(coat((84, 66, 50)), over(coat((84, 66, 50)), SQUARE, BLACK, BLACK))), *pair(2, 8, (6, -1, 11, 0), same(coat((56, 44, 34))))],
    "squid": squid(),
    "villager": villager((104, 72, 52)),
    "snowman": [middle(12, 0, 10, -6, 12, same(SNOW)), middle(9, 10, 9, -4.5, 9, same(SNOW)), middle(8, 19, 8, -4, 8, headed(coat((204, 122, 28)), over(coat((204, 122, 28)), PUMPKIN, BLACK, (40, 20, 4)))), *pair(4, 10, (15, -1, 16, 0), same(coat((110, 80, 44))))],
    "villager_golem": iron_golem(),
    "zombie": undead(GREEN, BLUE, DENIM),
    "husk": undead((180, 152, 104), (136, 112, 76), (110, 92, 66)),
    "zombie_villager": undead((90, 150, 80), (96, 66, 48), (80, 54, 40), NOSY[:4] + UNDEAD[4:]),
    "zombie_pigman": undead((232, 158, 146), (120, 90, 60), (96, 116, 70)),
    "giant": scaled(undead(GREEN, BLUE, DENIM), 6.0),
    "skeleton": bony((206, 206, 202)),
    "stray": bony((176, 196, 196)),
    "wither_skeleton": bony((50, 50, 50), 1.2),
    "creeper": creeper(CREEPER),
    "spider": spider(coat((54, 44, 38)), over(coat((54, 44, 38)), EYES8, BLACK, (220, 20, 20), (30, 24, 20)), 1.0),
    "cave_spider": spider(coat((22, 56, 66)), over(coat((22, 56, 66)), EYES8, BLACK, (220, 20, 20), (14, 30, 34)), 0.7),
    "enderman": [middle(8, 38, 8, -4, 8, headed(coat((16, 16, 18), 2.0), over(coat((16, 16, 18), 2.0), ENDER, (244, 150, 255), (220, 80, 250)))), middle(8, 28, 11, -2, 4, same(coat((16, 16, 18), 2.0))), *pair(4, 2, (10, -1, 39, 1), same(coat((16, 16, 18), 2.0))), *pair(1, 2, (0, -1, 29, 1), same(coat((16, 16, 18), 2.0)))],
    "silverfish": [middle(5, 0, 4, -4, 8, same(("bricks", (130, 132, 134), (86, 88, 90), 16, 4))), middle(2, 0, 2, -9, 5, same(coat((110, 112, 114)))), middle(4, 0, 3, 4, 2, same(coat((90, 92, 94))))],
    "endermite": [middle(4, 0, 4, -3, 6, same(("bricks", (60, 40, 76), (34, 22, 44), 16, 4)))],
    "slime": cube(8, ("cobble", (104, 190, 84), (84, 170, 66), 12), over(("cobble", (104, 190, 84), (84, 170, 66), 12), SQUARE, BLACK, (30, 70, 24))),
    "magma_cube": cube(8, ("bands", 6.0, (3, (60, 20, 14)), (2, (240, 130, 30)), (4, (60, 20, 14)), (2, (230, 110, 20)), (5, (60, 20, 14))), over(coat((60, 20, 14)), SQUARE, BLACK, (250, 190, 60))),
    "witch": robed((66, 44, 84), (180, 146, 120), hat=HAT),
    "vindication_illager": robed((70, 76, 80), (148, 156, 152)),
    "evocation_illager": robed((50, 48, 54), (148, 156, 152)),
    "vex": scaled(upright(coat((150, 170, 190)), over(coat((150, 170, 190)), UNDEAD, WHITE, (250, 250, 250), (90, 100, 120)), coat((130, 150, 176)), coat((120, 140, 166)), arms="forward"), 0.45),
    "blaze": [middle(8, 20, 8, -4, 8, headed(coat((246, 190, 60)), over(coat((246, 190, 60)), FIERY, BLACK, (90, 50, 10), (120, 70, 10)))), *pair(4, 2, (4, -6, 12, -4), same(coat((240, 220, 90)))), *pair(4, 2, (4, 4, 12, 6), same(coat((240, 220, 90)))), *pair(5, 2, (10, -1, 18, 1), same(coat((216, 140, 30))))],
    "ghast": ghast(),
    "guardian": guardian(("spots", coat((92, 132, 118)), (130, 110, 80), 0.3), 1.0),
    "elder_guardian": guardian(("spots", coat((190, 186, 166)), (140, 130, 110), 0.3), 2.35),
    "shulker": [middle(16, 0, 8, -8, 16, same(("frame", coat((148, 102, 148)), (104, 70, 104)))), middle(16, 9, 7, -8, 16, same(("frame", coat((160, 112, 160)), (112, 76, 112)))), middle(8, 6, 6, -4, 8, headed(coat((226, 220, 160)), over(coat((226, 220, 160)), SQUARE, BLACK, (60, 60, 40))))],
    "ender_dragon": dragon(),
    "wither": wither(),
}  # fmt: skip
MOBS["cat"] = MOBS["ocelot"]
MOBS["parrot"] = bird((210, 30, 30), (60, 60, 60), (80, 80, 80), (250, 210, 60))
# Vehicles, where they are mobs of the table.
BOARDS = ("planks", (162, 130, 78))
HULL = [middle(20, 1, 2, -14, 28, same(BOARDS)), *pair(9, 2, (3, -14, 9, 14), same(BOARDS)), middle(18, 3, 6, 12, 2, same(BOARDS)), middle(18, 3, 6, -14, 2, same(BOARDS))]  # fmt: skip
IRON = coat((120, 120, 124))
CART = [middle(16, 1, 2, -10, 20, same(IRON)), *pair(6, 2, (3, -10, 10, 10), same(IRON)), middle(16, 3, 7, 8, 2, same(IRON)), middle(16, 3, 7, -10, 2, same(IRON))]  # fmt: skip
MOBS["boat"], MOBS["minecart"] = HULL, CART
UNKNOWN = upright(
    coat((180, 150, 130)), coat((180, 150, 130)), coat((120, 120, 140)), coat((80, 80, 100))
)

SWELLING = creeper(coat((250, 250, 250), 2.0))
# Sheep by the colour of their wool are fleeces of their own; a shorn one shows its skin.
SHOTS: list[tuple[str, list[Part]]] = [
    ("arrow", [middle(1, 0, 1, -8, 14, same(coat((120, 90, 50)))), middle(3, -1, 3, -9, 3, same(coat((230, 230, 230)))), middle(2, -0.5, 2, 6, 3, same(coat((150, 150, 150))))]),
    ("ball", [middle(4, 0, 4, -2, 4, same(coat((236, 246, 250))))]),
    ("fire", [middle(6, 0, 6, -3, 6, same(("swirl", (230, 80, 10), (255, 220, 90))))]),
]  # fmt: skip
