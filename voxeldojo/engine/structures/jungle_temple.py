"""Jungle temples: mossy walls, two chests, arrows in dispensers."""

from voxeldojo.engine.structures.plans import Kind, Piece, Plan


def temple() -> Plan:
    plan = Plan(12, 14, 15)
    plan.room((0, 0, 0), (11, 4, 14), "cobblestone").room((0, 4, 0), (11, 8, 14), "cobblestone")
    plan.room((2, 8, 2), (9, 11, 12), "cobblestone").box((3, 8, 3), (8, 8, 11), "air")
    plan.box((1, 8, 1), (10, 8, 1), "cobblestone").box((1, 8, 13), (10, 8, 13), "cobblestone")
    plan.box((4, 11, 4), (7, 12, 10), "cobblestone")
    # The way in and the stairs down.
    plan.box((5, 5, 0), (6, 7, 0), "air").box((5, 4, 9), (6, 4, 12), "air")
    for step in range(4):
        plan.box((5, 4 - step, 9 + step), (6, 4 - step, 9 + step), "stone_stairs:3")
    plan.box((2, 1, 6), (9, 3, 6), "cobblestone").box((3, 1, 6), (3, 2, 6), "air")
    plan.put("dispenser:3", (9, 2, 1), (3, 2, 1)).put("tripwire_hook:3", (1, 1, 4))
    plan.put("tripwire_hook:1", (10, 1, 4)).box((2, 1, 4), (9, 1, 4), "tripwire")
    plan.put("chest:3", (8, 1, 2)).put("chest:2", (2, 1, 12)).put("sticky_piston:1", (9, 1, 11))
    plan.put("lever", (9, 2, 12)).mixed_in("mossy_cobblestone", "cobblestone", 0.6, 70)
    return plan.put("vine:4", (4, 6, 13), (7, 3, 13))


KIND = Kind(
    "jungle_temple",
    [[Piece(temple(), (-6, -4, -7), foundation="cobblestone", table="jungle_temple")]],
    ["jungle", "jungle_hills"],
)
