"""The keys that one run puts into its sets and dicts, so that few of them share a hash.

Python compares a key with every other one of the same hash. The hashes of texts are salted, but
those of numbers and tuples follow from their values: `-1` and `-2` have one, so `n` of them make
`2 ** n` tuples with one, and others can be computed. A set of thousands of those takes seconds.
"""

from typing import Any

MOST_ALIKE = 32
"""Different keys that may share a hash. All tuples of five of `-1` and `-2` are so many."""

MOST_KEPT = 500_000
"""Tuples of one run, and their elements: what was a key once has to be kept to recognise others."""

_HASH_BITS = 60  # an integer's hash is the remainder by 2**61 - 1
_PLAIN_FLOATS = 2.0**53  # a float's is, too, with its exponent taken in a circle


class Keys:
    """The keys of one run whose hashes can be chosen, by those."""

    __slots__ = ("_alike", "_first", "_left")

    def __init__(self) -> None:
        self._first: dict[int, Any] = {}
        self._alike: dict[int, list[Any]] = {}
        self.begin()

    def begin(self) -> None:
        """A run begins, and nothing of the last one is left that these could be compared with."""
        self._first.clear()
        self._alike.clear()
        self._left = MOST_KEPT

    def add(self, key: Any, size: int) -> int:
        """Note that ``key``, of ``size`` elements, is put somewhere; with how many others of its
        hash it will be compared.

        Raises:
            ValueError: it shares its hash with too many, or there are too many.
            TypeError: it has none.
        """
        number = hash(key)
        first = self._first.get(number, self)
        if first is self:
            self._keep(size)
            self._first[number] = key
            return 0
        if first == key:
            return 0
        alike = self._alike.setdefault(number, [])
        if key not in alike:
            if len(alike) + 2 > MOST_ALIKE:
                raise ValueError(
                    f"more than {MOST_ALIKE} different keys share a hash and would be compared "
                    "one by one; use texts as keys"
                )
            self._keep(size)
            alike.append(key)
        return len(alike)

    def _keep(self, size: int) -> None:
        self._left -= 1 + size
        if self._left < 0:
            raise ValueError(f"too many different tuples as keys: {MOST_KEPT} elements in one run")


def hash_can_be_chosen(value: Any) -> bool:
    kind = type(value)
    if kind is int:
        return value.bit_length() > _HASH_BITS
    if kind is float:
        return value != 0.0 and not 1.0 / _PLAIN_FLOATS < abs(value) < _PLAIN_FLOATS
    return kind is tuple or kind is range
