"""The player's view: one ray for each pixel, our own textures, and the heads-up display.

`batch_drawing.py` draws the pictures of a batch, `render.py` one of them: with `camera.py`,
`lightmap.py`, `sky.py`, `bodies.py` (mobs, shots, items), `hits.py` (on blocks that are no cubes),
`rainfall.py` and `heads_up.py`. `from_above.py` is a map of the ground around a player.

`block_styles.py`, `item_styles.py` and `mob_styles.py` are tables of how things look, `shapes.py`
and `mob_shapes.py` of their boxes. `painting.py` paints them, and `textures.py` makes arrays of
all.
"""
