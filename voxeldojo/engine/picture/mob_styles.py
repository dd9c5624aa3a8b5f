"""What mobs and shots look like: a table of boxes (mob_shapes.py) by summon name."""

from voxeldojo.engine.picture.block_styles import Recipe, over, same
from voxeldojo.engine.picture.mob_shapes import (
    BEAST,
    BLACK,
    ENDER,
    EYES8,
    FIERY,
    HEN,
    HISSING,
    NOSY,
    PIG,
    PUMPKIN,
    SQUARE,
    UNDEAD,
    WHITE,
    WOOLLY,
    Part,
    beast,
    bony,
    coat,
    cube,
    dragon,
    ghast,
    guardian,
    headed,
    horse,
    iron_golem,
    middle,
    pair,
    scaled,
    spider,
    squid,
    undead,
    upright,
    villager,
    wither,
)
from voxeldojo.engine.picture.painting import Colour

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
