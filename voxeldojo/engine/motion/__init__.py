"""Changes of blocks by themselves: light, fluids, falling blocks, growth, fire, explosions,
portals.

`consequences.py` follows each changed block: it is lit, and `waking.py` schedules updates for it
and its neighbours. `scheduled.py` keeps these, and `due.py` runs those whose tick has come.
`table.py` has the rules by block.

`light.py`, `fluids.py`, `falling.py`, `growth.py`, `trees.py` (from saplings), `burning.py`,
`explosions.py`, `trampling.py` (of farmland) and `raining.py` are named after what they do.
`standing.py` decides whether a block has the support that it needs, and `support.py` breaks it if
not. `portals.py` lights and breaks portals, `travel.py` leads through them, and `end_of_dragon.py`
opens the last one.
"""
