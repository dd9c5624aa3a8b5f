"""What the method has to know of a game, one folder a game.

A game has two halves. Its *card* is open to every node: names, conditions, planning, the language
of programs, prompts, the rulebook. Its *play* is the env server's alone: the world itself and what
policies and programs see of it. `card` and `play` find them by the game's name.
"""

from worlds.registry import GameError, card, games, play

__all__ = ["GameError", "card", "games", "play"]
