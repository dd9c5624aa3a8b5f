"""Games by their name: ours, and those that other packages register.

A game is a package with the modules ``card``, which has ``CARD``, and ``play``, which has ``PLAY``.
Another distribution adds one by an entry point of the group ``rlgpt.games``:
``toy = "my_package.toy"``.
"""

import importlib
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from worlds.card import Card
from worlds.play import Play

GROUP = "rlgpt.games"
OURS = {"minecraft": "worlds.minecraft", "crafter": "worlds.crafter"}


class GameError(ValueError):
    """There is no such game, or it cannot be used; the message has what to do."""


def games() -> dict[str, str]:
    """The package of each game, by its name. Ours come first and cannot be replaced."""
    found = {point.name: point.value for point in entry_points(group=GROUP)}
    return {**OURS, **{name: where for name, where in found.items() if name not in OURS}}


@cache
def card(name: str) -> Card:
    """What every node may know of a game.

    Raises:
        GameError: there is no such game, or its card is not whole.
    """
    found = _part(name, "card", "CARD")
    if not isinstance(found, Card):
        raise GameError(f"the game {name!r} has no card: CARD is {type(found).__name__}, no Card")
    return found


@cache
def play(name: str) -> Play:
    """What the env server has to know of a game.

    Raises:
        GameError: there is no such game, or a package that it needs is not installed.
    """
    found = _part(name, "play", "PLAY")
    if not isinstance(found, Play):
        raise GameError(f"the game {name!r} has no play: PLAY is {type(found).__name__}, no Play")
    return found


def _part(name: str, module: str, attribute: str) -> Any:
    known = games()
    if name not in known:
        raise GameError(f"there is no game {name!r}; there are {', '.join(known)}")
    package = known[name]
    where = f"{package}.{module}"
    try:
        found = importlib.import_module(where)
    except ModuleNotFoundError as missing:
        lacking = missing.name or where
        if where == lacking or f"{package}.".startswith(f"{lacking}."):
            raise GameError(f"the game {name!r} has no {module}: there is no {where}") from None
        lacking = lacking.partition(".")[0]
        raise GameError(
            f"the game {name!r} needs the package {lacking!r}, which is not installed: "
            f"pip install {lacking}"
        ) from None
    except TypeError as lacking:  # a part that was not given
        raise GameError(f"the game {name!r}: its {module} is not whole: {lacking}") from None
    if not hasattr(found, attribute):
        raise GameError(f"the game {name!r} has no {module}: {where} has no {attribute}")
    return getattr(found, attribute)
