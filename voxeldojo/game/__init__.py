"""One world that is played like the game itself: tick by tick, with keys and commands.

The Malmo server and our own ``make()`` both use it; they differ in their interface.

`game.py` is the game, a tick at a time, with the keys of `pressed_keys.py`; `picking.py` is the
pick key. `single_world.py` is the world under it, which `scope.py` makes for a task's settings and
`village_start.py` begins in a village. `commands` are the chat commands. `info.py` is the raw state
as MineDojo's Java side sends it, `statistics.py` the game's statistics, which `journal.py` writes
tick by tick.
"""

from voxeldojo.game.game import Game
from voxeldojo.game.info import java_names_of
from voxeldojo.game.pressed_keys import STILL, Keys
from voxeldojo.game.scope import NotInThisWorld

__all__ = ["STILL", "Game", "Keys", "NotInThisWorld", "java_names_of"]
