"""The player's hands: digging, placing, using, throwing, crafting.

`digging.py` breaks blocks, `placing.py` places and equips what a slot holds, `orienting.py` turns a
placed block, `using.py` is the use key, by the tables of `deeds.py`, and `fishing.py` what the rod
catches. `crafting.py` crafts and smelts. `items.py` has the inventory and items on the ground,
`slots.py` one slot, `hotbar.py` the slot in the hand, and `uses.py` counts how often an item was
used.
"""
