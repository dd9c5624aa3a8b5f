"""The embedded world: compiled kernels of Minecraft's rules, as far as MineDojo's interface shows
them.

`embedded_world.py` is the world that others use. `state.py` has the arrays of a batch of worlds,
`rulebook.py` the rules as arrays, `batch.py` what the parts of the engine may use of a batch,
`enough_memory.py` makes one where memory suffices, `checked_rows.py` checks which worlds of it are
named, and `copying.py` copies a world. `stepping.py` is one action in all worlds. Kernels read and
write blocks by `grid.py`, change them by `block_changes.py`, follow rays by `rays.py` and draw
random numbers by `chance.py`. `fingerprint.py` shows whether two versions of the world are the
same.

`terrain` and `structures` generate the world, `scene` adds what a task asks for. `body` and `hands`
are the player, `mobs` all other creatures, `motion` what blocks do by themselves. `observation` and
`picture` show the world. `compiling` is how kernels are compiled, `threads` work in several
threads.
"""

from voxeldojo.engine.compiling.first_compilation import report_first_compilation
from voxeldojo.engine.compiling.stale_kernels import discard_stale_kernels

discard_stale_kernels()
report_first_compilation()

from voxeldojo.engine.embedded_world import EmbeddedWorld  # noqa: E402  (needs fresh ones)

__all__ = ["EmbeddedWorld"]
