"""Strongholds: the end portal's room, a library, cells, a store and halls between them.

A frame's metadata has bit 4 when an eye is in it; twelve eyes open the portal.
"""

from voxeldojo.engine.structures.plans import Kind, Piece, Plan

WALL = "stonebrick"


def walled(wide: int, tall: int, deep: int, seed: int) -> Plan:
    plan = Plan(wide, tall, deep).room((0, 0, 0), (wide - 1, tall - 1, deep - 1), WALL)
    plan.mixed_in("stonebrick:2", WALL, 0.15, seed).mixed_in("stonebrick:1", WALL, 0.12, seed + 1)
    return plan.mixed_in("monster_egg:2", WALL, 0.04, seed + 2)


def portal_room(eyes: int) -> Plan:
    """``eyes``: bits of the frames that have one."""
    plan = walled(11, 9, 16, 10)
    plan.box((4, 1, 8), (6, 1, 12), WALL).box((3, 1, 7), (7, 2, 13), WALL)
    plan.box((3, 3, 7), (7, 3, 13), "air").box((4, 1, 9), (6, 1, 11), "lava")
    plan.box((4, 2, 9), (6, 2, 11), "air").box((4, 3, 9), (6, 3, 11), "air")
    places = [(x, 3, 8, 0) for x in (4, 5, 6)] + [(x, 3, 12, 2) for x in (4, 5, 6)]
    places += [(3, 3, z, 3) for z in (9, 10, 11)] + [(7, 3, z, 1) for z in (9, 10, 11)]
    for number, (x, y, z, facing) in enumerate(places):
        plan.put(f"end_portal_frame:{facing + 4 * (eyes >> number & 1)}", (x, y, z))
    for step in range(3):
        plan.box((4, step, 4 + step), (6, step, 4 + step), "stone_brick_stairs:2")
    plan.box((4, 1, 6), (6, 1, 6), WALL).put("mob_spawner:5", (5, 3, 7))
    plan.box((1, 1, 1), (1, 1, 3), "lava").box((9, 1, 1), (9, 1, 3), "lava")
    plan.box((0, 3, 3), (0, 4, 3), "iron_bars").box((10, 3, 3), (10, 4, 3), "iron_bars")
    return plan.box((4, 1, 0), (6, 3, 0), "air").box((4, 1, 0), (4, 3, 0), "iron_bars")


def library() -> Plan:
    plan = walled(14, 11, 15, 20)
    plan.box((1, 5, 1), (12, 5, 13), "planks").box((4, 5, 4), (9, 5, 10), "air")
    for z in range(2, 13, 2):
        for y in (1, 6):
            plan.box((1, y, z), (3, y + 2, z), "bookshelf")
            plan.box((10, y, z), (12, y + 2, z), "bookshelf")
    plan.put("web", (4, 3, 3), (9, 3, 8), (5, 8, 11), (8, 8, 2), (2, 4, 3), (11, 9, 9))
    plan.put("chest:4", (11, 6, 13)).put("chest:3", (6, 1, 13))
    plan.box((6, 1, 6), (7, 3, 6), "fence").put("torch:5", (6, 4, 6), (7, 4, 6))
    for y in range(1, 6):
        plan.put("ladder:3", (5, y, 1))
    return plan.box((6, 1, 0), (7, 3, 0), "air")


def cells() -> Plan:
    plan = walled(9, 5, 11, 30)
    plan.box((5, 1, 1), (5, 3, 9), "iron_bars").box((6, 1, 5), (7, 3, 5), WALL)
    plan.box((5, 1, 3), (5, 2, 3), "air").door(5, 1, 3, 0, "iron_door")
    plan.box((2, 1, 0), (2, 2, 0), "air").box((2, 1, 10), (2, 2, 10), "air")
    return plan.put("torch:1", (1, 3, 5))


def store() -> Plan:
    """A room with a gallery and a chest."""
    plan = walled(11, 7, 11, 40)
    plan.box((5, 0, 5), (5, 5, 5), WALL).put("torch:1", (6, 4, 5)).put("torch:2", (4, 4, 5))
    plan.box((1, 3, 1), (9, 3, 1), "planks").put("chest:3", (2, 4, 1))
    plan.put("ladder:2", (9, 1, 2), (9, 2, 2), (9, 3, 2)).put("chest:3", (8, 1, 9))
    plan.box((5, 1, 0), (5, 2, 0), "air").box((5, 1, 10), (5, 2, 10), "air")
    return plan.box((0, 1, 5), (0, 2, 5), "air").box((10, 1, 5), (10, 2, 5), "air")


def passage(long: int, seed: int) -> Plan:
    """Along z, three wide, a torch in its middle, an altar chest at its side."""
    plan = walled(5, 5, long, seed).box((1, 1, 0), (3, 3, long - 1), "air")
    plan.put("torch:1", (1, 3, long // 2)).put("torch:2", (3, 3, long // 2 + 2))
    return plan


def altar(long: int) -> Plan:
    plan = passage(long, 60)
    plan.box((3, 1, 2), (3, 1, 4), WALL).put("stone_slab:5", (3, 1, 2), (3, 1, 4))
    return plan.put("chest:4", (3, 2, 3))


def layout(eyes: int) -> list[Piece]:
    def part(plan: Plan, at: tuple[int, int, int], table: str = "stronghold_corridor") -> Piece:
        return Piece(plan, at, table=table)

    return [
        part(portal_room(eyes), (-5, 0, -10)),
        part(altar(12), (-2, 0, -22)),
        part(store(), (-5, 0, -33), "stronghold_crossing"),
        part(passage(14, 50), (-2, 0, -47)),
        part(library().turned(2), (-7, 0, -62), "stronghold_library"),
        part(cells().turned(1), (6, 0, -30)),
        part(altar(12).turned(1), (-17, 0, -30)),
    ]


KIND = Kind(
    "stronghold", [layout(eyes) for eyes in (0, 0x041, 0x208)], placement="ring", heights=(18, 34)
)
