"""The Nether: `generate.py` fills a rectangle of it, with the rock of `caverns.py` and what grows
and lies there by `dressing.py`."""
