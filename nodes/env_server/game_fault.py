"""A fault of a game's own code, told from what the env server refuses."""

from collections.abc import Iterator
from contextlib import contextmanager

from worlds.play import WorldError
from worlds.registry import cause, own_line


class Refusal(ValueError):
    """A request is refused for something that shows only while a game is played: it names something
    unknown, or a number that is not finite comes of it."""


class GameFault(RuntimeError):
    """A game failed while it was played."""


@contextmanager
def playing(game: str) -> Iterator[None]:
    """Where a game is only played: what a caller names was looked at before, so that a ValueError
    is no refusal but a fault of the game. It is raised on as one, and so is whatever else comes
    out of the game's own files. A program may have taken the memory that they then lack."""
    try:
        yield
    except (Refusal, GameFault, WorldError, MemoryError, SystemError):
        raise
    except Exception as error:
        if not isinstance(error, ValueError) and not own_line(game, error):
            raise
        raise GameFault(f"the game failed by {cause(game, error)}") from error
