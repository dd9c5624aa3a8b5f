"""Games by their name: ours, and those that other packages register.

A game is a package with the modules ``card``, which has ``CARD``, and ``play``, which has ``PLAY``.
Another distribution adds one by an entry point of the group ``rlgpt.games``:
``toy = "my_package.toy"``.
"""

import importlib
import os
import traceback
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
        GameError: there is no such game, its card is not whole, or it cannot be loaded.
    """
    found = _part(name, "card", "CARD")
    if not isinstance(found, Card):
        raise GameError(f"the game {name!r} has no card: CARD is {type(found).__name__}, no Card")
    for path, what in (
        (found.language.stub, "the stub of its language"),
        (found.prompts / "environment.jinja", "the prompt that describes it"),
    ):
        if not path.is_file():  # read by other nodes, long after a launch has begun
            raise GameError(f"the game {name!r} cannot be loaded: {what} is not there ({path})")
    if wrong := _misnamed(name, found):
        raise GameError(f"the game {name!r} cannot be loaded: {wrong}")
    return found


@cache
def play(name: str) -> Play:
    """What the env server has to know of a game.

    Raises:
        GameError: there is no such game, a package that it needs is not installed, or its play
            cannot be loaded.
    """
    found = _part(name, "play", "PLAY")
    if not isinstance(found, Play):
        raise GameError(f"the game {name!r} has no play: PLAY is {type(found).__name__}, no Play")
    return found


def unplayable(name: str) -> str:
    """Why a game cannot be played here, as a sentence; empty if it can. It loads the game's play,
    for those who only ask before an env server does."""
    try:
        card(name)
        play(name)
    except GameError as error:
        return str(error)
    return ""


def _misnamed(name: str, card: Card) -> str:
    """What of a card is not called as others will ask for it; empty if nothing is."""
    if card.name != name:
        return f"its card is called {card.name!r}; give the card the name of its entry point"
    for key, feature in card.specs.features.items():
        if feature.name != key:
            return f"the feature {feature.name!r} stands under the name {key!r}; give it one name"
    for action in card.specs.actions:
        if not isinstance(action, str):
            return f"its actions have {action!r}, which is no text; write '{action}'"
    return ""


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
        if "." in lacking:  # its package is there
            raise _unloadable(name, package, missing) from None
        raise GameError(
            f"the game {name!r} needs the package {lacking!r}, which is not installed: "
            f"pip install {lacking}"
        ) from None
    except TypeError as lacking:  # a part that was not given
        raise GameError(f"the game {name!r}: its {module} is not whole: {lacking}") from None
    except Exception as error:  # whatever it is, it is a fault of this game and of no other
        raise _unloadable(name, package, error) from None
    if not hasattr(found, attribute):
        raise GameError(f"the game {name!r} has no {module}: {where} has no {attribute}")
    return getattr(found, attribute)


def _unloadable(name: str, package: str, error: Exception) -> GameError:
    """With the innermost line of the game's own files that led there."""
    own = f"{os.sep}{package.partition('.')[0]}{os.sep}"
    frames = traceback.extract_tb(error.__traceback__)
    places = [(each.filename, each.lineno) for each in frames if own in each.filename]
    words = str(error)
    if isinstance(error, SyntaxError) and error.filename:
        words, places = error.msg, [(error.filename, error.lineno)]
    cause = f"{type(error).__name__}: {' '.join(words.split())}"
    if places:
        cause += " ({}, line {})".format(*places[-1])
    return GameError(f"the game {name!r} cannot be loaded: {cause}")
