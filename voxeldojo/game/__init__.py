"""One world that is played like the game itself: tick by tick, with keys and commands.

The Malmo server and our own ``make()`` both use it; they differ in their interface.
"""

from voxeldojo.game.game import Game
from voxeldojo.game.info import java_names_of
from voxeldojo.game.pressed_keys import STILL, Keys
from voxeldojo.game.scope import NotInThisWorld

__all__ = ["STILL", "Game", "Keys", "NotInThisWorld", "java_names_of"]
