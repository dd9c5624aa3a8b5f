"""Villages: a well where two roads cross, houses, fields and a smithy along them."""

from typing import NamedTuple

from voxeldojo.engine.structures.plans import Kind, Piece, Plan

ROAD = 34  # blocks from the well to a road's end


class Style(NamedTuple):
    stone: str
    wall: str
    log: str
    roof: str
    fence: str
    door: str
    path: str


STYLES = {
    "village": (
        ["plains"],
        Style("cobblestone", "planks", "log", "oak_stairs", "fence", "wooden_door", "grass_path"),
    ),
    "village_desert": (
        ["desert"],
        Style(
            "sandstone", "sandstone:2", "sandstone:2", "sandstone_stairs", "fence", "wooden_door",
            "gravel",
        ),
    ),
    "village_savanna": (
        ["savanna"],
        Style(
            "cobblestone", "planks:4", "log2", "acacia_stairs", "acacia_fence", "acacia_door",
            "grass_path",
        ),
    ),
    "village_taiga": (
        ["taiga"],
        Style(
            "cobblestone", "planks:1", "log:1", "spruce_stairs", "spruce_fence", "spruce_door",
            "grass_path",
        ),
    ),
}  # fmt: skip


def house(style: Style, wide: int, deep: int, tall: int) -> Plan:
    """Four walls with windows under a gabled roof; the door is in the north wall."""
    ridge = (deep + 1) // 2
    plan = Plan(wide, tall + 1 + ridge, deep, "air")
    plan.box((0, 0, 0), (wide - 1, 0, deep - 1), style.stone)
    plan.room((0, 1, 0), (wide - 1, tall, deep - 1), style.wall)
    plan.box((1, 1, 1), (wide - 2, tall, deep - 2), "air")
    for x in (0, wide - 1):
        for z in (0, deep - 1):
            plan.box((x, 1, z), (x, tall, z), style.log)
    middle_x, middle_z = wide // 2, deep // 2
    plan.put("glass_pane", (0, 2, middle_z), (wide - 1, 2, middle_z), (middle_x, 2, deep - 1))
    for step in range(ridge):
        y = tall + step
        plan.box((0, y, step), (wide - 1, y, step), f"{style.roof}:2")
        plan.box((0, y, deep - 1 - step), (wide - 1, y, deep - 1 - step), f"{style.roof}:3")
        if step + 1 < deep - 1 - step:
            for x in (0, wide - 1):
                plan.box((x, y, step + 1), (x, y, deep - 2 - step), style.wall)
    if deep % 2:
        plan.box(
            (0, tall + ridge - 1, middle_z), (wide - 1, tall + ridge - 1, middle_z), style.wall
        )
    plan.put("air", (middle_x, 1, 0), (middle_x, 2, 0))
    plan.door(middle_x, 1, 0, 1, style.door)
    plan.put("torch:3", (middle_x, tall - 1, 1))
    return plan


def hut(style: Style) -> Plan:
    plan = house(style, 5, 5, 4)
    plan.put(f"{style.roof}:0", (1, 1, 3)).put(style.fence, (3, 1, 3))
    return plan.lives("villager", 2.5, 1.0, 2.5)


def home(style: Style) -> Plan:
    plan = house(style, 7, 6, 4)
    plan.put("crafting_table", (5, 1, 4)).put("furnace:2", (1, 1, 4))
    plan.put(f"{style.roof}:0", (3, 1, 4))
    return plan.lives("villager", 3.5, 1.0, 2.5)


def library(style: Style) -> Plan:
    plan = house(style, 9, 7, 4)
    plan.box((1, 3, 5), (7, 3, 5), "bookshelf").put("crafting_table", (1, 1, 4))
    plan.put(style.fence, (4, 1, 3)).put("wooden_pressure_plate", (4, 2, 3))
    return plan.lives("villager", 6.5, 1.0, 2.5)


