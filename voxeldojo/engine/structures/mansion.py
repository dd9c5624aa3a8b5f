"""Woodland mansions: two floors of rooms along a hall, in dark oak, and their illagers."""

from voxeldojo.engine.structures.plans import Kind, Piece, Plan

WALL, BEAM, FLOOR, BASE = "planks:5", "log2:1", "planks:1", "cobblestone"
WIDE, DEEP, STOREY = 41, 33, 7
ROOM = 10


def storey(plan: Plan, y: int) -> None:
    plan.room((0, y, 0), (WIDE - 1, y + STOREY, DEEP - 1), WALL)
    plan.box((1, y, 1), (WIDE - 2, y, DEEP - 2), FLOOR)
    # A hall along the middle, rooms on both sides.
    for z in (12, 20):
        plan.box((1, y + 1, z), (WIDE - 2, y + STOREY - 1, z), WALL)
    for x in range(ROOM, WIDE - 1, ROOM):
        plan.box((x, y + 1, 1), (x, y + STOREY - 1, 11), WALL)
        plan.box((x, y + 1, 21), (x, y + STOREY - 1, DEEP - 2), WALL)
    for x in range(5, WIDE, ROOM):
        for z in (12, 20):
            plan.box((x, y + 1, z), (x + 1, y + 3, z), "air")
        plan.put("torch:4", (x, y + 4, 11)).put("torch:3", (x, y + 4, 13), (x, y + 4, 21))
        for z in (0, DEEP - 1):
            plan.box((x - 1, y + 2, z), (x + 1, y + 4, z), "glass_pane")
    plan.box((1, y + 1, 15), (WIDE - 2, y + 1, 17), "carpet:14")
    for x in range(0, WIDE, ROOM):
        for z in (0, DEEP - 1):
            plan.box((x, y, z), (x, y + STOREY, z), BEAM)


def mansion() -> Plan:
    plan = Plan(WIDE, 2 * STOREY + 12, DEEP)
    storey(plan, 0)
    storey(plan, STOREY)
    plan.box((0, 0, 0), (WIDE - 1, 0, DEEP - 1), BASE).box((1, 0, 1), (39, 0, 31), FLOOR)
    for step in range(10):
        y = 2 * STOREY + 1 + step
        plan.room((step, y, step), (WIDE - 1 - step, y + 1, DEEP - 1 - step), WALL)
    plan.door(0, 1, 16, 0, "dark_oak_door")
    for step in range(STOREY):
        plan.box((28 + step, step, 18), (28 + step, step, 19), "dark_oak_stairs:0")
        plan.box((28 + step, step + 1, 18), (28 + step, STOREY + 3, 19), "air")
    # What the rooms are: a library, a store, bedrooms, a hidden chest, a field under the roof.
    for y, x, z in ((1, 1, 1), (1, 31, 22), (STOREY + 1, 1, 22)):
        plan.box((x, y, z), (x + 1, y + 3, z + 8), "bookshelf")
        plan.put("chest:5", (x + 2, y, z + 4))
    for y, x, z in ((1, 24, 24), (STOREY + 1, 34, 4), (STOREY + 1, 13, 28), (STOREY + 1, 24, 3)):
        plan.put("chest:3", (x, y, z)).put("bed:10", (x + 2, y, z)).put("bed:2", (x + 2, y, z + 1))
    plan.box((12, 1, 22), (18, 1, 30), "farmland:7").box((12, 2, 22), (18, 2, 30), "wheat:7")
    plan.box((15, 1, 22), (15, 2, 30), "fence").put("web", (2, STOREY + 5, 2), (38, 5, 30))
    plan.put("crafting_table", (22, 1, 2)).put("obsidian", (35, 1, 5)).put("tnt", (36, 1, 5))
    for x, y, z in ((5, 1, 16), (25, 1, 6), (34, 1, 27), (15, STOREY + 1, 6), (25, STOREY + 1, 26)):
        plan.lives("vindication_illager", x + 0.5, float(y), z + 0.5)
    for x, z in ((20, 16), (35, 6)):
        plan.lives("evocation_illager", x + 0.5, STOREY + 1.0, z + 0.5)
    return plan


# 80 chunks apart, as in the game.
KIND = Kind(
    "mansion",
    [[Piece(mansion(), (-20, 0, -16), foundation=BASE, table="mansion")]],
    ["roofed_forest", "roofed_forest_m"],
    spacing=80,
    separation=20,
)
