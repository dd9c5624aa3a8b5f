"""Desert temples: a pyramid over a shaft with four chests and a trap of TNT."""

from voxeldojo.engine.structures.plans import Kind, Piece, Plan

SIDE = 21
DEEP = 14  # blocks of shaft under the floor
ORANGE, BLUE = "stained_hardened_clay:1", "stained_hardened_clay:11"


def temple() -> Plan:
    plan = Plan(SIDE, DEEP + 15, SIDE)
    floor = DEEP
    for step in range(10):
        low, high = step, SIDE - 1 - step
        plan.room((low, floor + step, low), (high, floor + step + 1, high), "sandstone")
        plan.box(
            (low + 1, floor + step + 1, low + 1), (high - 1, floor + step + 1, high - 1), "air"
        )
    plan.box((0, floor, 0), (SIDE - 1, floor, SIDE - 1), "sandstone")
    for x in (0, SIDE - 5):
        plan.room((x, floor, 0), (x + 4, floor + 9, 4), "sandstone:2")
        plan.box((x, floor + 10, 0), (x + 4, floor + 10, 4), "sandstone:1")
        plan.put(ORANGE, (x + 2, floor + 6, 0), (x + 1, floor + 5, 0), (x + 3, floor + 5, 0))
        plan.put(BLUE, (x + 2, floor + 5, 0))
    plan.box((8, floor + 1, 0), (12, floor + 5, 1), "sandstone:2")
    plan.box((9, floor + 1, 0), (11, floor + 3, 3), "air")
    # The floor's pattern, its middle over the shaft.
    for away in range(1, 4):
        plan.put(ORANGE, (10 - away, floor, 10), (10 + away, floor, 10))
        plan.put(ORANGE, (10, floor, 10 - away), (10, floor, 10 + away))
    plan.put(BLUE, (10, floor, 10))
    plan.room((8, 0, 8), (12, floor - 1, 12), "sandstone:2")
    plan.box((9, 2, 9), (11, floor - 1, 11), "air")
    plan.room((7, 0, 7), (13, 5, 13), "sandstone:2").box((9, 5, 9), (11, 5, 11), "air")
    plan.box((9, 0, 9), (11, 0, 11), "tnt").box((8, 1, 8), (12, 1, 12), "sandstone:2")
    plan.put("stone_pressure_plate", (10, 2, 10))
    plan.put("chest:4", (12, 2, 10)).put("chest:5", (8, 2, 10))
    return plan.put("chest:2", (10, 2, 12)).put("chest:3", (10, 2, 8))


KIND = Kind(
    "desert_temple",
    [[Piece(temple(), (-10, -DEEP, -10), foundation="", table="desert_temple")]],
    ["desert", "desert_hills", "desert_m"],
)