def smithy(style: Style) -> Plan:
    """An open forge with lava and a chest."""
    plan = Plan(10, 7, 7, "air")
    plan.box((0, 0, 0), (9, 0, 6), style.stone)
    plan.box((0, 4, 0), (9, 4, 6), style.stone)
    plan.box((0, 1, 3), (9, 4, 6), style.stone).box((1, 1, 4), (5, 3, 5), "air")
    plan.box((6, 1, 2), (9, 3, 6), style.stone).box((7, 1, 3), (8, 1, 5), "lava")
    plan.box((7, 2, 3), (8, 3, 5), "air").box((7, 2, 2), (8, 2, 2), "iron_bars")
    for x in (0, 5):
        plan.box((x, 1, 0), (x, 3, 0), style.fence)
    plan.put("air", (2, 1, 3), (2, 2, 3)).put("furnace:2", (4, 1, 3), (4, 2, 3))
    plan.put("chest:2", (5, 1, 5)).put("torch:3", (1, 3, 4)).put("double_stone_slab", (1, 1, 1))
    return plan.lives("villager", 3.5, 1.0, 1.5)


def field(style: Style, *crops: str) -> Plan:
    """Two beds of crops with water between them, in a frame of logs."""
    plan = Plan(7, 4, 9, "air")
    plan.box((0, 0, 0), (6, 0, 8), style.log).box((1, 0, 1), (5, 0, 7), "farmland:7")
    plan.box((3, 0, 1), (3, 0, 7), "water")
    plan.box((1, 1, 1), (2, 1, 7), crops[0]).box((4, 1, 1), (5, 1, 7), crops[-1])
    return plan


def well(style: Style) -> Plan:
    plan = Plan(6, 10, 6, "air")
    plan.box((0, 0, 0), (5, 5, 5), style.path).box((1, 0, 1), (4, 6, 4), style.stone)
    plan.box((2, 1, 2), (3, 5, 3), "water").box((2, 6, 2), (3, 6, 3), "air")
    for x in (1, 4):
        for z in (1, 4):
            plan.box((x, 7, z), (x, 8, z), style.fence)
    plan.box((1, 9, 1), (4, 9, 4), style.stone)
    return plan.lives("villager_golem", 0.5, 6.0, 0.5)


def lamp(style: Style) -> Plan:
    plan = Plan(1, 5, 1).box((0, 1, 0), (0, 3, 0), style.fence)
    return plan.put("torch:5", (0, 4, 0))


def road(style: Style, wide: int, deep: int) -> Plan:
    return Plan(wide, 4, deep, "air").box((0, 0, 0), (wide - 1, 0, deep - 1), style.path)


def layouts(style: Style) -> list[list[Piece]]:
    wheat = field(style, "wheat:7")
    roots = field(style, "carrots:7", "potatoes:7")
    beets = field(style, "beetroots:3", "wheat:4")
    small, large, books, forge = hut(style), home(style), library(style), smithy(style)
    ways = [
        Piece(road(style, 2 * ROAD, 3), (-ROAD, 0, -1), "each"),
        Piece(road(style, 3, 2 * ROAD), (-1, 0, -ROAD), "each"),
        Piece(well(style), (-3, -5, -3), "ground", style.stone),
        *(Piece(lamp(style), at, "ground") for at in ((5, 0, 3), (-22, 0, -3), (20, 0, -3))),
    ]
    # Plans along a road, by their distance from the well. The road's sides are south and north.
    rows = (
        ((forge, large, wheat), (small, roots, small), (books, beets), (small, wheat)),
        ((books, wheat, small), (roots, small, large), (small, forge), (beets, large)),
    )
    return [ways + _along(style, row) for row in rows]


def _along(style: Style, rows: tuple[tuple[Plan, ...], ...]) -> list[Piece]:
    placed = []
    for arm, plans in enumerate(rows):
        away = 6
        for number, plan in enumerate(plans):
            # First laid out along the eastern arm's south side, then turned with it.
            wide, _, deep = plan.size
            south = (number + arm) % 2 == 0
            shown = plan if south else plan.turned(2)
            x, z = away, 3 if south else -2 - deep
            for _ in range(arm):
                x, z = -(z + deep - 1), x
                wide, deep = deep, wide
            placed.append(Piece(shown.turned(arm), (x, 0, z), "ground", style.stone, "village"))
            away += max(plan.size[0], 7) + 2
    return placed


KINDS = tuple(
    Kind(name, layouts(style), biomes, spacing=32, separation=8, salt=600)
    for name, (biomes, style) in STYLES.items()
)
