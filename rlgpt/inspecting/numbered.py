"""What a word names among things that a command lists by number, each with an id."""

from collections.abc import Sequence
from typing import Protocol, TypeVar


class _Named(Protocol):
    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=_Named)


def named_by(word: str, listed: Sequence[T]) -> list[T]:
    """By its number in the list, from 1; else by its id; else by the end of its id. Digits are
    always a number, though ids end in digits, too."""
    if word.isdecimal():
        return [each for number, each in enumerate(listed, 1) if str(number) == word]
    same = [each for each in listed if each.id == word]
    return same or [each for each in listed if each.id.endswith(word)]
