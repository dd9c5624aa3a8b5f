"""Scripted players that show, through actions alone, that a task can be done in the embedded world.

They read the world's arrays, which a policy cannot. So they prove that the world allows a task, and
not how hard it is for a policy.

`demonstrate.py` plays tasks and records the outcome (demonstrations.json), by the script of
`scripts.py` for each kind of task. `player.py` is the scripted player: it reads and acts.

Getting items: `obtaining.py` gets any item, by `gathering.py`, `digging.py`, `felling.py`,
`farming.py`, `fishing.py`, `building.py` (placed blocks), `buckets.py` (water and lava),
`pickaxes.py` (under the ground) and the other ways of `hand_work.py`. `tech_tree_uses.py` uses
items.

Going: `going.py` goes somewhere, by a way of `paths.py` over the ground of `footing.py`.
`diving.py` swims, `travelling.py` goes far and `dimensions.py` to the Nether.

Mobs: `hunting.py` finds and strikes them, `fighting.py` fights those that fight back,
`fireballs.py` ghasts, `sea_battles.py` and `sea_fort.py` guardians. `running_away.py`,
`digging_out.py` (a creeper in a hole) and `sheltering.py` keep the player alive.
"""
