"""Igloos: a dome of snow; half of them have a cellar with a chest."""

from voxeldojo.engine.structures.plans import Kind, Piece, Plan, drawn

DOME = """
  sss
 sssss
sssssss
sssssss
sssssss
 sssss
  sss
   s

  sss
 s...s
s.b..fs
s.B...s
s....cs
 s...s
  s.s
  s.s

  sss
 s...s
i.....i
i.....s
s....ts
 s...s
  s.s
  s.s

   s
  sss
 ss.ss
 s...s
 ss.ss
  sss
  sss
   s


   s
  sss
   s
"""
LEGEND = {
    "s": "snow",
    "i": "ice",
    "b": "bed:10",
    "B": "bed:2",
    "f": "furnace:4",
    "c": "crafting_table",
    "t": "redstone_torch:5",
}


def cellar() -> Plan:
    """A room with a villager behind bars and a chest, a ladder's shaft over it."""
    plan = Plan(7, 22, 9).room((0, 0, 0), (6, 4, 8), "stonebrick")
    plan.mixed_in("monster_egg:2", "stonebrick", 0.1, 80).box((1, 1, 1), (5, 3, 7), "air")
    plan.box((1, 1, 3), (5, 3, 3), "iron_bars").put("chest:2", (1, 1, 7))
    plan.put("brewing_stand", (5, 1, 6)).put("torch:5", (1, 1, 5))
    plan.room((2, 4, 5), (4, 21, 7), "stonebrick").box((3, 4, 6), (3, 20, 6), "air")
    plan.box((3, 1, 6), (3, 20, 6), "ladder:2").box((3, 1, 7), (3, 3, 7), "stonebrick")
    plan.put("trapdoor", (3, 21, 6))
    return plan.lives("villager", 2.5, 1.0, 1.5).lives("zombie_villager", 4.5, 1.0, 1.5)


PLAN = drawn(DOME, LEGEND)
TOP = Piece(PLAN, (-3, 0, -4), foundation="snow")
KIND = Kind(
    "igloo",
    [[TOP], [TOP, Piece(cellar(), (-3, -21, -6), table="igloo")]],
    ["ice_plains", "cold_taiga"],
)
