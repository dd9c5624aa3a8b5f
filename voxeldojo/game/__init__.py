"""One world played as a client of the game plays it: a tick at a time, with keys and commands.

The Malmo server and our own ``make()`` are both made of this; they differ in their interface.
"""

from voxeldojo.game.game import Game
from voxeldojo.game.info import told_of
from voxeldojo.game.pressed_keys import STILL, Keys
from voxeldojo.game.scope import NotInThisWorld

__all__ = ["STILL", "Game", "Keys", "NotInThisWorld", "told_of"]
