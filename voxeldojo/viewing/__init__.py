"""Pictures of the embedded world, and playing in it by hand.

`view.py` draws a picture, `gallery.py` those of the docs, as files by `png.py`. `by_hand.py` lets a
person play, `in_terminal.py` or in a `browser.py` page (page.html), with the keys of `hands.py`.
`shown_world.py` makes the world to look at.
"""
