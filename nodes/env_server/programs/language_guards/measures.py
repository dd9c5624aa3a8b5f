"""How large a program's values are, and what touching them costs."""

from collections.abc import Callable, Iterable
from itertools import islice
from types import MappingProxyType
from typing import Any

from nodes.env_server.programs.fuel import Fuel
from nodes.env_server.programs.hashed_keys import Keys, hash_can_be_chosen

MAX_SIZE = 10_000  # elements of a container, characters of a text

PLAIN = frozenset({int, float, bool, str, type(None)})
NUMBERS = frozenset({int, float, bool})
VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
LONG = (list, tuple, set, dict, MappingProxyType, *VIEWS)
SEQUENCES = (str, list, tuple)  # with rays, which are tuples: none of theirs grows unseen either

_FEW = 8  # keys of one hash: three coordinates of -1 and -2
_COLLISION = 16  # what comparing with another key of the same hash costs, in elements
_TEXT_SHIFT = 9
"""Comparing so many bits of a text's length costs as much as one element."""


def too_large(what: str) -> ValueError:
    return ValueError(f"{what} is larger than {MAX_SIZE}")


class Measures:
    """The measures of one run, which charge ``fuel``. ``values``: the game's own types, which cost
    nothing to compare. They are functions in attributes, not methods: programs call them at every
    turn, and so they cost half. ``begin`` has to be called where a run
    begins, but for the first."""

    def __init__(self, fuel: Fuel, values: frozenset[type]) -> None:
        charge = self.charge = fuel.charge
        scalars = PLAIN | values
        self.values = values
        keys = Keys()

        def small(value: Any) -> Any:
            """``value``, if it is small enough to be compared or hashed."""
            if type(value) not in scalars:
                measured(value)
            return value

        def measured(value: Any) -> int:
            """How many elements are reached from ``value``, which are charged."""
            count, level, texts = 0, [value], 0
            while level:
                item = level.pop()
                kind = type(item)
                if kind is range:
                    count += len(item)
                elif kind in LONG:
                    count += 1 + len(item)
                    if count <= MAX_SIZE:
                        level.extend(item)
                        if kind is dict or kind is MappingProxyType:
                            level.extend(item.values())
                elif kind is str:
                    texts += len(item) >> _TEXT_SHIFT
                if count > MAX_SIZE:
                    break
            charge(min(count, MAX_SIZE) + texts)  # also for what is refused: it was gone through
            if count > MAX_SIZE:
                raise too_large("what is compared or used as a key")
            return count

        def as_key(value: Any) -> Any:
            """``value``, if it may be put into a set or a dict as a key."""
            kind = type(value)
            size = 0 if kind in scalars else measured(value)
            if hash_can_be_chosen(value):
                alike = keys.add(value, size)
                if alike > _FEW or kind is int or kind is float:
                    charge(_COLLISION * (1 + alike))
            return value

        def as_keys(values: Iterable[Any]) -> list[Any]:
            return [as_key(value) for value in items(values)]

        def items(values: Iterable[Any]) -> list[Any]:
            found = list(islice(values, MAX_SIZE + 1))
            charge(len(found))
            if len(found) > MAX_SIZE:
                raise too_large("the sequence")
            return found

        def searched(holder: Any, item: Any) -> None:
            """``item`` is compared with each element."""
            length = len(item) if type(item) is str else 0
            charge(len(holder) * (1 + (length >> _TEXT_SHIFT)))
            if type(item) not in scalars:
                small(holder)

        def begin() -> None:
            fuel.begin()
            keys.begin()

        self.begin: Callable[[], None] = begin
        self.small: Callable[[Any], Any] = small
        self.as_key: Callable[[Any], Any] = as_key
        self.as_keys: Callable[[Iterable[Any]], list[Any]] = as_keys
        self.items: Callable[[Iterable[Any]], list[Any]] = items
        self.searched: Callable[[Any, Any], None] = searched
