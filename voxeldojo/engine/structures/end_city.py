"""End cities: towers of purpur on the outer islands, some with a ship that has wings on board."""

from voxeldojo.engine.structures.plans import Kind, Piece, Plan

WALL, PILLAR, FLOOR = "purpur_block", "purpur_pillar", "end_bricks"


def storey(wide: int, tall: int) -> Plan:
    """A square floor with windows, end rods at its corners."""
    plan = Plan(wide, tall, wide).room((0, 0, 0), (wide - 1, tall - 1, wide - 1), WALL)
    plan.box((0, 0, 0), (wide - 1, 0, wide - 1), FLOOR)
    middle = wide // 2
    for x in (0, wide - 1):
        for z in (0, wide - 1):
            plan.box((x, 0, z), (x, tall - 1, z), PILLAR)
    plan.box((0, 2, middle), (0, 3, middle), "stained_glass:2")
    plan.box((wide - 1, 2, middle), (wide - 1, 3, middle), "stained_glass:2")
    plan.put("end_rod:1", (1, 1, 1), (wide - 2, 1, wide - 2))
    # A ladder through ceiling and floor.
    plan.box((middle, 0, wide - 2), (middle, tall - 1, wide - 2), "ladder:2")
    return plan


def ground_floor() -> Plan:
    plan = storey(11, 6).box((5, 0, 9), (5, 0, 9), FLOOR).box((4, 1, 0), (6, 3, 0), "air")
    return plan.lives("shulker", 2.5, 1.0, 5.5)


def treasure() -> Plan:
    plan = storey(9, 7).put(WALL, (4, 6, 7)).put("chest:3", (2, 1, 2), (6, 1, 2))
    for x in (0, 8):
        for z in (0, 8):
            plan.put("end_rod:1", (x, 6, z))
    return plan.lives("shulker", 4.5, 1.0, 3.5).lives("shulker", 1.5, 1.0, 5.5)


def ship() -> Plan:
    """Hull, deck, mast, a dragon's head at the bow; its hold has two chests and the wings."""
    plan = Plan(9, 16, 25)
    for level in range(5):
        inset = max(0, 3 - level)
        plan.room((inset, level, 2 + inset), (8 - inset, level, 24 - inset // 2), WALL, WALL)
    plan.box((2, 2, 5), (6, 4, 22), "air").box((0, 5, 2), (8, 5, 24), FLOOR)
    plan.box((0, 6, 2), (0, 6, 24), "purpur_slab").box((8, 6, 2), (8, 6, 24), "purpur_slab")
    plan.box((4, 6, 10), (4, 13, 10), PILLAR).box((2, 13, 10), (6, 13, 10), FLOOR)
    plan.put("end_rod:1", (4, 14, 10)).box((4, 4, 0), (4, 5, 2), PILLAR)
    plan.put("skull:2", (4, 5, 0)).box((4, 2, 12), (4, 5, 12), "ladder:2")
    plan.box((3, 2, 23), (5, 4, 23), "air").put("obsidian", (4, 2, 23))
    return plan.put("chest:2", (3, 2, 22), (5, 2, 22)).lives("shulker", 4.5, 2.0, 18.5)


def wings() -> Plan:
    """Instead of the frame with the wings, a chest that holds them."""
    return Plan(1, 1, 1).put("chest:2", (0, 0, 0))


def layouts() -> list[list[Piece]]:
    low, middle, high, boat, chest = ground_floor(), storey(9, 6), treasure(), ship(), wings()
    bridge = Plan(3, 4, 12, "air").box((0, 0, 0), (2, 0, 11), FLOOR)

    def tower(x: int, z: int, floors: int) -> list[Piece]:
        pieces = [Piece(low, (x - 5, 0, z - 5), foundation=FLOOR, table="end_city")]
        pieces += [Piece(middle, (x - 4, 6 + 6 * n, z - 4)) for n in range(floors)]
        return [*pieces, Piece(high, (x - 4, 6 + 6 * floors, z - 4), table="end_city")]

    city = [*tower(0, 0, 3), *tower(22, 4, 2), *tower(-6, -24, 1)]
    sailing = [
        *city,
        Piece(bridge, (-1, 24, 5)),
        Piece(boat, (-4, 21, 17), table="end_city"),
        Piece(chest, (0, 24, 40), table="end_ship"),
    ]
    return [city, sailing]


KIND = Kind(
    "end_city",
    layouts(),
    [],
    dimension="the_end",
    spacing=20,
    separation=11,
    nearest=1000,
)
