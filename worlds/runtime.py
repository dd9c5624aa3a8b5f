"""What carries out a game's language of programs, in the env server."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from worlds.language import Language

Code = int | tuple[str, str]
"""A primitive as programs yield it: a row of ``Runtime.vectors``, or ``(verb, argument)`` where the
vector depends on what the world shows in that moment."""


class Worked(NamedTuple):
    """What a function of a game returns whose work differs much from call to call: what it found,
    and how many elements it looked at, for which the program pays."""

    found: Any
    elements: int


class Observations(Protocol):
    """What programs see of all environments of a batch at one step."""

    def row(self, environment: int, steps: int) -> Any:
        """The observation of one environment; ``steps``: that the run has taken."""
        ...

    def expire(self) -> None:
        """The world moves on: what was not kept can no longer be read."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Runtime:
    """A language and what its names stand for."""

    language: Language
    functions: Mapping[str, Callable[..., Any]]
    """The functions by the names of ``language.functions``; they raise what a program may catch,
    and may return `Worked`."""
    arguments: Mapping[str, Callable[[Any], Code]]
    """The arguments by primitive: each checks one and gives the code."""
    observe: Callable[[Any, frozenset[str]], Observations]
    """The observations of readings, for programs that use these fields."""
    observation: Callable[[Any, int, int], Any]
    """The type of ``Observations.row``'s results, made of the same (observations, row, steps)."""
    values: frozenset[type]
    """Types of what observations hold that are the game's own, and of observations: a program can
    read them and do nothing else with them."""
    methods: Mapping[type, frozenset[str]]
    """Which methods programs may call of those types."""
    vectors: NDArray[np.int64]
    """(codes, A): action vectors by code."""
    described: Callable[[Code], str]
    """How a program's author wrote it: ``turn(30)``."""
