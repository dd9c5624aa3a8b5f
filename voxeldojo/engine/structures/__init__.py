"""Structures of the generated world: villages, mineshafts, temples and others. Kinds, spacing and
loot are Minecraft 1.11.2's; the plans are this project's own.

`plans.py` describes a kind of structure, `catalogue.py` has all of them as arrays, `places.py`
finds where they are, `build.py` draws them, `inhabitants.py` adds their mobs, and `loot.py` fills
chests. A kind each: `desert_temple.py`, `dungeon.py`, `end_city.py`, `fortress.py`, `igloo.py`,
`jungle_temple.py`, `mansion.py`, `mineshaft.py`, `monument.py`, `stronghold.py`, `village.py` and
`witch_hut.py`.
"""
