"""What a task adds to a world before its first tick: items, drawings and mobs.

`staging.py` sets up an episode, `start_inventory.py` has the player's items, `drawing.py` Malmo's
drawings, which `markup.py` parses, and `box.py` draws random places.
"""
