"""Actions of a game whose action is a number, (B, 1): its actions as choices, its programs'
language."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from worlds.language import Language
from worlds.play import Bools, Ints, Readings
from worlds.runtime import Code, Observations, Runtime

_NONE: Mapping[str, Callable[..., Any]] = MappingProxyType({})


class NumberedActions:
    """The actions ``names`` of ``known``, which are in the order of their numbers. All are possible
    always: what cannot be done does nothing.

    Raises:
        ValueError: a name that is not known.
    """

    def __init__(self, names: Sequence[str], known: Sequence[str]) -> None:
        for name in names:
            if name not in known:
                raise ValueError(f"there is no action {name!r}; there are {', '.join(known)}")
        self._numbers = np.array([known.index(name) for name in names], np.int64)

    def mask(self, readings: Readings) -> Bools:
        return np.ones((readings.world.size, len(self._numbers)), bool)

    def fill(self, out: Ints, chosen: Ints, rows: Ints, readings: Readings) -> None:
        out[rows, 0] = self._numbers[chosen]


class Shown:
    """What programs see of a batch at one step, where observations hold all that they show."""

    def __init__(self, readings: Any, observation: Callable[[Any, int, int], Any]) -> None:
        self.readings = readings
        self._observation = observation

    def row(self, environment: int, steps: int) -> Any:
        return self._observation(self, environment, steps)

    def expire(self) -> None:
        """Observations hold what they show: there is nothing to do."""


def numbered_runtime(
    language: Language,
    actions: Sequence[str],
    observation: type,
    functions: Mapping[str, Callable[..., Any]] = _NONE,
    values: frozenset[type] = frozenset(),
) -> Runtime:
    """What carries out a language whose primitives are actions of the game.

    Args:
        actions: all of the game, in the order of their numbers.
        observation: a type that is made of (`Shown`, environment, steps of the run). Its attributes
            are what programs read,
            and ``steps`` among them.
        functions: by the names of ``language.functions``.
        values: the game's own types of what observations hold.
    """
    numbers = [actions.index(name) for name in language.codes]

    def shown(readings: Any, fields: frozenset[str]) -> Observations:
        return Shown(readings, observation)

    def described(code: Code) -> str:
        assert isinstance(code, int)
        return actions[numbers[code]]

    return Runtime(
        language=language,
        functions=functions,
        arguments={},
        observe=shown,
        observation=observation,
        values=values | {observation},
        methods={observation: language.methods},
        vectors=np.array(numbers, np.int64)[:, None],
        described=described,
    )
