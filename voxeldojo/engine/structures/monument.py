"""Ocean monuments: prismarine under water around a core of gold, guarded by three elders. Guardians
spawn in it (mobs/spawning_in_water.py)."""

from voxeldojo.engine.structures.plans import Kind, Piece, Plan

SIDE = 58
BRICK, ROUGH, DARK, LAMP = "prismarine:1", "prismarine", "prismarine:2", "sea_lantern"
LOW = 39  # y of its floor


def monument() -> Plan:
    plan = Plan(SIDE, 23, SIDE).box((0, 0, 0), (57, 0, 57), ROUGH)
    plan.box((0, 1, 0), (57, 22, 57), None)
    # Wings and the house in the middle, each a hollow box full of water.
    parts = (
        ((1, 0, 22), (20, 5, 56)),
        ((37, 0, 22), (56, 5, 56)),
        ((14, 0, 14), (43, 9, 50)),
        ((19, 9, 20), (38, 15, 44)),
        ((23, 15, 26), (34, 20, 38)),
    )
    for low, high in parts:
        plan.room(low, high, BRICK, "water").box(
            (low[0], high[1], low[2]), (high[0], high[1], high[2]), ROUGH
        )
        for x in (low[0], high[0]):
            for z in (low[2], high[2]):
                plan.box((x, low[1], z), (x, high[1], z), DARK).put(LAMP, (x, high[1], z))
    # Floors with rooms of eight blocks, doors between them.
    for x in range(14, 44, 8):
        plan.box((x, 1, 15), (x, 8, 49), BRICK)
        for z in range(18, 50, 8):
            plan.box((x, 1, z), (x, 4, z + 2), "water")
    for z in range(22, 50, 8):
        plan.box((15, 1, z), (42, 8, z), BRICK)
        for x in range(17, 43, 8):
            plan.box((x, 1, z), (x + 2, 4, z), "water")
    for x in range(18, 43, 8):
        for z in range(18, 50, 8):
            plan.put(LAMP, (x, 8, z))
    # The way in, the core and two rooms of wet sponges.
    plan.box((26, 1, 14), (31, 5, 16), "water").box((26, 8, 24), (31, 15, 40), "water")
    plan.room((25, 2, 26), (32, 8, 33), DARK, "water").box((27, 3, 28), (30, 6, 31), DARK)
    plan.box((28, 4, 29), (29, 5, 30), "gold_block").box((28, 2, 26), (29, 4, 26), "water")
    for x in (16, 38):
        plan.box((x, 5, 44), (x + 3, 7, 48), "sponge:1").mixed_in("water", "sponge:1", 0.4, 90)
    for x, z in ((28.5, 30.5), (10.5, 40.5), (46.5, 40.5)):
        plan.lives("elder_guardian", x, 10.0 if x == 28.5 else 2.0, z)
    return plan


# It stands in the sea, on pillars where the bottom lies lower.
KIND = Kind(
    "monument",
    [[Piece(monument(), (-29, 0, -29), foundation=ROUGH)]],
    ["deep_ocean"],
    separation=5,
    heights=(LOW, LOW),
    turns=False,
)
