"""A fault of a game's own code, told from what the env server refuses."""

from collections.abc import Iterator
from contextlib import contextmanager


class Refusal(ValueError):
    """A request is refused for something that shows only while a game is played: it names something
    unknown, or a number that is not finite comes of it."""


class GameFault(RuntimeError):
    """A game failed while it was played."""


@contextmanager
def playing() -> Iterator[None]:
    """Where a game is only played: what a caller names was looked at before, so that a ValueError
    is no refusal but a fault of the game. It is raised on as one."""
    try:
        yield
    except Refusal:
        raise
    except ValueError as error:
        raise GameFault(f"the game failed by {type(error).__name__}: {error}") from error
