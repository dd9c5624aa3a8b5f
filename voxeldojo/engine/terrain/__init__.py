"""The endless overworld from a seed: its ground, its plants, and the window around the player.

`generate.py` fills a rectangle: with the biomes of `climate.py`, the heights of `columns.py`, the
blocks of `ground.py`, the caves and ores of `underground`, and the plants of `plants.py` (on single
columns) and `planting.py` (`trees.py`, `big_trees.py`, `growths.py`, written by `pens.py`).
`flat_worlds.py` fills flat worlds, `nether` and `end` the other dimensions. `eight_blocks.py`
handles eight blocks of a column as one number.

`window.py` loads and moves the window, `keeping.py` stores the first one for the next reset, and
`spawn.py` chooses where the player starts.
"""
