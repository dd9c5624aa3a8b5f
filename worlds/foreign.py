"""Names by which a program of another game is known."""

from functools import cache

from worlds.language import Language
from worlds.registry import GameError, card, games


@cache
def other_games(language: Language) -> dict[str, str]:
    """Names that programs of other games use and this language has not, each with its game: who
    uses one has written for that game."""
    found: dict[str, str] = {}
    for game in games():
        if game == language.game:
            continue
        try:
            other = card(game).language
        except GameError:
            continue  # a game that is not installed, or not whole: nothing is written for it here
        for name in other.names | other.helpers:
            if name not in language.names | language.helpers:
                found.setdefault(name, game)
    return found
