"""Values as texts, cut short."""

from collections.abc import Callable
from reprlib import Repr
from types import MappingProxyType
from typing import Any

from nodes.env_server.programs.language_guards.measures import (
    LONG,
    MAX_SIZE,
    PLAIN,
    Measures,
    too_large,
)


class _Short(Repr):
    """``repr``, cut short. ``charge`` is called with what has to be sorted for it."""

    def __init__(self, charge: Callable[[int], None]) -> None:
        super().__init__()
        self._charge = charge
        self.maxlevel, self.maxdict, self.maxlist, self.maxtuple = 3, 12, 12, 12
        self.maxset, self.maxstring, self.maxother, self.maxlong = 12, 200, 80, 80

    def repr_set(self, x: Any, level: int) -> str:
        self._charge(len(x))
        return super().repr_set(x, level)

    def repr_dict(self, x: Any, level: int) -> str:
        self._charge(len(x))
        return super().repr_dict(x, level)


_free = _Short(lambda size: None)


def text(value: Any, values: frozenset[type] = frozenset(), short: Repr = _free) -> str:
    """``str(value)``, cut short for containers. ``values``: the game's own types."""
    kind = type(value)
    if kind in PLAIN or kind in values:
        return str(value)
    if isinstance(value, Exception):
        return _plain_error(value, values, short)
    return represented(value, values, short)


def represented(value: Any, values: frozenset[type] = frozenset(), short: Repr = _free) -> str:
    """``repr(value)``, cut short."""
    if type(value) is MappingProxyType:
        value = dict(value)
    if type(value) in PLAIN or type(value) in values or type(value) in LONG:
        return short.repr(value)
    return f"<{type(value).__name__}>"


def _plain_error(error: Exception, values: frozenset[type], short: Repr) -> str:
    if all(type(argument) in PLAIN or type(argument) in values for argument in error.args):
        return str(error)[:MAX_SIZE]
    return ", ".join(text(argument, values, short) for argument in error.args[:3])


def texts_for(measures: Measures) -> dict[str, Any]:
    """By the names that the rewriter gives them."""
    charge, values = measures.charge, measures.values
    short = _Short(charge)

    def charged(found: str) -> str:
        charge(len(found))
        return found

    def make_str(value: Any = "") -> str:
        return charged(text(value, values, short))

    def shown(value: Any) -> str:
        return charged(represented(value, values, short))

    def fstring(*parts: str) -> str:
        if sum(map(len, parts)) > MAX_SIZE:
            raise too_large("the text")
        charge(sum(map(len, parts)))
        return "".join(parts)

    def formatted(value: Any, spec: str) -> str:
        if type(value) not in PLAIN:
            value = charged(text(value, values, short))
        return format(value, spec)

    return {
        "_text": make_str, "_str": make_str, "_repr": shown, "_format": formatted,
        "_fstring": fstring,
    }  # fmt: skip
