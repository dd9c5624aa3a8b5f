"""Mobs: their kinds, movement and behaviour, and fights between them and the player.

What there is: `table.py` has the rules of mobs as arrays, `kinds.py` the numbers of kinds with
rules of their own.

Coming and going: `herds.py` come with the ground, `spawning.py`, `spawning_in_water.py` and
`spawn_lists.py` spawn mobs later, `built.py` are those that the player builds, and `placing.py`
adds and removes one.

A tick: `living.py` calls the rest. `senses.py` is what a mob sees, `minding.py` decides,
`walking.py`, `hopping.py`, `flying.py` and `teleporting.py` move it, `fighting.py` attacks,
`shots.py` fly, `suffering.py` is harm by the surroundings, `carrying.py` an enderman's block and
`dragon.py` the ender dragon.

The player's part: `aim.py` finds the mob under the crosshair, `striking.py` hits it with one of
`weapons.py`, `wounds.py` is the damage and the drops, `using.py` milks, shears, feeds and tames.
"""
