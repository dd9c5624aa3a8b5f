"""Witches' huts in swamps: spruce planks on four logs, a cauldron, a mushroom in a pot."""

from voxeldojo.engine.structures.plans import Kind, Piece, Plan


def hut() -> Plan:
    plan = Plan(7, 7, 9).box((1, 2, 1), (5, 2, 7), "planks:1")
    plan.room((1, 2, 2), (5, 5, 7), "planks:1").box((1, 5, 1), (5, 5, 8), "planks:1")
    for x in (1, 5):
        for z in (2, 7):
            plan.box((x, 0, z), (x, 4, z), "log")
    plan.box((2, 3, 2), (2, 4, 2), "fence").put("air", (3, 3, 2), (3, 4, 2), (1, 4, 5), (5, 4, 5))
    plan.put("fence", (2, 3, 1), (4, 3, 1)).put("flower_pot", (1, 4, 5))
    plan.put("crafting_table", (3, 3, 6)).put("cauldron", (4, 3, 6))
    plan.box((0, 5, 0), (6, 5, 0), "spruce_stairs:2").box((0, 5, 8), (6, 5, 8), "spruce_stairs:3")
    return plan.lives("witch", 3.5, 3.0, 4.5)


KIND = Kind(
    "witch_hut",
    [[Piece(hut(), (-3, 1, -4), foundation="log")]],
    ["swampland"],
)
