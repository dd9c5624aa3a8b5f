"""Nether fortresses: bridges on pillars, blazes' platforms, gardens of wart, halls with chests."""

from voxeldojo.engine.structures.plans import Kind, Piece, Plan

BRICK, FENCE = "nether_brick", "nether_brick_fence"
LONG = 19


def bridge() -> Plan:
    """Along x, on a pillar."""
    plan = Plan(LONG, 6, 5).box((0, 0, 0), (LONG - 1, 1, 4), BRICK)
    plan.box((0, 2, 0), (LONG - 1, 5, 4), "air")
    for z in (0, 4):
        plan.box((0, 2, z), (LONG - 1, 2, z), BRICK)
    return plan


def pillar() -> Plan:
    return Plan(3, 2, 5).box((0, 0, 0), (2, 1, 4), BRICK)


def crossing() -> Plan:
    plan = Plan(LONG, 9, LONG).box((7, 0, 0), (11, 1, 18), BRICK).box((0, 0, 7), (18, 1, 11), BRICK)
    plan.box((7, 2, 0), (11, 7, 18), "air").box((0, 2, 7), (18, 7, 11), "air")
    plan.room((6, 0, 6), (12, 8, 12), BRICK)
    plan.box((8, 2, 6), (10, 4, 12), "air").box((6, 2, 8), (12, 4, 10), "air")
    return plan.box((7, 1, 7), (11, 1, 11), BRICK)


def platform() -> Plan:
    """Steps up to a spawner of blazes within a fence."""
    plan = Plan(11, 9, 9).box((0, 0, 0), (10, 1, 8), BRICK).box((0, 2, 0), (10, 8, 8), "air")
    for step in range(3):
        plan.box((step, 2 + step, 2), (10, 2 + step, 6), BRICK)
        plan.box((step, 2 + step, 3), (step, 2 + step, 5), "nether_brick_stairs:0")
    plan.box((4, 5, 1), (10, 5, 7), FENCE).box((4, 5, 2), (9, 5, 6), "air")
    plan.box((3, 4, 1), (10, 4, 7), BRICK).box((3, 2, 1), (10, 3, 1), BRICK)
    plan.box((3, 2, 7), (10, 3, 7), BRICK)
    plan.put("mob_spawner:6", (7, 5, 4))
    return plan.lives("blaze", 6.5, 6.0, 4.5).lives("blaze", 8.5, 6.0, 3.5)


def hall(long: int, chest: bool) -> Plan:
    """A covered way along x with windows of fence."""
    plan = Plan(long, 7, 5).box((0, 0, 0), (long - 1, 6, 4), BRICK)
    plan.box((0, 2, 1), (long - 1, 5, 3), "air")
    for x in range(2, long - 1, 4):
        plan.box((x, 3, 0), (x, 4, 0), FENCE).box((x, 3, 4), (x, 4, 4), FENCE)
    if chest:
        plan.put("chest:3", (long // 2, 2, 1))
    return plan.lives("wither_skeleton", long / 2, 2.0, 2.5)


def garden() -> Plan:
    """Nether wart on soul sand on both sides of a stair."""
    plan = Plan(13, 10, 13).room((0, 0, 0), (12, 9, 12), BRICK).box((0, 0, 0), (12, 1, 12), BRICK)
    for z in (2, 8):
        plan.box((2, 1, z), (10, 1, z + 2), "soul_sand").box(
            (2, 2, z), (10, 2, z + 2), "nether_wart:3"
        )
    plan.box((0, 2, 5), (0, 4, 7), "air").box((12, 2, 5), (12, 4, 7), "air")
    plan.box((3, 7, 0), (9, 8, 0), FENCE).box((3, 7, 12), (9, 8, 12), FENCE)
    return plan.put("lava", (6, 2, 6)).put("chest:2", (1, 2, 11))


def part(plan: Plan, at: tuple[int, int, int], turns: int = 0, stands: bool = False) -> Piece:
    return Piece(plan.turned(turns), at, foundation=BRICK if stands else "", table="fortress")


def layouts() -> list[list[Piece]]:
    span, post, cross, blazes = bridge(), pillar(), crossing(), platform()
    store, way, warts = hall(15, True), hall(11, False), garden()
    first = [
        part(cross, (-9, 0, -9)),
        part(span, (10, 0, -2)),
        part(span, (-28, 0, -2)),
        part(span, (-2, 0, 10), 1),
        part(span, (-2, 0, -28), 1),
        *(part(post, (x, -2, -2), 0, True) for x in (0, 18, 27, -20, -28)),
        *(part(post, (-2, -2, z), 1, True) for z in (18, 27, -20, -28)),
        part(blazes, (29, 0, -4)),
        part(way, (-39, 0, -2)),
        part(warts, (-52, 0, -6)),
        part(store, (-2, 0, 29), 1),
        part(warts, (-6, 0, 44), 1),
        part(store, (-2, 0, -43), 1),
        part(blazes, (-4, 0, -54), 3),
    ]
    second = [
        part(cross, (-9, 0, -9)),
        part(span, (10, 0, -2)),
        part(cross, (29, 0, -9)),
        part(span, (36, 0, 10), 1),
        part(blazes, (34, 0, 29), 1),
        part(store, (48, 0, -2)),
        part(warts, (63, 0, -6)),
        part(way, (-20, 0, -2)),
        part(warts, (-33, 0, -6)),
        part(span, (-2, 0, -28), 1),
        part(blazes, (-4, 0, -39), 3),
        *(part(post, (x, -2, -2), 0, True) for x in (0, 18, 38)),
        *(part(post, (-2, -2, z), 1, True) for z in (-18, -28)),
    ]
    return [first, second]


KIND = Kind(
    "fortress",
    layouts(),
    [],
    dimension="nether",
    spacing=16,
    separation=8,
    chance=1.0 / 3.0,
    heights=(48, 70),
)
