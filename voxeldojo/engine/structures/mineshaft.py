"""Mineshafts: corridors of planks and fences with rails, webs, cave spiders and chests."""

from voxeldojo.engine.structures.plans import Kind, Piece, Plan

LONG = 20


def corridor(seed: int, nest: bool = False, chest: bool = False) -> Plan:
    """A stretch along x, three blocks wide, with a support every five."""
    plan = Plan(LONG, 4, 5, None)
    plan.box((0, 0, 1), (LONG - 1, 0, 3), "planks")
    plan.box((0, 1, 1), (LONG - 1, 3, 3), "air")
    for x in range(2, LONG, 5):
        for z in (1, 3):
            plan.box((x, 1, z), (x, 2, z), "fence")
        plan.box((x, 3, 1), (x, 3, 3), "planks")
        plan.put("torch:1", (x + 1, 3, 2)).put("web", (x - 1, 3, 1), (x + 2, 3, 3))
    plan.box((0, 1, 2), (LONG - 1, 1, 2), "rail:1").mixed_in("air", "rail:1", 0.3, seed)
    if nest:
        plan.box((8, 1, 1), (12, 2, 3), "web").put("mob_spawner:4", (10, 1, 2))
        plan.mixed_in("air", "web", 0.25, seed)
    if chest:
        plan.put("chest:3", (14, 1, 1))
    return plan


def hall() -> Plan:
    """The dirt room where the mine was begun."""
    plan = Plan(11, 6, 11, None).box((0, 0, 0), (10, 0, 10), "dirt")
    return plan.box((0, 1, 0), (10, 5, 10), "air").box((5, 1, 5), (5, 1, 5), "torch:5")


def stairs() -> Plan:
    """Down eight blocks along x."""
    plan = Plan(9, 12, 3, None)
    for step in range(9):
        plan.box((step, 8 - step, 0), (step, 8 - step, 2), "planks")
        plan.box((step, 9 - step, 0), (step, 11 - step, 2), "air")
    return plan


def layouts() -> list[list[Piece]]:
    plain, nest, stocked, other = (
        corridor(1),
        corridor(2, nest=True),
        corridor(3, chest=True),
        corridor(4, chest=True),
    )
    steps = stairs()

    def run(plan: Plan, at: tuple[int, int, int], turns: int = 0) -> Piece:
        return Piece(plan.turned(turns), at, table="mineshaft")

    first = [
        run(hall(), (-5, 0, -5)),
        run(plain, (6, 0, -2)),
        run(nest, (26, 0, -2)),
        run(stocked, (-25, 0, -2)),
        run(other, (-2, 0, 6), 1),
        run(plain, (-2, 0, 26), 1),
        run(stocked, (-2, 0, -25), 1),
        run(plain, (16, 0, 16)),
        run(other, (-22, 0, 36)),
        run(steps, (46, -8, -1)),
        run(stocked, (55, -8, -2)),
        run(plain, (44, -8, 1), 1),
        run(nest, (24, -8, 19)),
    ]
    second = [
        run(hall(), (-5, 0, -5)),
        run(stocked, (6, 0, -2)),
        run(nest, (-2, 0, 6), 1),
        run(plain, (-2, 0, 26), 1),
        run(other, (3, 0, 44)),
        run(plain, (23, 0, 44)),
        run(stocked, (-23, 0, 24)),
        run(steps, (26, -8, -1)),
        run(nest, (35, -8, -2)),
        run(other, (55, -8, -2)),
        run(plain, (-25, 0, -2)),
        run(plain, (-25, 0, -22), 1),
    ]
    return [first, second]


# The game tries every chunk at 0.4 %; one in each square of 16 x 16 chunks comes to the same.
KIND = Kind("mineshaft", layouts(), spacing=16, separation=2, heights=(22, 42))
