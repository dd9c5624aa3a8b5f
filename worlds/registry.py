"""Games by their name: ours, and those that other packages register.

A game is a package with the modules ``card``, which has ``CARD``, and ``play``, which has ``PLAY``.
Another distribution adds one by an entry point of the group ``rlgpt.games``:
``toy = "my_package.toy"``.
"""

import importlib
import os
import sys
import traceback
from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from typing import TypeVar

from worlds.card import Card
from worlds.card_check import card_problem
from worlds.play import Play

GROUP = "rlgpt.games"
OURS = {"minecraft": "worlds.minecraft", "crafter": "worlds.crafter"}


Part = TypeVar("Part", Card, Play)


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
    return _part(name, "card", "CARD", Card, lambda found: card_problem(name, found))


@cache
def play(name: str) -> Play:
    """What the env server has to know of a game.

    Raises:
        GameError: there is no such game, a package that it needs is not installed, or its play
            cannot be loaded.
    """
    return _part(name, "play", "PLAY", Play, lambda found: found.problem())


def unplayable(name: str) -> str:
    """Why a game cannot be played here, as a sentence; empty if it can. It loads the game's play,
    for those who only ask before an env server does."""
    try:
        card(name)
        play(name)
    except GameError as error:
        return str(error)
    return ""


def _part(
    name: str, module: str, attribute: str, kind: type[Part], problem: Callable[[Part], str]
) -> Part:
    """``attribute`` of a module of a game. Whatever is raised as it is loaded, and as ``problem``
    looks at it, is a fault of this game and stops no other."""
    known = games()
    if name not in known:
        raise GameError(f"there is no game {name!r}; there are {', '.join(known)}")
    package = known[name]
    where = f"{package}.{module}"
    try:
        found = getattr(importlib.import_module(where), attribute, None)
        wrong = problem(found) if isinstance(found, kind) else ""
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
    except (Exception, SystemExit) as error:
        raise _unloadable(name, package, error) from None
    if found is None:
        raise GameError(f"the game {name!r} has no {module}: {where} has no {attribute}")
    if not isinstance(found, kind):
        is_what = f"{attribute} is {type(found).__name__}, no {kind.__name__}"
        raise GameError(f"the game {name!r} has no {module}: {is_what}")
    if wrong:
        raise GameError(f"the game {name!r} cannot be loaded: {wrong}")
    return found


def _unloadable(name: str, package: str, error: BaseException) -> GameError:
    return GameError(f"the game {name!r} cannot be loaded: {_cause(package, error)}")


def cause(name: str, error: BaseException) -> str:
    """An exception of a game that is played, in words, with the innermost line of the game's own
    files that led there."""
    return _cause(_played(name), error)


def own_line(name: str, error: BaseException) -> str:
    """The innermost line of the game's own files that led to an exception; empty if none did."""
    return _own_line(_played(name), error)


def _played(name: str) -> str:
    """The package of a game whose play is loaded: entry points cannot be read in the jail."""
    return type(play(name)).__module__


def _cause(package: str, error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        words, place = error.msg, f"{error.filename}, line {error.lineno}"
    else:
        words, place = str(error), _own_line(package, error)
    found = f"{type(error).__name__}: {' '.join(words.split())}"
    return f"{found} ({place})" if place else found


def _own_line(package: str, error: BaseException) -> str:
    top = package.partition(".")[0]
    folders = getattr(sys.modules.get(top), "__path__", ())
    # The package itself may be what cannot be loaded.
    own = [f"{folder}{os.sep}" for folder in folders] or [f"{os.sep}{top}{os.sep}"]
    places = [
        f"{frame.filename}, line {frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if any(folder in frame.filename for folder in own)
    ]
    return places[-1] if places else ""
