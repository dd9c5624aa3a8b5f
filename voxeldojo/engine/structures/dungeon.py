"""Dungeons: rooms of mossy cobblestone around a spawner, beside caves."""

from voxeldojo.engine.structures.plans import Kind, Piece, Plan

SPAWNERS = (1, 1, 2, 3)  # zombies twice as often as skeletons or spiders


def room(spawner: int, wide: int, deep: int, seed: int) -> Plan:
    plan = Plan(wide, 6, deep)
    plan.room((0, 0, 0), (wide - 1, 5, deep - 1), "cobblestone")
    plan.box((0, 0, 0), (wide - 1, 0, deep - 1), "mossy_cobblestone")
    plan.mixed_in("cobblestone", "mossy_cobblestone", 0.3, seed)
    # Openings to the cave it was dug beside.
    plan.box((0, 1, deep // 2), (0, 2, deep // 2), "air")
    plan.box((wide // 2, 1, deep - 1), (wide // 2, 2, deep - 1), "air")
    plan.put(f"mob_spawner:{spawner}", (wide // 2, 1, deep // 2))
    return plan.put("chest:3", (wide // 2 - 1, 1, 1)).put("chest:4", (wide - 2, 1, deep // 2))


LAYOUTS = [
    [
        Piece(
            room(mob, 7 + 2 * (number % 2), 9 - 2 * (number // 2), number),
            (0, -1, 0),
            table="dungeon",
        )
    ]
    for number, mob in enumerate(SPAWNERS)
]
KIND = Kind("dungeon", LAYOUTS, placement="cave", spacing=1, separation=0, chance=0.7)
